"""The rules about what the fields say, beyond their form (contract [RULE-W])."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from atomic_agents.model import Kind
from atomic_agents.schemas.found import describe
from atomic_agents.schemas.table import is_date
from atomic_agents.units.codes import Fault
from atomic_agents.units.limits import Limits
from atomic_agents.units.tokens import MASK, has_secret

LONGEST_NAME: Final = 80
LONGEST_DESCRIPTION: Final = 150

_SOURCE: Final = re.compile(
    r"observation|conversation_\S+|(?:journal|raw)/\S.*|(?![a-z][a-z0-9+.-]*:)(?![/\[\"'])[^\r\n:]*[^\s/:]\.[A-Za-z0-9]{1,10}"
)


def judge_meaning(values: Mapping[str, Any], kind: Kind, today: dt.date, limits: Limits) -> Iterator[Fault]:
    """Yield what is doubtful about a unit's fields; lines are left to the caller.

    Args:
        values: the frontmatter, as far as it could be read.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        today: the date that ages are counted to.
        limits: what the operator set.

    """
    yield from _judge_texts(values)
    yield from _judge_dates(values, today, limits)
    if kind is Kind.NOTE:
        yield from _judge_sources(values.get("sources"))
    elif "provenance" not in values:
        fix = "Add `provenance: distilled`."
        yield Fault("provenance-missing", "nothing", "`distilled`", fix, "provenance")


def as_date(value: Any) -> dt.date | None:
    """Return the date that a field holds, bare or quoted, or None if it holds none.

    Args:
        value: as YAML gives it.

    """
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    return dt.date.fromisoformat(value) if isinstance(value, str) and is_date(value) else None


def _judge_texts(values: Mapping[str, Any]) -> Iterator[Fault]:
    for field, most in (("name", LONGEST_NAME), ("description", LONGEST_DESCRIPTION)):
        value = values.get(field)
        if not isinstance(value, str):
            continue
        text = value.strip()
        lines = len(text.splitlines())
        if len(text) > most:
            fix = f"Shorten the {field} and move the rest to the body."
            yield Fault(f"{field}-long", f"{len(text)} characters", f"at most {most}", fix, field)
        if lines > 1:
            fix = f"Write the {field} on one line; INDEX.md shows it so."
            yield Fault(f"{field}-multiline", f"{lines} lines", "one line", fix, field)


def _judge_dates(values: Mapping[str, Any], today: dt.date, limits: Limits) -> Iterator[Fault]:
    captured, seen, expires = (as_date(values.get(name)) for name in ("captured", "last_seen", "expires_at"))
    for field, date in (("last_seen", seen), ("expires_at", expires)):
        if captured is not None and date is not None and date < captured:
            fix = f"Correct `captured` or `{field}`."
            yield Fault(
                "dates-order", f"{date}, before captured {captured}", f"{captured} or later", fix, field
            )
    if expires is not None and expires < today:
        fix = "Archive it, or set a new date if it still holds."
        yield Fault("archive-candidate", f"{expires}", f"{today} or later", fix, "expires_at")
    if seen is not None and values.get("pinned") is not True and (today - seen).days > limits.stale_days:
        fix = "Confirm it and set `last_seen` to that day, or supersede it."
        found = f"{seen}, {(today - seen).days} days ago"
        yield Fault("stale", found, f"at most {limits.stale_days} days ago", fix, "last_seen")


def _judge_sources(sources: Any) -> Iterator[Fault]:
    """Yield one warning for the sources of a note that have none of the seed's forms."""
    items = sources if isinstance(sources, list) else []
    odd = [
        item
        for item in items
        if isinstance(item, str) and item.strip() and not _SOURCE.fullmatch(item.strip())
    ]
    if odd:
        more = f" and {len(odd) - 1} more" if len(odd) > 1 else ""
        found = MASK if has_secret(odd[0]) else f"{describe(odd[0])[: 80 - len(more)]}{more}"
        fix = "Save the document below raw/ and name that file, or write `observation`."
        expected = "conversation_…, journal/…, a file, or observation"
        yield Fault("source-form", found, expected, fix, "sources")
