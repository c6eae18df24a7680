"""Finding and reading the index files of a layer; what is damaged is replaced by what was last good."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from atomic_agents._io import Reading, read_file
from atomic_agents.exceptions import FileTooLargeError, NotRegularFileError
from atomic_agents.index.damage import Damage, damaged, has_conflict, salvage
from atomic_agents.index.gathering import INDEX
from atomic_agents.index.slices import role_of_slice
from atomic_agents.model import Kind
from atomic_agents.vault.ignore import is_content_folder
from atomic_agents.vault.kinds import Layout

LARGEST: Final = 16 << 20
"""Bytes; a larger index file is left alone."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A damaged index file: what happened, and its bytes as they were read."""

    path: str
    damage: Damage
    reading: Reading


@dataclass(slots=True)
class Found:
    """The index files of a layer.

    Args:
        texts: the bytes to start from, by name: as they lie there, or as they were last good.
        readings: the files that lie there and are good, by name.
        broken: the files that lie there and are damaged.
        unreadable: the files that cannot be taken for what they are, by name, with the reason in words.

    """

    texts: dict[str, bytes] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    broken: list[Broken] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """How the index files of a layer are found.

    Args:
        root: the vault's real path.
        layer_dir: the layer's folder, relative to the vault.
        last_good: the last good bytes of each index file, by path relative to the vault.
        has_units: whether there is a unit to index; if not, a missing file is not missed.
        repairs: whether conflict markers count as damage.

    """

    root: Path
    layer_dir: str
    last_good: Mapping[str, bytes]
    has_units: bool = True
    repairs: bool = False

    def run(self, broken: Sequence[Broken] = ()) -> Found:
        """Read the index files.

        Args:
            broken: files that an earlier run found damaged and that were set aside since.

        Raises:
            FileChangedError: one was written to while it was read.
            OSError: the system refuses.

        """
        found = Found()
        for name in sorted({INDEX, *index_names(self.root, self.layer_dir)}):
            self._read(name, found, broken)
        for name in self._lost(found):
            found.texts[name] = self.last_good[self.path(name)]
        return found

    def path(self, name: str) -> str:
        """Return an index file's path relative to the vault."""
        return f"{self.layer_dir}/{name}"

    def real(self, name: str) -> Path:
        """Return where an index file lies; a link is followed only inside the vault ([PATH-2]).

        Raises:
            NotRegularFileError: it is a link that leads out of the vault.

        """
        path = self.root / self.path(name)
        if not path.is_symlink():
            return path
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.root):
            raise NotRegularFileError(f"{path}: a link that leads out of the vault")
        return real

    def _read(self, name: str, found: Found, broken: Sequence[Broken]) -> None:
        try:
            reading = read_file(self.real(name), limit=LARGEST)
        except FileNotFoundError:
            if self.has_units:
                data = next((one.reading.data for one in broken if one.path == self.path(name)), None)
                self._restore(name, data, found)
            return
        except (NotRegularFileError, FileTooLargeError) as error:
            found.unreadable[name] = str(error)
            return
        damage = damaged(reading.data, self.last_good.get(self.path(name)))
        if damage is None and self.repairs and has_conflict(reading.data):
            damage = Damage.CONFLICT
        if damage is None:
            found.readings[name] = reading
            found.texts[name] = reading.data
        else:
            found.broken.append(Broken(self.path(name), damage, reading))
            self._restore(name, reading.data, found)

    def _restore(self, name: str, data: bytes | None, found: Found) -> None:
        """Begin with the last good version, or with what an older encoding can be read as."""
        text = self.last_good.get(self.path(name))
        if text is None and data is not None:
            text = salvage(data)
        if text is not None:
            found.texts[name] = text

    def _lost(self, found: Found) -> Iterator[str]:
        """Yield the sub-indexes of a split that are gone though some index file still leads to them."""
        names = (path.removeprefix(f"{self.layer_dir}/") for path in self.last_good)
        missing = [name for name in names if name not in found.texts]
        for name in missing if self.has_units else ():
            link = f"]({name})".encode()
            if role_of_slice(name) is not None and any(link in text for text in found.texts.values()):
                yield name


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
            entries = list(os.scandir(root / layer_dir / folder))
        except FileNotFoundError:
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("INDEX") and layout.place(f"{layer_dir}/{name}").kind is Kind.INDEX:
                yield name
            elif entry.is_dir(follow_symlinks=False):
                stack += [name] if is_content_folder(entry.name) else []
