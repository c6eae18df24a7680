"""The vault's units as a run reads and writes them: one cache, one group of writes (seed MUST 3)."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from atomic_agents.migration.listing import Listing, UnitFile, linked_names, list_units
from atomic_agents.migration.readings import Readings
from atomic_agents.migration.unit import MigratableUnit, UnreadableUnitError, UnwritableUnitError
from atomic_agents.migration.writing import GroupWriter, Staged, ignore_group
from atomic_agents.units.splicing import rewrite
from atomic_agents.vault.kinds import Layout

_log = logging.getLogger(__name__)


class Written(Protocol):
    """What was written to a unit."""

    @property
    def expected(self) -> os.stat_result:
        """The status of the bytes that it was made from."""

    @property
    def status(self) -> os.stat_result:
        """The status that the file will have."""

    @property
    def data(self) -> bytes:
        """The bytes."""


class Writer(Protocol):
    """Where writes go: the disk, or a copy in memory."""

    @property
    def is_full(self) -> bool:
        """Whether `settle` should come now."""

    def pending(self, path: str) -> Written | None:
        """Return what was written to a path and is not in place."""

    def write(
        self, path: str, data: bytes, expected: os.stat_result, twins: tuple[str, ...] = ()
    ) -> os.stat_result:
        """Take new bytes for a file."""

    def settle(self) -> None:
        """Put everything in place."""

    def drop(self) -> None:
        """Forget what is not in place."""


class Contents:
    """Reads and writes units.

    Outside of a group a write is durable when it returns; within one it is when `settle` does.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        writer: where writes go; None is the disk.
        opened: what is read and changed for a file's bytes.

    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        *,
        writer: Writer | None = None,
        opened: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self.root = root
        self.layout = layout
        self._readings = Readings(opened)
        self._writer: Writer = writer or GroupWriter(secrets.token_hex(4))
        self._is_grouping = False
        self._linked: dict[tuple[int, int], list[str]] | None = None

    def list(self) -> Listing:
        """Return the units that are there now."""
        listing = list_units(self.root, self.layout)
        self._readings.expect(sum(unit.size for unit in listing.units))
        return listing

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
            SpliceError: the values cannot be written so that they read back the same.
            UnreadableUnitError: it cannot be read.
            UnwritableUnitError: the system refuses; it is as it was.

        """
        staged = self._writer.pending(path)
        if staged is None:
            whole = self._readings.whole(path)
            status = whole.status
        else:
            whole = self._readings.pending(path, staged.data, staged.status)
            status = staged.expected
        changed = rewrite(whole.reading, meta)
        if changed is whole.reading:
            return
        try:
            written = self._writer.write(path, changed.data, status, self._twins(path, status))
        except OSError as error:
            raise UnwritableUnitError(
                f"unit {path}: cannot be written ({error.strerror or error})",
                hint="make room or mend its permissions, and try again",
            ) from error
        self._readings.take(path, changed, written)
        if not self._is_grouping:
            self._linked = None
            self.settle()

    def _twins(self, path: str, status: os.stat_result) -> tuple[str, ...]:
        """Return the other names that a unit's file has in the vault."""
        if status.st_nlink == 1:
            return ()
        if self._linked is None:
            self._linked = linked_names(self.root, self.layout)
        names = self._linked.get((status.st_dev, status.st_ino), [])
        return tuple(name for name in names if name != path)

    def begin_group(self, token: str, announce: Callable[[Sequence[Staged]], None]) -> None:
        """Let writes share their waits for the disk until `end_group`.

        Args:
            token: eight hex digits in the names of temporary files.
            announce: takes note, durably, of what is about to be put in place.

        """
        self._writer = GroupWriter(token, announce)
        self._is_grouping = True
        self._linked = None

    def settle_if_full(self) -> None:
        """Put a group in place when it is large enough."""
        if self._writer.is_full:
            self.settle()

    def settle(self) -> None:
        """Put every write in place, durable.

        Raises:
            UnwritableUnitError: the system refuses; units before that one are replaced.
            FileChangedError: somebody else wrote to a unit meanwhile; it keeps what they wrote.

        """
        try:
            self._writer.settle()
        except OSError as error:
            raise UnwritableUnitError(
                f"unit {error.filename or '(unknown)'}: cannot be put in place ({error.strerror or error})"
            ) from error

    def end_group(self) -> None:
        """Drop what was not put in place; writes are durable one by one again.

        A temporary file that cannot be removed now is removed by the next start.
        """
        try:
            self._writer.drop()
        except OSError as error:
            _log.warning("a temporary file could not be removed: %s", error)
        self._writer = GroupWriter(secrets.token_hex(4), ignore_group)
        self._is_grouping = False


class Handles(Collection[MigratableUnit]):
    """The handles of many units, each made when it is asked for.

    Args:
        contents: reads and writes them.
        units: which.

    """

    def __init__(self, contents: Contents, units: Sequence[UnitFile]) -> None:
        self._contents = contents
        self._units = units

    def __len__(self) -> int:
        return len(self._units)

    def __iter__(self) -> Iterator[MigratableUnit]:
        return map(self._contents.handle, self._units)

    def __contains__(self, unit: object) -> bool:
        return any(unit == handle for handle in self)


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
