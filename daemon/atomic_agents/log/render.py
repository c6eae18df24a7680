"""One log record as a JSON line, or as lines for people (contract section 10)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.log.plain import DEPTH, plain
from atomic_agents.model import printable

_FIRST: Final = ("ts", "level", "event", "vault", "agent", "layer", "path", "problems", "duration_ms")


def json_line(record: Mapping[str, Any]) -> str:
    """Return one log record as strict JSON on one line; any value comes out as something."""
    ordered = {key: record[key] for key in _FIRST if key in record}
    ordered.update({key: value for key, value in record.items() if key not in ordered})
    return json.dumps(plain(ordered, DEPTH), ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


_MARKS: Final = {"debug": "·", "info": "•", "warning": "!", "error": "✗"}
_COLOURS: Final = {"debug": "2", "info": "32", "warning": "33", "error": "31"}
_HIDDEN: Final = frozenset({"ts", "level", "event", "vault", "agent", "layer", "path", "problems"})


def console_line(record: Mapping[str, Any], *, colour: bool) -> str:
    """Return one log record for people: time, mark, event, path, facts, and each problem on a line below.

    Args:
        record: as logged, or as read back from the log.
        colour: whether to colour the event.

    """
    level = str(record.get("level", "info"))
    event = f"{_MARKS.get(level, '•')} {record.get('event', ''):<17}"
    if colour:
        event = f"\x1b[{_COLOURS.get(level, '0')}m{event}\x1b[0m"
    facts = "  ".join(f"{key}={_show(value)}" for key, value in record.items() if key not in _HIDDEN)
    parts = [_local_time(str(record.get("ts", ""))), event, printable(str(record.get("path", ""))), facts]
    lines = ["  ".join(part for part in parts if part)]
    problems = record.get("problems") or ()
    if isinstance(problems, (list, tuple)):
        lines += [
            f"            {_problem_line(problem)}" for problem in problems if isinstance(problem, Mapping)
        ]
    return "\n".join(lines)


_PRIORITIES: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3}


def journal_line(record: Mapping[str, Any]) -> str:
    """Return one log record as lines for the systemd journal: each with its priority, without the time.

    Args:
        record: as logged.

    """
    priority = _PRIORITIES.get(str(record.get("level")), 6)
    timeless = {key: value for key, value in record.items() if key != "ts"}
    lines = console_line(timeless, colour=False).split("\n")
    return "\n".join(f"<{priority}>{line.rstrip()}" for line in lines)


def _problem_line(problem: Mapping[str, Any]) -> str:
    where = f"line {problem['line']}: " if problem.get("line") else ""
    what = f"{problem['field']}: " if problem.get("field") else ""
    said = f"{problem.get('code')}: found {problem.get('found')}, expected {problem.get('expected')}"
    return printable(f"{where}{what}{said}")


def _show(value: Any) -> str:
    if isinstance(value, (str, int, float)):
        return printable(str(value))
    return printable(json.dumps(plain(value, DEPTH), ensure_ascii=False))


def _local_time(stamp: str) -> str:
    try:
        return dt.datetime.fromisoformat(stamp).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return stamp
