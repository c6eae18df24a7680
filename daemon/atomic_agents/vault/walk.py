"""Walking a vault: every file that may be content, each physical unit once (contract [PATH-1], [PATH-2])."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import VaultMissingError
from atomic_agents.model import Kind, Place, Stamp
from atomic_agents.vault.ignore import placeholder_for
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.links import WALKED, is_canonical, why_not_followed
from atomic_agents.vault.root import find_root, read_layout

__all__ = ["Found", "Survey", "find_root", "is_canonical", "read_layout", "stamp_of", "walk"]

_WHAT: Final = {
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
}
_DATALESS: Final = 0x40000000
"""macOS `SF_DATALESS`: the file's bytes lie with a cloud provider, and opening it fetches them."""


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file on the way: its place and how it looks from outside."""

    place: Place
    stamp: Stamp


@dataclass
class Survey:
    """What a walk met besides files.

    Args:
        folders: every folder entered, relative, parents first; "" is the root.
        unreadable: folders that could not be listed and files that could not be looked at, with the
            reason: they and what lies below them are unknown, not gone.
        odd: paths of content that are no regular files (FIFO, socket, device, folder named like a note,
            link that leads out of the vault or nowhere), with what they are.
        away: units and indexes that a cloud placeholder stands for: present, but not to be read.

    """

    folders: list[str] = field(default_factory=list)
    unreadable: dict[str, OSError] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)

    def knows(self, path: str) -> bool:
        """Whether the walk could have seen this path: neither it nor a folder above it was unreadable."""
        if not self.unreadable:
            return True
        if "" in self.unreadable:
            return False
        parts = path.split("/")
        return not any("/".join(parts[:depth]) in self.unreadable for depth in range(1, len(parts) + 1))


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a stat result."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)


def walk(
    root: Path,
    layout: Layout,
    survey: Survey,
    *,
    below: str = "",
    entering: Callable[[str], None] | None = None,
) -> Iterator[Found]:
    """Yield the files that may be content, depth first, in path order within each folder.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        survey: filled with what else was met.
        below: only this folder, relative; "" is all. No link may lie on it.
        entering: called with each folder before it is listed, so that a watch on it comes first.

    Raises:
        VaultMissingError: the root is not there: that is no empty vault.

    """
    yield from _Walk(root, layout, survey, entering).run(below)


@dataclass
class _Walk:
    root: Path
    layout: Layout
    survey: Survey
    entering: Callable[[str], None] | None
    seen: set[tuple[int, int]] = field(default_factory=set)

    def run(self, below: str) -> Iterator[Found]:
        stack = [(below, False)]
        while stack:
            folder, behind = stack.pop()
            inner: list[tuple[str, bool]] = []
            for entry in self._enter(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                yield from self._look(entry, path, behind, inner)
            stack.extend(reversed(inner))

    def _enter(self, folder: str) -> list[os.DirEntry[str]]:
        if self.entering is not None:
            self.entering(folder)
        try:
            entries = _listing(self.root, folder)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not folder:
                raise VaultMissingError(f"vault {self.root}: not there") from error
            return []
        except OSError as error:
            self.survey.unreadable[folder] = error
            return []
        self.survey.folders.append(folder)
        return entries

    def _look(
        self, entry: os.DirEntry[str], path: str, behind: bool, inner: list[tuple[str, bool]]
    ) -> Iterator[Found]:
        """Yield the file, or add the folder to `inner`; `behind` says that a link lies above."""
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                if not self._is_followed(path):
                    return
                status, behind = os.stat(self.root / path), True
        except FileNotFoundError:
            return
        except OSError as error:
            self.survey.unreadable[path] = error
            return
        if stat.S_ISDIR(status.st_mode):
            if self._is_entered(path, status, behind):
                inner.append((path, behind))
        elif (place := self._take(entry.name, path, status)) and self._is_first(place, status, behind):
            yield Found(place, stamp_of(status))

    def _is_followed(self, path: str) -> bool:
        reason = why_not_followed(self.root, self.layout, path)
        if reason is not None and reason != WALKED and self._is_wanted(path):
            self.survey.odd[path] = reason
        return reason is None

    def _is_wanted(self, path: str) -> bool:
        if self.layout.place(path).kind.is_unit:
            return True
        return self.layout.enters(path) and self.layout.watches(path) and (self.root / path).is_dir()

    def _is_entered(self, path: str, status: os.stat_result, behind: bool) -> bool:
        if self.layout.place(path).kind.is_unit:
            self.survey.odd[path] = "folder"
        return self.layout.enters(path) and not (behind and self._is_seen(status))

    def _take(self, name: str, path: str, status: os.stat_result) -> Place | None:
        """Return the place of a regular file whose bytes are here; tell about others."""
        place = self.layout.place(path)
        if not stat.S_ISREG(status.st_mode):
            if place.layer is not None:
                self.survey.odd[path] = _WHAT.get(stat.S_IFMT(status.st_mode), "no regular file")
            return None
        if _is_dataless(status):
            self._keep_away(place)
            return None
        if target := placeholder_for(name):
            self._keep_away(self.layout.place(path[: -len(name)] + target))
        return place

    def _keep_away(self, place: Place) -> None:
        if place.kind.is_unit or place.kind is Kind.INDEX:
            self.survey.away.add(place.path)

    def _is_first(self, place: Place, status: os.stat_result, behind: bool) -> bool:
        """Whether this is no second name of a unit that came already; other files may have many names."""
        is_alone = status.st_nlink == 1 and not behind
        return is_alone or not place.kind.is_unit or not self._is_seen(status)

    def _is_seen(self, status: os.stat_result) -> bool:
        identity = (status.st_dev, status.st_ino)
        if identity in self.seen:
            return True
        self.seen.add(identity)
        return False


def _listing(root: Path, folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(root / folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _is_dataless(status: os.stat_result) -> bool:
    flags: int = getattr(status, "st_flags", 0)
    return bool(flags & _DATALESS) and status.st_size > 0 and status.st_blocks == 0
