"""The vault's units as a run reads and writes them: one cache, one group of writes (seed MUST 3)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from atomic_agents.exceptions import MigrationError
from atomic_agents.migration.listing import Listing, UnitFile, list_units
from atomic_agents.migration.readings import Readings, UnreadableUnitError, read_bytes
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.writing import GroupWriter, Staged, ignore_group
from atomic_agents.units.splice import write_meta
from atomic_agents.vault.kinds import Layout


class Contents:
    """Reads and writes units.

    Outside of a group a write is durable when it returns; within one it is when `settle` does.

    Args:
        root: the vault's real path.
        layout: how its paths are read.

    """

    def __init__(self, root: Path, layout: Layout) -> None:
        self.root = root
        self.layout = layout
        self._readings = Readings()
        self._writer = GroupWriter(secrets.token_hex(4))
        self._is_grouping = False

    def list(self) -> Listing:
        """Return the units that are there now."""
        return list_units(self.root, self.layout)

    def handle(self, unit: UnitFile) -> MigratableUnit:
        """Return what a script gets for a unit."""
        access = _Access(self, unit.path)
        return MigratableUnit(unit.path, unit.unit_type, False, access.read, access.write)  # noqa: FBT003

    def read(self, path: str) -> dict[str, Any]:
        """Return a unit's frontmatter, a new mapping each time.

        Raises:
            UnreadableUnitError: it cannot be read.

        """
        staged = self._writer.pending(path)
        if staged is not None:
            return self._readings.recall(path, staged.data, staged.status)
        return self._readings.meta(path)

    def write(self, path: str, meta: dict[str, Any]) -> None:
        """Change a unit's frontmatter and nothing else of its bytes (contract [WRITE-1]).

        Raises:
            MigrationError: it cannot be read, expressed or written; it is as it was.

        """
        staged = self._writer.pending(path)
        data, status = (staged.data, staged.expected) if staged is not None else read_bytes(path)
        changed = write_meta(data, meta)
        if changed == data:
            return
        try:
            written = self._writer.write(path, changed, status)
        except OSError as error:
            raise MigrationError(f"unit {path}: cannot be written ({error.strerror or error})") from error
        self._readings.learn(path, changed, written)
        if not self._is_grouping:
            self.settle()

    def begin_group(self, token: str, announce: Callable[[Sequence[Staged]], None]) -> None:
        """Let writes share their waits for the disk until `end_group`.

        Args:
            token: eight hex digits in the names of temporary files.
            announce: takes note, durably, of what is about to be put in place.

        """
        self._writer = GroupWriter(token, announce)
        self._is_grouping = True

    def settle_if_full(self) -> None:
        """Put a group in place when it is large enough."""
        if self._writer.is_full:
            self.settle()

    def settle(self) -> None:
        """Put every write in place, durable.

        Raises:
            MigrationError: the system refuses, or somebody else wrote to a unit meanwhile.

        """
        try:
            self._writer.settle()
        except OSError as error:
            raise MigrationError(
                f"unit {error.filename or ''}: cannot be put in place ({error.strerror or error})"
            ) from error

    def end_group(self) -> None:
        """Drop what was not put in place; writes are durable one by one again."""
        self._writer.drop()
        self._writer = GroupWriter(secrets.token_hex(4), ignore_group)
        self._is_grouping = False

    def forget(self) -> None:
        """Forget what was read: the files may be others now."""
        self._readings.forget()


class _Access:
    """One unit's reading and writing, small enough to have a hundred thousand of."""

    __slots__ = ("_contents", "_path")

    def __init__(self, contents: Contents, path: str) -> None:
        self._contents = contents
        self._path = path

    def read(self) -> dict[str, Any]:
        try:
            return self._contents.read(self._path)
        except UnreadableUnitError as error:
            raise UnreadableUnitError(f"unit {self._path}: {error}", hint=error.hint) from error

    def write(self, meta: dict[str, Any]) -> None:
        self._contents.write(self._path, meta)


def unwritable_folders(units: Sequence[UnitFile]) -> list[str]:
    """Return the folders of units in which nothing can be written."""
    folders = {unit.path.rpartition("/")[0] for unit in units}
    return sorted(folder for folder in folders if not os.access(folder, os.W_OK | os.X_OK))
