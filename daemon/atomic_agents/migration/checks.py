"""What has to be true of a vault's units before, during and after a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from atomic_agents._schema import SchemaSet, validate_frontmatter
from atomic_agents.exceptions import (
    MigrationBusyError,
    MigrationError,
    SchemaValidationError,
    UnitsUnreadableError,
)
from atomic_agents.migration.contents import Contents, unwritable_folders
from atomic_agents.migration.exclusion import BUSY
from atomic_agents.migration.heads import read_head
from atomic_agents.migration.listing import Listing, UnitFile, shown
from atomic_agents.migration.marker import is_alive
from atomic_agents.migration.readings import version_of
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.sheet import Progress
from atomic_agents.migration.unit import UnreadableUnitError

_BLOCK: Final = 4096
_TELL_EVERY: Final = 256
_T = TypeVar("_T")


def least_version(contents: Contents, units: Sequence[UnitFile]) -> int | None:
    """Return the least version that a unit which can be read names; None when none does (seed MUST 1)."""
    told: dict[int, list[UnitFile]] = {}
    for unit in units:
        version = read_head(unit.path)
        version = _parsed_version(contents, unit) if version is None else version
        if version is not None:
            told.setdefault(version, []).append(unit)
    for version in sorted(told):
        if any(_parsed_version(contents, unit) == version for unit in told[version]):
            return version
    return None


def _parsed_version(contents: Contents, unit: UnitFile) -> int | None:
    try:
        return version_of(contents.read(unit.path))
    except UnreadableUnitError:
        return None


def unreadable(contents: Contents, listing: Listing, progress: Progress) -> dict[str, str]:
    """Return every unit that cannot be read or replaced, and why; paths relative to the vault."""
    found = {shown(contents.root, path): reason for path, reason in listing.unknown.items()}
    for count, unit in enumerate(listing.units):
        if count % _TELL_EVERY == 0:
            progress("read", count, len(listing.units))
        try:
            contents.read(unit.path)
        except UnreadableUnitError as error:
            found[shown(contents.root, unit.path)] = str(error)
    for folder in unwritable_folders(listing.units):
        found[shown(contents.root, folder)] = "nothing can be written in this folder"
    progress("read", len(listing.units), len(listing.units))
    return found


def readable_units(contents: Contents, progress: Progress) -> list[UnitFile]:
    """Return all units, each of them read (contract [M-1]).

    Raises:
        UnitsUnreadableError: some cannot be read or replaced; the message names every one.

    """
    listing = contents.list()
    found = unreadable(contents, listing, progress)
    if found:
        told = "\n".join(f"  {path}: {reason}" for path, reason in sorted(found.items()))
        raise UnitsUnreadableError(
            f"{len(found)} units cannot be read or replaced; nothing was touched:\n{told}",
            hint="mend them, or move them out of the vault's layers, and try again",
        )
    return listing.units


def units_outside(root: Path, scope: Scope, units: Sequence[UnitFile]) -> list[str]:
    """Return the units, relative to the vault, that a snapshot does not hold by itself."""
    cut = len(str(root).rstrip("/")) + 1
    paths = (unit.path[cut:] for unit in units)
    return [path for path in paths if not scope.reaches(path)]


def faults(
    contents: Contents, units: Sequence[UnitFile], schemas: SchemaSet, version: int
) -> list[dict[str, str]]:
    """Return what keeps units from being valid at a version."""
    found = []
    for unit in units:
        try:
            validate_frontmatter(contents.read(unit.path), unit.kind, schemas, version=version)
        except (SchemaValidationError, UnreadableUnitError) as error:
            found.append({"unit_id": unit.path, "error": str(error)})
    return found


def refuse_if_alive(root: Path, *, is_ours: bool) -> None:
    """Refuse when another process's run goes on although its lock file was free (removed while held).

    Raises:
        MigrationBusyError: one does.

    """
    if not is_ours and is_alive(root):
        raise MigrationBusyError(
            f"{BUSY} (its lock file was removed or replaced, but it holds its run mark)",
            hint="wait until it is done; keep cleaners and sync tools away from the vault's lock file",
        )


def refuse_without_room(root: Path, units: Sequence[UnitFile]) -> None:
    """Refuse when the disk could not hold every unit twice: a rollback needs that at the worst time.

    Raises:
        MigrationError: there is too little room.

    """
    needed = sum(-(-unit.size // _BLOCK) * _BLOCK for unit in units)
    state = os.statvfs(root)
    free = state.f_bavail * state.f_frsize
    if free < needed:
        raise MigrationError(
            f"vault {root}: {free} bytes free, {needed} needed so that a rollback is possible",
            hint="make room and try again; nothing was changed",
        )


def told(action: Callable[[], _T]) -> _T:
    """Do something to the disk; a refusal of the system is told as an error of ours.

    Raises:
        MigrationError: the system refuses.

    """
    try:
        return action()
    except OSError as error:
        raise MigrationError(
            f"{error.filename or 'disk'}: {error.strerror or error}; nothing was changed",
            hint="make room or mend its permissions, and try again",
        ) from error
