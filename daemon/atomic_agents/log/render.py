"""One log record as a JSON line, or as lines for people (contract section 10)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from atomic_agents.log.events import Event
from atomic_agents.log.plain import DEPTH, plain
from atomic_agents.log.telling import problem_in, said_in, word_of
from atomic_agents.log.wrapping import cells, wrap
from atomic_agents.model import printable

_FIRST: Final = ("ts", "level", "event", "vault", "agent", "layer", "path", "problems", "duration_ms")


def json_line(record: Mapping[str, Any]) -> str:
    """Return one log record as strict JSON on one line; any value comes out as something."""
    ordered = {key: record[key] for key in _FIRST if key in record}
    ordered.update({key: value for key, value in record.items() if key not in ordered})
    return json.dumps(plain(ordered, DEPTH), ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


_MARKS: Final = {"debug": "·", "info": "✓", "warning": "!", "error": "✗"}
_COLOURS: Final = {"debug": "2", "info": "32", "warning": "33", "error": "31"}
_ASIDE: Final = frozenset(
    {
        Event.INDEX_WRITTEN,
        Event.INDEX_HOOK_DIFFERS,
        Event.SWEEP_FINISHED,
        Event.HISTORY_THINNED,
        Event.NOTICE_WRITTEN,
        Event.NOTICE_REMOVED,
    }
)
"""Told by the way: no outcome of a note, and nothing to do about it."""

_WORD: Final = 11
_EVERY: Final = 1_000_000


def console_line(
    record: Mapping[str, Any], *, colour: bool, width: int = 0, most: int = _EVERY, facts: bool = True
) -> str:
    """Return one log record for people: time, mark, what happened, path, facts, and each problem below.

    Args:
        record: as logged, or as read back from the log.
        colour: whether to colour what happened.
        width: columns of the terminal; 0 breaks no line.
        most: problems that are shown; the rest is counted.
        facts: False shows what happened and the path alone.

    """
    stamp = _local_time(str(record.get("ts", "")))
    time = f"{stamp}  " if stamp else ""
    head = f"{time}{_mark(record)} {word_of(record):<{_WORD}} "
    margin = " " * (len(time) + 2)
    said = said_in(record) if facts else []
    lines = list(_paragraphs(record, said, head, margin, width))
    if facts:
        lines += _problems(record, margin, width, most)
    if colour and lines[0].startswith(head):
        lines[0] = f"{time}\x1b[{_colour(record)}m{head[len(time) :]}\x1b[0m{lines[0][len(head) :]}"
    return "\n".join(line.rstrip() for line in lines)


_PRIORITIES: Final = {"debug": 7, "info": 6, "warning": 4, "error": 3}


def journal_line(record: Mapping[str, Any]) -> str:
    """Return one log record as lines for the systemd journal: each with its priority, without the time.

    Args:
        record: as logged.

    """
    priority = _PRIORITIES.get(str(record.get("level")), 6)
    timeless = {key: value for key, value in record.items() if key != "ts"}
    lines = console_line(timeless, colour=False).split("\n")
    return "\n".join(f"<{priority}>{line}" for line in lines)


def _paragraphs(
    record: Mapping[str, Any], said: list[str], head: str, margin: str, width: int
) -> Iterator[str]:
    path = printable(str(record.get("path") or ""))
    parts = [part for part in (path, *said) if part] or [""]
    if path and len(parts) > 1 and (not width or cells(f"{head}{parts[0]}  {parts[1]}") <= width):
        parts[:2] = [f"{parts[0]}  {parts[1]}"]
    yield from wrap(parts[0], width, first=head, rest=margin)
    for part in parts[1:]:
        yield from wrap(part, width, first=margin, rest=margin)


def _problems(record: Mapping[str, Any], margin: str, width: int, most: int) -> Iterator[str]:
    found: Any = record.get("problems")
    problems = [one for one in found if isinstance(one, Mapping)] if isinstance(found, Sequence) else []
    for problem in problems[:most]:
        said, fix = problem_in(problem)
        yield from wrap(said, width, first=margin, rest=f"{margin}  ")
        if fix:
            yield from wrap(fix, width, first=f"{margin}  fix: ", rest=f"{margin}       ")
    if problems[most:]:
        yield f"{margin}and {len(problems) - most} more: atomicd check"


def _mark(record: Mapping[str, Any]) -> str:
    return "·" if _is_aside(record) else _MARKS.get(str(record.get("level", "info")), "✓")


def _colour(record: Mapping[str, Any]) -> str:
    return "2" if _is_aside(record) else _COLOURS.get(str(record.get("level")), "0")


def _is_aside(record: Mapping[str, Any]) -> bool:
    return record.get("level", "info") == "info" and record.get("event") in _ASIDE


def _local_time(stamp: str) -> str:
    try:
        return dt.datetime.fromisoformat(stamp).astimezone().strftime("%H:%M:%S")
    except ValueError:
        return printable(stamp)
