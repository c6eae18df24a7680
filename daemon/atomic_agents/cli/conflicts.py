"""`atomicd conflicts`: what sync tools and git left to be merged, with the differences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.diffs import MAX_BYTES, print_diff, unified
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.cli.weighing import Beside
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Place, printable
from atomic_agents.quarantine import Incidents
from atomic_agents.units import read
from atomic_agents.units.filenames import find_original
from atomic_agents.units.texts import find_conflict
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout, walk

SYNC: Final = "sync-conflict"
MARKERS: Final = "conflict-markers"

_EPILOG: Final = """\b
Examples:
  atomicd conflicts
  atomicd conflicts --no-diff
\b
Exit status: 0 none, 1 some, 2 wrong usage.
"""


@dataclass(frozen=True)
class Conflict:
    """Two versions that nobody merged yet.

    Args:
        kind: `sync-conflict` or `conflict-markers`.
        path: the copy, or the file with the markers, relative to the vault.
        file: where its bytes lie.
        original: the file it is a copy of, relative to the vault.
        line: of the first marker.
        incident: the incident that holds it, if it was moved to quarantine.

    """

    kind: str
    path: str
    file: Path
    original: str | None = None
    line: int | None = None
    incident: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return its shape for programs."""
        return {
            "kind": self.kind,
            "path": printable(self.path),
            "original": printable(self.original) if self.original else None,
            "line": self.line,
            "incident": self.incident,
        }


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--diff/--no-diff", "with_diff", default=True, help="Show how copy and original differ.")
def conflicts(choices: Choices, as_json: bool, with_diff: bool) -> int:
    """List conflict copies with their originals, and files with git's conflict markers."""
    root = choices.root()
    layout = read_layout(root, choices.load().vault.ignore)
    found = [*_in_vault(root, layout), *_in_quarantine(root, layout)]
    if as_json:
        print_json([_with_diff(root, one) if with_diff else one.as_json() for one in found])
    else:
        _show(root, found, with_diff=with_diff)
    return 1 if found else 0


def _in_vault(root: Path, layout: Layout) -> Iterator[Conflict]:
    schemas = SchemaSet.of_vault(root)
    neighbours = Beside(root)
    for found in walk(root, layout, Survey()):
        place = found.place
        if not place.kind.is_unit:
            continue
        name = place.path.rpartition("/")[2]
        original = None
        if schemas.parse_name(name, place.kind) is None:
            original = find_original(place, schemas, neighbours)
        if original is not None:
            yield Conflict(SYNC, place.path, root / place.path, _beside(place, original))
        elif (line := _marker(root / place.path)) is not None:
            yield Conflict(MARKERS, place.path, root / place.path, line=line)


def _in_quarantine(root: Path, layout: Layout) -> Iterator[Conflict]:
    incidents = Incidents(root)
    schemas = SchemaSet.of_vault(root)
    neighbours = Beside(root)
    for incident in incidents.all():
        codes = {problem.code: problem for problem in incident.problems} if incident.is_open else {}
        file = incidents.file_of(incident)
        if SYNC in codes:
            place = Layout(root_is_agent=layout.root_is_agent).place(incident.path)
            original = find_original(place, schemas, neighbours)
            beside = _beside(place, original) if original is not None else None
            yield Conflict(SYNC, incident.path, file, beside, incident=incident.id)
        elif MARKERS in codes:
            yield Conflict(MARKERS, incident.path, file, line=codes[MARKERS].line, incident=incident.id)


def _beside(place: Place, name: str) -> str:
    return f"{place.path.rpartition('/')[0]}/{name}"


def _marker(file: Path) -> int | None:
    """Return the line of git's first conflict marker in a file that can be read."""
    data = _bytes(file)
    if data is None or b"\n>>>>>>>" not in data:
        return None
    reading = read(data)
    offset = find_conflict(reading)
    return None if offset is None else reading.text.count("\n", 0, offset) + 1


def _bytes(file: Path) -> bytes | None:
    try:
        return read_file(Path(os.path.realpath(file)), limit=MAX_BYTES).data
    except (OSError, AtomicAgentsError):
        return None


def _diff(root: Path, conflict: Conflict) -> list[str]:
    if conflict.original is None:
        return []
    original, copy = _bytes(root / conflict.original), _bytes(conflict.file)
    if original is None or copy is None:
        return [f"{printable(conflict.original)}: cannot be read, so nothing is compared"]
    return unified(original, copy, (conflict.original, conflict.path))


def _with_diff(root: Path, conflict: Conflict) -> dict[str, Any]:
    return conflict.as_json() | {"diff": _diff(root, conflict)}


def _show(root: Path, found: list[Conflict], *, with_diff: bool) -> None:
    for conflict in found:
        say(conflict.path, bold=True)
        if conflict.incident is not None:
            say(f"  in quarantine: {conflict.incident}")
        if conflict.kind == MARKERS:
            say(f"  line {conflict.line}: git's conflict markers; keep one side and delete the three lines")
            continue
        say(f"  a copy of {conflict.original}; merge what is missing into that and delete the copy")
        if with_diff:
            print_diff(_diff(root, conflict) or ["  both hold the same bytes"])
    say(f"{len(found)} conflicts" if found else "No conflicts.", colour=None if found else "green")
