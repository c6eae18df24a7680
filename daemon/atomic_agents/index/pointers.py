"""The lines that lead to sub-indexes: added where they are missing, their counts kept true ([INDEX-6])."""

from __future__ import annotations

from collections.abc import Sequence

from atomic_agents.index.entries import Form
from atomic_agents.index.homes import Homes
from atomic_agents.index.lines import Kind, read_line
from atomic_agents.index.place import content_end
from atomic_agents.index.sections import HEADINGS, Section
from atomic_agents.index.sheet import Row, Sheet, new_row
from atomic_agents.index.slices import SLICES, is_counted, pointer_text, range_of, recounted
from atomic_agents.index.wanted import Role


def point_to_role(sheets: Sequence[Sheet], homes: Homes, role: Role) -> None:
    """Add the line of INDEX.md that leads to a role's sub-index: after the others, or the introduction.

    Args:
        sheets: the index files, INDEX.md first; the first is changed.
        homes: their sections.
        role: the role.

    """
    name = SLICES[role]
    sheet = next(sheet for sheet in sheets if sheet.name == name)
    titles = (row.line.title for row in sheet.rows if row.line.kind is Kind.HEADING)
    line = pointer_text(name, next(titles, HEADINGS[role]), 0)
    _point(sheets[0], homes, 0, line, _introduction_end(homes))


def point_to_range(sheets: Sequence[Sheet], homes: Homes, parent: int, section: Section, name: str) -> None:
    """Add the line of a sub-index that leads to a range of what it held.

    Args:
        sheets: the index files; the parent is changed.
        homes: their sections.
        parent: the number of the sub-index.
        section: the section of it that the range was part of.
        name: the sub-index with the range.

    """
    low, high = range_of(name) or ("", "")
    rows = sheets[parent].rows
    line = pointer_text(name, low if low == high else f"{low} to {high}", 0)
    _point(sheets[parent], homes, parent, line, content_end(rows, section.start, section.end))


def make_counts_true(sheets: Sequence[Sheet], homes: Homes) -> None:
    """Set the count in every line that leads to a sub-index and has one.

    Args:
        sheets: the index files, INDEX.md first; they are changed.
        homes: their sections.

    """
    totals: dict[int, int] = {}
    for number, sheet in enumerate(sheets):
        for pointer in homes.pointers[number]:
            row = sheet.rows[pointer.row]
            if row.line.entry is not None and is_counted(row.line.entry):
                text = recounted(row.line.entry, _total(pointer.sheet, sheets, homes, totals))
                row.line = read_line(text) if text != row.line.text else row.line


def _introduction_end(homes: Homes) -> int:
    """Return the row of INDEX.md before the first heading that is not the title."""
    sections = [section for section in homes.sections if section.sheet == 0]
    title = sections[1] if len(sections) > 1 and sections[1].level == 1 else sections[0]
    return title.end


def _point(sheet: Sheet, homes: Homes, number: int, line: str, otherwise: int) -> None:
    """Put a line in after the last of its kind, or, parted by blank lines, at another place."""
    counted = [pointer.row for pointer in homes.pointers[number] if pointer.is_counted]
    if counted:
        sheet.put_in(counted[-1] + 1, [new_row(line)])
        return
    rows, new = sheet.rows, [new_row(line)]
    if otherwise and not _is_blank(rows[otherwise - 1]):
        new.insert(0, new_row(""))
    if otherwise < len(rows) and not _is_blank(rows[otherwise]):
        new.append(new_row(""))
    sheet.put_in(otherwise, new)


def _total(number: int, sheets: Sequence[Sheet], homes: Homes, totals: dict[int, int]) -> int:
    """Return how many entries a sub-index holds, with those below it; none is counted twice."""
    if number not in totals:
        totals[number] = 0
        own = sum(row.is_entry or _names_by_title(row) for row in sheets[number].rows)
        below = {pointer.sheet for pointer in homes.pointers[number] if pointer.is_counted}
        totals[number] = own + sum(_total(inner, sheets, homes, totals) for inner in sorted(below))
    return totals[number]


def _names_by_title(row: Row) -> bool:
    """Whether it is an entry without a target; whose it is may be known on this host only."""
    return row.line.entry is not None and row.line.entry.form is Form.CODE


def _is_blank(row: Row) -> bool:
    return row.line.kind is Kind.BLANK
