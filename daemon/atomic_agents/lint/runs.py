"""The lines of a log of runs (contract section 2; seed, Log entry format)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from atomic_agents.schemas.found import describe, shorten
from atomic_agents.units.codes import Fault

_MOST: Final = 50
_LONGEST: Final = 1 << 20


class _Form(NamedTuple):
    """What a field may hold: in words, and as a test."""

    expected: str
    fits: Callable[[Any], bool]


def _one_of(*words: str) -> _Form:
    return _Form(f"one of {', '.join(words)}", lambda value: value in words)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value.splitlines()) == 1


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return "T" in value.upper() and dt.datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


REQUIRED: Final[Mapping[str, _Form]] = {
    "ts": _Form("ISO 8601 with a zone", _is_moment),
    "trigger": _one_of("cron", "skill", "api", "manual"),
    "model": _Form("the model's ID", _is_line),
    "input_tokens": _Form("a whole number from 0 on", _is_count),
    "output_tokens": _Form("a whole number from 0 on", _is_count),
    "status": _one_of("ok", "error", "skipped"),
    "summary": _Form("one line of text", _is_line),
}
OPTIONAL: Final[Mapping[str, _Form]] = {
    "error": _Form("text or null", lambda value: value is None or isinstance(value, str)),
    "cost_usd": _Form("a number from 0 on, or null", lambda value: value is None or _is_amount(value)),
    "tools_called": _Form("a list", lambda value: isinstance(value, list)),
    "skill_invocation_id": _Form("text or null", lambda value: value is None or isinstance(value, str)),
}
"""`cache_hit` is left open: writers put a boolean, a share or a number of tokens there."""


def judge_runs(text: str) -> Iterator[Fault]:
    """Yield what does not fit in a log of runs, with the line; at most fifty, the last says how many.

    Args:
        text: all lines.

    """
    found = list(_judge_lines(text))
    yield from found[: _MOST - 1]
    if len(found) > _MOST:
        yield found[_MOST - 1]._replace(found=f"{len(found) - _MOST + 1} more of these")
    else:
        yield from found[_MOST - 1 :]


def _judge_lines(text: str) -> Iterator[Fault]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield from (fault._replace(line=number) for fault in _judge_line(line))


def _judge_line(line: str) -> Iterator[Fault]:
    try:
        record = json.loads(line) if len(line) <= _LONGEST else None
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        fix = "Write one JSON object a line."
        yield Fault("log-line", f"`{shorten(line, 40)}`", "one JSON object", fix)
        return
    for name, form in REQUIRED.items():
        if name not in record:
            yield Fault("log-line", "nothing", form.expected, f"Write `{name}` in each line.", name)
    for name, form in {**REQUIRED, **OPTIONAL}.items():
        if name in record and not form.fits(record[name]):
            fix = f"Write {form.expected} as `{name}`."
            yield Fault("log-line", describe(record[name]), form.expected, fix, name)
