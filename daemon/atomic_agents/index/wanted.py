"""What INDEX.md shall say of each unit: a function of the layer's units alone ([INDEX-1])."""

from __future__ import annotations

import enum
import posixpath
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final, NamedTuple

from atomic_agents.index.texts import as_hook, as_title, one_line
from atomic_agents.model import Unit

LONGEST: Final = 2000
"""Characters of a field that are looked at; INDEX.md shows far fewer."""

PERSONA: Final = "persona/"
"""`superseded_by` of a unit that was promoted begins with this."""


class Role(enum.StrEnum):
    """The section that a unit belongs to, in the order of the sections."""

    FEEDBACK = "feedback"
    DECISION = "decision"
    USER = "user"
    PROJECT = "project"
    REFERENCE = "reference"
    PAGES = "pages"
    PROMOTED = "promoted"
    ARCHIVE = "archive"

    @property
    def is_retired(self) -> bool:
        """Whether its entries say what became of the unit, and not what it is about."""
        return self in {Role.PROMOTED, Role.ARCHIVE}


class Wanted(NamedTuple):
    """What INDEX.md shall say of one unit.

    A named tuple, since one is made for every unit of a layer at every merge.

    Args:
        file: relative to the layer's folder.
        title: the unit's name on one line.
        hook: what the entry says of it, on one line.
        role: the section that it belongs to now.
        kind: the section that its type has, whatever became of it.
        captured: ISO date; new entries come in this order.
        acts: whether the title or hook would act as structure if it were not escaped.

    """

    file: str
    title: str
    hook: str
    role: Role
    kind: Role
    captured: str = ""
    acts: bool = False


def unescaped_line(want: Wanted) -> str:
    """Return the line that a tool writes for a unit which neither shortens nor escapes.

    Args:
        want: what is wanted of the unit.

    """
    return one_line(f"- [{want.title}]({want.file}) — {want.hook}")


def wanted_of(units: Iterable[Unit], layer_dir: str) -> tuple[Wanted, ...]:
    """Return what INDEX.md shall say of a layer's valid units, in the order in which new entries come.

    An archived unit's date is the day on which the unit that supersedes it was captured, if that is a
    valid unit of the layer, else its own `last_seen`; a promoted one's is its own `last_seen`.

    Args:
        units: the valid units of one layer.
        layer_dir: the layer's folder, relative to the vault.

    """
    by_file = {unit.path.removeprefix(f"{layer_dir}/"): unit for unit in units}
    found = [_wanted(file, unit, by_file) for file, unit in by_file.items()]
    return tuple(sorted(found, key=attrgetter("captured", "file")))


def kind_of(file: str) -> Role | None:
    """Return the section of the type that a note's file name begins with, or None.

    Args:
        file: relative to the layer's folder.

    """
    prefix = posixpath.basename(file).partition("_")[0]
    return _KINDS.get(prefix)


_KINDS: Final[Mapping[str, Role]] = {
    "feedback": Role.FEEDBACK,
    "decision": Role.DECISION,
    "user": Role.USER,
    "project": Role.PROJECT,
    "reference": Role.REFERENCE,
    "wiki_page": Role.PAGES,
}


def _wanted(file: str, unit: Unit, by_file: Mapping[str, Unit]) -> Wanted:
    kind = _KINDS.get(unit.type, Role.PAGES)
    role, hook = _fate(file, unit, by_file) or (kind, one_line(unit.description[:LONGEST]))
    title = one_line(unit.name[:LONGEST]) or one_line(posixpath.basename(file).removesuffix(".md"))
    acts = as_title(title) != title or as_hook(hook) != hook
    return Wanted(file, title, hook, role, kind, unit.captured, acts)


def _fate(file: str, unit: Unit, by_file: Mapping[str, Unit]) -> tuple[Role, str] | None:
    if not unit.superseded_by or not unit.superseded_by.strip():
        return None
    successor = unit.superseded_by.strip()
    if successor.startswith(PERSONA):
        return Role.PROMOTED, one_line(f"promoted {unit.last_seen} from {file}")
    newer = _successor(successor, by_file)
    date = by_file[newer].captured if newer is not None else unit.last_seen
    return Role.ARCHIVE, one_line(f"superseded by {newer or successor[:LONGEST]}, {date}")


def _successor(name: str, by_file: Mapping[str, Unit]) -> str | None:
    """Return the unit that `superseded_by` names, with or without `.md`, folder, anchor or brackets."""
    bare = name.strip("[]").partition("#")[0].partition("|")[0].strip()
    path = posixpath.normpath(bare.removeprefix("memory/").removeprefix("wiki/")) if bare else ""
    return next((file for file in (path, f"{path}.md") if file in by_file), None)
