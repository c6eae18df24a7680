"""Taking a layer's index files to work on: what is missing is made, what a kill left is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from atomic_agents.index.lines import Kind
from atomic_agents.index.sections import HEADINGS, Layer
from atomic_agents.index.sheet import Row, Sheet, new_row, read_sheet
from atomic_agents.index.skeleton import skeleton
from atomic_agents.index.slices import is_counted, parent_of, pointed, role_of_slice

INDEX: Final = "INDEX.md"


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

    Nothing leads to them yet, and each of their lines still stands in the file that was to be split.

    Args:
        sheets: the index files, INDEX.md first.

    """
    linked = {name for _, name in _links(sheets)}
    return [sheet for sheet in sheets[1:] if sheet.name not in linked and _is_left_over(sheet, sheets)]


def _is_left_over(sheet: Sheet, sheets: Sequence[Sheet]) -> bool:
    if role_of_slice(sheet.name) is None:
        return False
    sources = {INDEX, parent_of(sheet.name)} - {sheet.name}
    texts = {row.line.text for source in sheets if source.name in sources for row in source.rows}
    return all(row.line.kind is Kind.BLANK or row.line.text in texts for row in sheet.rows)
