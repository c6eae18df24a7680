"""What one log record says, as paragraphs for people."""

from __future__ import annotations

import functools
import json
import string
from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.log.plain import DEPTH, plain
from atomic_agents.log.words import SAYINGS
from atomic_agents.model import printable

_SHOWN_ELSEWHERE: Final = frozenset({"ts", "level", "event", "vault", "agent", "layer", "path", "problems"})


def word_of(record: Mapping[str, Any]) -> str:
    """Return what happened in a word or two."""
    saying = SAYINGS.get(str(record.get("event")))
    if saying is None:
        return printable(str(record.get("event", "")))
    return "updated" if record.get("change") == "changed" else saying.word


def said_in(record: Mapping[str, Any]) -> list[str]:
    """Return the facts of a record as paragraphs, each safe to print."""
    saying = SAYINGS.get(str(record.get("event")))
    if saying is None:
        return _pairs(record)
    for text in saying.texts:
        if all(_has(record, name) for name in _names(text)):
            return _fill(text, record)
    return []


def problem_in(problem: Mapping[str, Any]) -> tuple[str, str]:
    """Return one problem in a line, and its fix (may be empty), both safe to print."""
    where = f"line {problem['line']}  " if problem.get("line") else ""
    what = f"{problem['field']}: " if problem.get("field") else ""
    said = f"found {problem.get('found')}, expected {problem.get('expected')} ({problem.get('code')})"
    return printable(f"{where}{what}{said}"), printable(str(problem.get("fix") or ""))


def _pairs(record: Mapping[str, Any]) -> list[str]:
    pairs = [f"{key}={_show(value)}" for key, value in record.items() if key not in _SHOWN_ELSEWHERE]
    return [printable("  ".join(pairs))] if pairs else []


def _fill(text: str, record: Mapping[str, Any]) -> list[str]:
    facts = {name: _fact(record, name) for name in _names(text)}
    return [printable(line) for line in text.format_map(facts).split("\n") if line]


@functools.cache
def _names(text: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in string.Formatter().parse(text) if name)


def _has(record: Mapping[str, Any], name: str) -> bool:
    return record.get("incident" if name == "short" else name) is not None


def _fact(record: Mapping[str, Any], name: str) -> str:
    if name == "short":
        return str(record["incident"]).rpartition("_")[2]
    return _show(record[name])


def _show(value: Any) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return ", ".join(value) or "nothing"
    return json.dumps(plain(value, DEPTH), ensure_ascii=False)
