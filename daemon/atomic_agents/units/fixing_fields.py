"""Fields whose value is clear and only written in a way that is not allowed (contract [RULE-E])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from atomic_agents._schema import VERSION_FIELD, SchemaSet
from atomic_agents.model import Kind, Problem
from atomic_agents.schemas.table import is_date
from atomic_agents.units.cuts import comment_behind
from atomic_agents.units.fixing_draft import LineEdit, line_end_of, split_lines
from atomic_agents.units.fixing_yaml import is_ambiguous, quote
from atomic_agents.units.frontmatter import Reading
from atomic_agents.units.marks import Cut

_DAY: Final = re.compile(
    r"(\d{4})(?P<sign>[-/.])(\d{1,2})(?P=sign)(\d{1,2})(?:[Tt ][ ]*\d{1,2}:\d{2}\S*(?: \S+)?)?"
)
_BASIC: Final = re.compile(r"((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})")
_DIGITS: Final = re.compile(r"([\"'])([1-9][0-9]{0,5})\1")
_TYPE: Final = "type"
_HOLDER: Final = "metadata"


class _Patch(NamedTuple):
    """What comes in the place of a part of one line; offsets into the block."""

    start: int
    end: int
    text: str
    code: str
    field: str
    done: str


def mend_fields(
    reading: Reading, problems: tuple[Problem, ...], kind: Kind, schemas: SchemaSet
) -> Iterator[LineEdit]:
    """Yield an edit for each field that can be written as it was meant; each stands by itself.

    Args:
        reading: the unit, with values.
        problems: what is wrong with it.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        schemas: the versions in force.

    """
    for problem in problems:
        mender = _MENDERS.get(problem.code)
        patch = None if mender is None or problem.field is None else mender(reading, problem.field)
        if patch is not None:
            yield _edit(reading, patch)
    if any((each.code, each.field) == ("field-missing", _TYPE) for each in problems):
        yield from _raise_type(reading, ("wiki_page",) if kind is Kind.WIKI else schemas.note_types)
    told = {each.field for each in problems if each.code == "yaml-comment-cut"}
    for cut in reading.marks.cuts:
        patch = _take_back(reading, cut) if cut.field in told else None
        if patch is not None:
            yield _edit(reading, patch)


def _date(reading: Reading, field: str) -> _Patch | None:
    entry = reading.marks.entries.get(field)
    raw = "" if entry is None else reading.block[entry.start : entry.end]
    mark = raw[0] if raw[:1] in {"'", '"'} else ""
    day = _day(raw.strip(mark) if mark else raw)
    if entry is None or day is None:
        return None
    done = f"wrote `{field}` as a day, {day}"
    return _Patch(entry.start, entry.end, f"{mark}{day}{mark}", "date-invalid", field, done)


def _day(text: str) -> str | None:
    """Return the day that a text names beyond doubt, YYYY-MM-DD."""
    match = _DAY.fullmatch(text)
    parts = (match[1], match[3], match[4]) if match else None
    if parts is None and (basic := _BASIC.fullmatch(text)) is not None:
        parts = (basic[1], basic[2], basic[3])
    day = "-".join(part.zfill(2) for part in parts or ())
    return day if is_date(day) else None


def _version(reading: Reading, field: str) -> _Patch | None:
    entry = reading.marks.entries.get(field)
    if field != VERSION_FIELD or entry is None:
        return None
    digits = _DIGITS.fullmatch(reading.block[entry.start : entry.end])
    if digits is None:
        return None
    return _Patch(entry.start, entry.end, digits[2], "field-type", field, "took the quotes off the version")


def _uncomment(reading: Reading, field: str) -> _Patch | None:
    """Put a value in quotes that begins with `#word`, so that YAML takes it for a comment."""
    entry = reading.marks.entries.get(field)
    comment = None if entry is None else comment_behind(reading.block, entry.end)
    if entry is None or comment is None or entry.start != entry.end:
        return None
    start = entry.end + len(comment) - len(comment.lstrip())
    return _quoted(start, comment.lstrip(), "field-empty", field)


def _take_back(reading: Reading, cut: Cut) -> _Patch | None:
    """Put a value in quotes with what YAML dropped of it, if that is no comment."""
    value = reading.block[cut.offset :].partition("\n")[0].rstrip()
    return _quoted(cut.offset, value, "yaml-comment-cut", cut.field)


def _quoted(start: int, value: str, code: str, field: str) -> _Patch | None:
    text = None if is_ambiguous(f" {value}") else quote(value)
    if text is None:
        return None
    return _Patch(start, start + len(value), text, code, field, f"put the value of `{field}` in quotes")


def _raise_type(reading: Reading, types: tuple[str, ...]) -> Iterator[LineEdit]:
    """Write a type at the top that stands below `metadata:` alone; it stays there too, for its writer."""
    inner, entry = (reading.values or {}).get(_HOLDER), reading.marks.entries.get(_HOLDER)
    if entry is None or not isinstance(inner, Mapping) or inner.get(_TYPE) not in types:
        return
    number = reading.line_at(entry.key_start)
    end = line_end_of(split_lines(reading.text)[number - 1])
    line = f"{_TYPE}: {inner[_TYPE]}{end}"
    done = f"wrote `{_TYPE}: {inner[_TYPE]}` at the top, as it stands below `{_HOLDER}`"
    yield LineEdit(number, number - 1, (line,), "field-missing", done, _TYPE)


_MENDERS: Final = {"date-invalid": _date, "field-type": _version, "field-empty": _uncomment}
"""By code, what mends a field; it gets the reading and the field's name."""


def _edit(reading: Reading, patch: _Patch) -> LineEdit:
    number = reading.line_at(patch.start)
    line = split_lines(reading.text)[number - 1]
    column = patch.start - (reading.block.rfind("\n", 0, patch.start) + 1)
    new = f"{line[:column]}{patch.text}{line[column + patch.end - patch.start :]}"
    return LineEdit(number, number, (new,), patch.code, patch.done, patch.field)
