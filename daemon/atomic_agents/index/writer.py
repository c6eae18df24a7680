"""Reading, merging and writing a layer's index files, never over what somebody wrote meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from atomic_agents._io import Reading, create_file, read_file, replace_file
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.index.damage import Damage, damaged, salvage
from atomic_agents.index.merge import INDEX, Merged, Notice, Scope, merge
from atomic_agents.index.wanted import Wanted
from atomic_agents.model import Kind
from atomic_agents.store.entries import Remembered
from atomic_agents.vault.ignore import is_content_folder
from atomic_agents.vault.kinds import Layout

TRIES: Final = 5
LARGEST: Final = 16 << 20
"""Bytes; a larger index file is left alone."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A damaged index file: what happened, and its bytes as they were read."""

    path: str
    damage: Damage
    reading: Reading


SetAside = Callable[[Broken], None]
"""Moves a damaged index file out of the way, into quarantine."""

Intend = Callable[[Mapping[str, Remembered]], None]
"""Makes durable what will be remembered, before the first file is written: a kill may come in between."""


@dataclass(frozen=True, slots=True)
class Written:
    """An index file that was written: its path relative to the vault, its bytes and its status."""

    path: str
    data: bytes
    status: os.stat_result


@dataclass(frozen=True, slots=True)
class Updated:
    """The outcome of an update.

    Args:
        written: the files that were written, in order.
        remembered: what is to be remembered of each unit; what came in, if nothing could be settled.
        notices: what the operator should know of.
        removed: units whose entries went.
        broken: files that were rebuilt because they were damaged.
        gave_up: somebody wrote the files again and again; the next sweep tries again.
        read: the bytes of each file that was there and good, by path: what history keeps.

    """

    written: tuple[Written, ...]
    remembered: Mapping[str, Remembered]
    notices: tuple[Notice, ...] = ()
    removed: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    gave_up: bool = False
    read: Mapping[str, bytes] = field(default_factory=dict)


def update_layer(
    root: Path,
    scope: Scope,
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    *,
    last_good: Mapping[str, bytes],
    set_aside: SetAside,
    intend: Intend,
) -> Updated:
    """Bring a layer's index files up to date. The caller holds the vault's lock.

    Files are read, merged, and replaced only if they are still as they were read; else all starts anew, a
    few times. Sub-indexes are written before INDEX.md, so that a line that moves is never in neither.

    Args:
        root: the vault's real path.
        scope: what the merge is about.
        wanted: what is wanted of each valid unit, in the order in which new entries come.
        remembered: what was remembered after the last update.
        last_good: the last good bytes of each index file, by path relative to the vault.
        set_aside: called for a damaged file, before it is written anew.
        intend: called with what will be remembered, before files are written.

    Raises:
        OSError: the system refuses to read or write.

    """
    broken: list[Broken] = []
    attempt = partial(_Attempt, root, scope, wanted, last_good=last_good, set_aside=set_aside, intend=intend)
    if not (root / scope.layer_dir).is_dir():
        return Updated((), remembered)
    for _ in range(TRIES):
        try:
            return attempt(broken=broken).run(remembered)
        except (FileChangedError, FileNotFoundError):
            continue
    return Updated((), remembered, broken=tuple(broken), gave_up=True)


def index_names(root: Path, layer_dir: str) -> Iterator[str]:
    """Yield the index files of a layer, relative to its folder.

    Args:
        root: the vault's real path.
        layer_dir: the layer's folder, relative to the vault.

    """
    layout = Layout()
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(root / layer_dir / folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                stack += [name] if is_content_folder(entry.name) else []
            elif layout.place(f"{layer_dir}/{name}").kind is Kind.INDEX:
                yield name


class _Attempt:
    """One try: what was read belongs to it alone."""

    def __init__(
        self,
        root: Path,
        scope: Scope,
        wanted: Sequence[Wanted],
        *,
        last_good: Mapping[str, bytes],
        set_aside: SetAside,
        intend: Intend,
        broken: list[Broken],
    ) -> None:
        self._root = root
        self._scope = scope
        self._wanted = wanted
        self._last_good = last_good
        self._set_aside = set_aside
        self._intend = intend
        self._broken = broken
        self._readings: dict[str, Reading] = {}
        self._texts: dict[str, bytes] = {}
        self._notices: list[Notice] = []

    def run(self, remembered: Mapping[str, Remembered]) -> Updated:
        for name in sorted({INDEX, *index_names(self._root, self._scope.layer_dir)}):
            self._read(name)
        if self._notices:
            return Updated((), remembered, tuple(self._notices), broken=tuple(self._broken))
        merged = merge(self._texts, self._wanted, remembered, self._scope)
        if merged.files or self._texts.keys() - self._readings.keys():
            self._intend(merged.remembered)
        return Updated(
            written=tuple(self._write(merged)),
            remembered=merged.remembered,
            notices=merged.notices,
            removed=merged.removed,
            broken=tuple(self._broken),
            read={self._path(name): reading.data for name, reading in self._readings.items()},
        )

    def _read(self, name: str) -> None:
        try:
            reading = read_file(self._real(name), limit=LARGEST)
        except FileNotFoundError:
            if self._wanted:
                self._restore(name, self._broken_data(name))
            return
        except (NotRegularFileError, FileTooLargeError) as error:
            self._notices.append(Notice("unreadable", name, str(error)))
            return
        damage = damaged(reading.data, self._last_good.get(self._path(name)))
        if damage is None:
            self._readings[name] = reading
            self._texts[name] = reading.data
            return
        broken = Broken(self._path(name), damage, reading)
        self._set_aside(broken)
        self._broken.append(broken)
        self._restore(name, reading.data)

    def _broken_data(self, name: str) -> bytes | None:
        """Return the bytes that an earlier try set aside."""
        return next((one.reading.data for one in self._broken if one.path == self._path(name)), None)

    def _restore(self, name: str, data: bytes | None) -> None:
        """Begin with the last good version, or with what an older encoding can be read as."""
        text = self._last_good.get(self._path(name))
        if text is None and data is not None:
            text = salvage(data)
        if text is not None:
            self._texts[name] = text

    def _write(self, merged: Merged) -> Iterator[Written]:
        wanted = {**self._texts, **merged.files}
        for name in sorted(wanted, key=lambda name: (name == INDEX, name)):
            reading, data = self._readings.get(name), wanted[name]
            if reading is None:
                yield self._create(name, data)
            elif reading.data != data:
                status = replace_file(self._real(name), data, expected=reading.status)
                yield Written(self._path(name), data, status)

    def _create(self, name: str, data: bytes) -> Written:
        path = self._root / self._path(name)
        if not create_file(path, data):
            raise FileChangedError(f"{path}: came while it was made")
        return Written(self._path(name), data, os.stat(path, follow_symlinks=False))

    def _path(self, name: str) -> str:
        return f"{self._scope.layer_dir}/{name}"

    def _real(self, name: str) -> Path:
        """Return where an index file lies; a link is followed only inside the vault ([PATH-2])."""
        path = self._root / self._path(name)
        if not path.is_symlink():
            return path
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self._root):
            raise NotRegularFileError(f"{path}: a link that leads out of the vault")
        return real
