"""Looking at a layer's index files without changing them: `atomicd index check` ([INDEX-7])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from atomic_agents.index.lines import Kind
from atomic_agents.index.match import match
from atomic_agents.index.merge import Scope, known_of
from atomic_agents.index.saying import saying, says
from atomic_agents.index.sheet import Row, Sheet, read_sheet
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered


@dataclass(frozen=True, slots=True)
class Differing:
    """An entry in which a person's words stand where the unit says something else.

    Args:
        file: the unit, relative to the layer's folder.
        what: `title` or `hook`.
        stands: what the entry says.
        unit: what the unit says.

    """

    file: str
    what: str
    stands: str
    unit: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a look at the index files of one layer gave.

    Args:
        orphans: units that no index file links to.
        dead: lines whose target is no unit: index file, line number from 1, target.
        duplicates: further entries of units: index file, line number from 1, unit.
        differing: entries in which a person's words differ from the unit's.
        ambiguous: units that share a name, so that a title alone does not tell them apart.
        conflicted: index files with conflict markers.
        lines: how many lines each index file has.
        entries: how many entries of units there are.

    """

    orphans: tuple[str, ...]
    dead: tuple[tuple[str, int, str], ...]
    duplicates: tuple[tuple[str, int, str], ...]
    differing: tuple[Differing, ...]
    ambiguous: tuple[str, ...]
    conflicted: tuple[str, ...]
    lines: Mapping[str, int]
    entries: int

    def as_json(self) -> dict[str, Any]:
        """Return the stable shape (contract section 8), with the fields beside it."""
        return {
            "orphans": list(self.orphans),
            "dead": [dict(zip(("index", "line", "target"), one, strict=True)) for one in self.dead],
            "duplicates": [dict(zip(("index", "line", "file"), one, strict=True)) for one in self.duplicates],
            "differing": [
                {"file": one.file, "what": one.what, "stands": one.stands, "unit": one.unit}
                for one in self.differing
            ],
            "lines": dict(self.lines),
            "entries": self.entries,
            "ambiguous": list(self.ambiguous),
            "conflicted": list(self.conflicted),
        }


def check(
    files: Mapping[str, bytes],
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    scope: Scope,
) -> Report:
    """Return what is to be said of a layer's index files.

    Args:
        files: the bytes of each index file, by name relative to the layer's folder; UTF-8.
        wanted: what is wanted of each valid unit.
        remembered: what is remembered of each unit.
        scope: what else is known, as for `atomic_agents.index.merge.merge`.

    Raises:
        UnicodeDecodeError: a file is not UTF-8.

    """
    known = known_of(wanted, remembered, scope)
    names = sorted(files, key=lambda name: (name != "INDEX.md", name))
    sheets = [read_sheet(name, files[name]) for name in names]
    found = match(sheets, known)
    owned = {row.owner: row for sheet in sheets for row in sheet.rows if row.owner is not None}
    linked = owned.keys() | found.mentioned
    return Report(
        orphans=tuple(sorted(file for file in known.wanted if file not in linked)),
        dead=tuple(one for one in _located(sheets, found.dead) if one[2] not in files),
        duplicates=tuple(_located(sheets, found.seconds)),
        differing=tuple(_differing(owned, known.wanted, scope)),
        ambiguous=tuple(sorted(found.ambiguous)),
        conflicted=tuple(sheet.name for sheet in sheets if _has_conflict(sheet)),
        lines={sheet.name: len(sheet.rows) for sheet in sheets},
        entries=len(owned) + len(found.seconds),
    )


def _located(sheets: Sequence[Sheet], rows: Sequence[tuple[Row, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield where rows stand, in order."""
    named = {id(row): name for row, name in rows}
    for sheet in sheets:
        for number, row in enumerate(sheet.rows, 1):
            if id(row) in named:
                yield sheet.name, number, named[id(row)]


def _differing(owned: Mapping[str, Row], wanted: Mapping[str, Wanted], scope: Scope) -> Iterator[Differing]:
    for file, row in sorted(owned.items()):
        want, entry = wanted.get(file), row.line.entry
        if want is None or entry is None:
            continue
        said = saying(want.title, want.hook, entry.form, scope.settings.max_hook)
        if not says(entry, said):
            if entry.title and entry.title not in {said.title.text, said.title.raw}:
                yield Differing(file, "title", entry.title, want.title)
            if entry.hook not in {said.hook.text, said.hook.raw}:
                yield Differing(file, "hook", entry.hook, want.hook)


def _has_conflict(sheet: Sheet) -> bool:
    return any(row.line.kind is Kind.CONFLICT for row in sheet.rows)
