"""Where in INDEX.md a new entry goes: after the last of its section, or where a first one fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from atomic_agents.index.lines import CODE_INDENT, Kind, Line
from atomic_agents.index.sections import Section
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.style import Style, bullet_after


@dataclass(frozen=True, slots=True)
class Spot:
    """A place between two rows.

    Args:
        row: the row before which new lines go.
        bullet: what the first new entry begins with.
        blank_before: whether a blank line goes before the new entries.
        blank_between: whether one goes between them.
        blank_after: whether one goes after them.

    """

    row: int
    bullet: str
    blank_before: bool = False
    blank_between: bool = False
    blank_after: bool = False


def spot_in(section: Section, sheet: Sheet, style: Style) -> Spot:
    """Return where new entries of a section go.

    Args:
        section: the section.
        sheet: its index file, with the rows' owners set.
        style: the INDEX's style.

    """
    rows = sheet.rows
    entries = [row for row in range(section.start, section.end) if rows[row].is_entry]
    spot = _after_last(section, rows, entries) if entries else _first(section, rows, style)
    return outside(sheet, spot)


def block_end(rows: Sequence[Row], row: int, end: int) -> int:
    """Return the row after all that belongs to the list item in a row: nested lines and continuations.

    Args:
        rows: the rows of an index file.
        row: the list item's.
        end: the row after the last that may belong.

    """
    indent = rows[row].line.indent
    after = row + 1
    for number in range(row + 1, end):
        line = rows[number].line
        if line.kind is Kind.BLANK:
            continue
        is_lazy = line.kind is Kind.TEXT and rows[number - 1].line.kind in {Kind.ITEM, Kind.TEXT}
        if line.indent <= indent and not is_lazy:
            break
        after = number + 1
    return after


def content_end(rows: Sequence[Row], start: int, end: int) -> int:
    """Return the row after the last that is neither blank nor a rule.

    Args:
        rows: the rows of an index file.
        start: the first row that counts.
        end: the row after the last that counts.

    """
    while end > start and rows[end - 1].line.kind in {Kind.BLANK, Kind.RULE}:
        end -= 1
    return end


def outside(sheet: Sheet, spot: Spot) -> Spot:
    """Return a place before the fence, comment or conflict that a place lies in.

    Args:
        sheet: the index file.
        spot: the place.

    """
    rows, row = sheet.rows, spot.row
    if row == len(rows) and sheet.is_open:
        row -= 1
    while 0 < row < len(rows) and rows[row].line.is_inside:
        row -= 1
    if row == spot.row:
        return spot
    above = rows[row - 1].line.kind if row else Kind.BLANK
    return replace(spot, row=row, blank_before=above is not Kind.BLANK, blank_after=True)


def _after_last(section: Section, rows: Sequence[Row], entries: Sequence[int]) -> Spot:
    least = min(rows[row].line.indent for row in entries)
    last = max(row for row in entries if rows[row].line.indent == least)
    above = [row for row in range(section.start, last) if _is_parent(rows[row].line, least)]
    sibling = above[-1] if above else last
    item = rows[sibling].line.item
    assert item is not None
    loose = len(entries) > 1 and all(rows[row - 1].line.kind is Kind.BLANK for row in entries[1:])
    return Spot(
        block_end(rows, sibling, section.end),
        bullet_after(item, rows[sibling].line.text),
        blank_before=loose,
        blank_between=loose,
    )


def _is_parent(line: Line, indent: int) -> bool:
    return line.item is not None and line.kind is Kind.ITEM and line.indent < indent


def _first(section: Section, rows: Sequence[Row], style: Style) -> Spot:
    """Return where the first entry of a section goes: below its prose or placeholder, or its heading."""
    last, in_list = _leading(section, rows)
    start = section.start
    if last is not None:
        spot = Spot(last + 1, style.bullet, blank_before=not in_list)
    elif not style.is_spaced:
        spot = Spot(start, style.bullet)
    elif start < section.end and rows[start].line.kind is Kind.BLANK:
        spot = Spot(start + 1, style.bullet)
    else:
        spot = Spot(start, style.bullet, blank_before=section.head >= 0)
    return replace(spot, blank_after=_needs_blank(rows, spot.row, style))


def _leading(section: Section, rows: Sequence[Row]) -> tuple[int | None, bool]:
    """Return the last row of the prose and lists that a section begins with, and whether it is in a list."""
    last, in_list = None, False
    for row in range(section.start, section.end):
        line = rows[row].line
        if line.kind is Kind.ITEM:
            last, in_list = row, True
        elif line.indent >= CODE_INDENT or (in_list and line.indent):
            last = row
        elif line.kind is Kind.TEXT and not line.text.lstrip().startswith("|"):
            in_list = in_list and rows[row - 1].line.kind is not Kind.BLANK
            last = row
        elif line.kind is not Kind.BLANK:
            break
    return last, in_list


def _needs_blank(rows: Sequence[Row], row: int, style: Style) -> bool:
    """Whether a list that ends before this row needs a blank line after it."""
    if row >= len(rows) or rows[row].line.kind is Kind.BLANK:
        return False
    is_underlined = row + 1 < len(rows) and rows[row + 1].line.kind is Kind.UNDERLINE
    return style.is_spaced or is_underlined or rows[row].line.kind is Kind.TEXT
