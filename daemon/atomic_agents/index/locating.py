"""Where a unit stands in the index files of its layer, and whose words its line holds ([INDEX-3])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from atomic_agents.index.match import match
from atomic_agents.index.merge import Scope, known_of
from atomic_agents.index.sheet import Row, Sheet, read_sheet
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered

Author = Literal["generated", "hand-edited", "by hand"]
"""As it was generated; generated and then changed by a person; not known to the daemon."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A unit's entry.

    Args:
        index: the index file, relative to the layer's folder.
        line: its line, from 1.
        text: what it says.
        author: whose words these are.
        generated: the hook as it was last generated, where a person changed it.

    """

    index: str
    line: int
    text: str
    author: Author
    generated: str | None = None


def locate(
    file: str,
    files: Mapping[str, bytes],
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    scope: Scope,
) -> Standing | None:
    """Return where a unit's entry stands, or None if it has none.

    Args:
        file: the unit, relative to the layer's folder.
        files: the bytes of each index file, by name; UTF-8.
        wanted: what is wanted of each valid unit.
        remembered: what is remembered of each unit.
        scope: what else is known, as for `atomic_agents.index.merge.merge`.

    Raises:
        UnicodeDecodeError: an index file is not UTF-8.

    """
    names = sorted(files, key=lambda name: (name != "INDEX.md", name))
    sheets = [read_sheet(name, files[name]) for name in names]
    match(sheets, known_of(wanted, remembered, scope))
    for sheet in sheets:
        for number, row in enumerate(sheet.rows, 1):
            if row.owner == file:
                return _standing(sheet, number, row, remembered.get(file))
    return None


def _standing(sheet: Sheet, number: int, row: Row, base: Remembered | None) -> Standing:
    entry = row.line.entry
    author: Author = "by hand"
    generated = None
    if base is not None and entry is not None:
        is_same = entry.hook == base.hook and entry.title in {"", base.title}
        author = "generated" if is_same else "hand-edited"
        generated = base.hook if entry.hook != base.hook else None
    return Standing(sheet.name, number, row.line.text, author, generated)
