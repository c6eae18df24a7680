"""Which units a vault has: each physical one once, under its real path (seed MUST 2; contract [M-1])."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from atomic_agents.migration.unit import UnitType
from atomic_agents.model import Kind, printable
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey, walk


class UnitFile(NamedTuple):
    """A unit: the absolute real path of its file, its layer, and its size in bytes."""

    path: str
    unit_type: UnitType
    size: int

    @property
    def kind(self) -> Kind:
        """Its kind, as schemas name it."""
        return Kind.NOTE if self.unit_type == "memory" else Kind.WIKI


@dataclass(slots=True)
class Listing:
    """Every unit, in path order, and what cannot be looked at (path relative to the vault → why)."""

    units: list[UnitFile] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)


def list_units(root: Path, layout: Layout) -> Listing:
    """Return the vault's units; INDEX files never are (seed MUST 2).

    Args:
        root: the vault's real path.
        layout: how its paths are read.

    """
    survey, found = Survey(), Listing()
    found.units = list(_units(root, walk(root, layout, survey)))
    for path, error in survey.unreadable.items():
        found.unknown[path or "."] = error.strerror or str(error)
    for path in survey.away:
        if layout.place(path).kind.is_unit:
            found.unknown[path] = "a cloud placeholder; its bytes are not here"
    return found


def linked_names(root: Path, layout: Layout) -> dict[tuple[int, int], list[str]]:
    """Return the real paths of files that have several names, by device and inode.

    Args:
        root: the vault's real path.
        layout: how its paths are read.

    """
    survey = Survey()
    for _found in walk(root, layout, survey):
        continue
    names: dict[tuple[int, int], list[str]] = {}
    for folder in {os.path.realpath(root / folder) for folder in survey.folders}:
        with os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                    names.setdefault((status.st_dev, status.st_ino), []).append(entry.path)
    return names


def _units(root: Path, walked: Iterator[Found]) -> Iterator[UnitFile]:
    base = str(root).rstrip("/")
    real_folders: dict[str, str] = {}
    for found in walked:
        if not found.place.kind.is_unit:
            continue
        path = f"{base}/{found.place.path}"
        unit_type: UnitType = "memory" if found.place.kind is Kind.NOTE else "wiki"
        real = _real(path, real_folders)
        yield UnitFile(real, unit_type, found.stamp.size)


def _real(path: str, folders: dict[str, str]) -> str:
    folder, name = path.rsplit("/", 1)
    real = folders.get(folder)
    if real is None:
        real = folders[folder] = os.path.realpath(folder)
    full = f"{real}/{name}"
    return os.path.realpath(full) if os.path.islink(full) else full  # noqa: PTH114 - once for every unit


def shown(root: Path, path: str) -> str:
    """Return a unit's path as messages say it: relative to the vault, safe to print."""
    return printable(os.path.relpath(path, root) if path.startswith("/") else path)
