"""Taking a layer's index files to work on: what is missing is made, what a kill left is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from atomic_agents.index.lines import Kind
from atomic_agents.index.sections import HEADINGS, Layer, heading_key
from atomic_agents.index.sheet import Row, Sheet, new_row, read_sheet
from atomic_agents.index.skeleton import skeleton
from atomic_agents.index.slices import is_counted, parent_of, pointed, role_of_slice

INDEX: Final = "INDEX.md"
_HEADINGS: Final = frozenset(map(heading_key, HEADINGS.values()))


def gather(files: Mapping[str, bytes], agent: str, layer: Layer, *, has_units: bool) -> list[Sheet]:
    """Return the index files of a layer, INDEX.md first.

    Args:
        files: their bytes by name, UTF-8; INDEX.md may be missing or blank.
        agent: the agent's name, for the title of a new INDEX.md.
        layer: which layer it is.
        has_units: whether there is a unit to index; if not, no INDEX.md is made.

    Raises:
        UnicodeDecodeError: a file is not UTF-8.

    """
    top = read_sheet(INDEX, files.get(INDEX, b""))
    if has_units and all(row.line.kind is Kind.BLANK for row in top.rows):
        has_bom = top.has_bom
        top = read_sheet(INDEX, skeleton(agent, layer))
        top.has_bom = has_bom
    sheets = [top, *(read_sheet(name, files[name]) for name in sorted(files) if name != INDEX)]
    return [*sheets, *_missing(sheets)]


def _missing(sheets: Sequence[Sheet]) -> Iterator[Sheet]:
    """Yield the sub-indexes that were made by a split and are not there any more, without their entries."""
    names = {sheet.name for sheet in sheets}
    for _, name in _links(sheets):
        role = role_of_slice(name)
        if name not in names and role is not None:
            names.add(name)
            yield Sheet(name, [Row(new_row(f"## {HEADINGS[role]}").line, sheets[0].line_end)])


def _links(sheets: Sequence[Sheet]) -> Iterator[tuple[Sheet, str]]:
    """Yield each index file and the sub-index that a counted line of it leads to."""
    for sheet in sheets:
        for row in sheet.rows:
            entry = row.line.entry
            if row.line.points and entry is not None and is_counted(entry):
                yield sheet, pointed(entry, sheet.folder)


def leftovers(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Return the sub-indexes that a kill left behind in the middle of a split.

    INDEX.md does not lead to them yet, and each of their lines still stands in the file that was to be split.

    Args:
        sheets: the index files, INDEX.md first.

    """
    links: dict[str, set[str]] = {}
    for sheet, name in _links(sheets):
        links.setdefault(sheet.name, set()).add(name)
    reached, waiting = {INDEX}, [INDEX]
    while waiting:
        new = links.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    sources = [sheet for sheet in sheets if sheet.name in reached]
    return [sheet for sheet in sheets if sheet.name not in reached and _is_left_over(sheet, sources)]


def _is_left_over(sheet: Sheet, sources: Sequence[Sheet]) -> bool:
    if role_of_slice(sheet.name) is None:
        return False
    names = {INDEX, parent_of(sheet.name)}
    texts = {row.line.text for source in sources if source.name in names for row in source.rows}
    return all(row.line.text in texts or _is_the_daemons(row) for row in sheet.rows)


def _is_the_daemons(row: Row) -> bool:
    line = row.line
    is_heading = line.kind is Kind.HEADING and heading_key(line.title) in _HEADINGS
    return line.kind is Kind.BLANK or line.points or is_heading
