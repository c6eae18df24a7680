"""What a change of a path means to the worker: events are hints, the disk is asked."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from atomic_agents.intake.events import Event, FolderGone, LayoutChanged, SweepWanted
from atomic_agents.intake.telling import tell_file, tell_folder
from atomic_agents.vault.kinds import AGENT_FOLDERS, Layout


class FolderWatches(Protocol):
    """The watches that are kept in step with the folders."""

    def is_watched(self, folder: str) -> bool:
        """Whether a folder is watched under this name."""

    def watch(self, folder: str) -> None:
        """Watch a folder, unless it is watched or cannot matter."""

    def watch_again(self, folder: str) -> bool:
        """Watch what has this name now; return whether that was watched under this name already."""

    def forget_below(self, folder: str) -> None:
        """End the watches of a folder and of all below it."""


class Changes:
    """Turns changes into what the worker has to look at.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        watches: changed as folders come and go.

    """

    def __init__(self, root: Path, layout: Layout, watches: FolderWatches) -> None:
        self._root = root
        self._layout = layout
        self._watches = watches

    def of_folder(self, path: str, *, came: bool, went: bool) -> Iterator[Event]:
        """Yield what it means that a folder came, went or got other rights.

        Args:
            path: relative; its parent is entered.
            came: it was made, or moved here.
            went: it was deleted, or moved away.

        """
        if path in AGENT_FOLDERS and self._root_is_agent() != self._layout.root_is_agent:
            yield LayoutChanged()
        if not self._concerns(path):
            return
        if went:
            yield from self.gone(path)
        elif came or not self._watches.is_watched(path):
            yield from self._came(path)

    def of_file(self, path: str, *, came: bool, went: bool) -> Iterator[Event]:
        """Yield what a change of anything but a folder means; it may be a link to one.

        Args:
            path: relative.
            came: it was made, or moved here.
            went: it was deleted, or moved away.

        """
        event = tell_file(self._layout, path)
        if event is not None:
            yield event
        elif went and self._watches.is_watched(path):
            yield from self.gone(path)
        elif came and self._concerns(path) and (self._root / path).is_symlink():
            yield SweepWanted(f"the link {path} came")

    def gone(self, folder: str) -> Iterator[Event]:
        """Drop the watches below; what has the name by now may have come before this was handled."""
        self._watches.forget_below(folder)
        yield FolderGone(folder)
        yield from self._came(folder)

    def _came(self, folder: str) -> Iterator[Event]:
        if not self._is_folder(folder):
            return
        if self._watches.is_watched(folder) and self._watches.watch_again(folder):
            return
        self._watches.forget_below(folder)
        yield from tell_folder(self._root, self._layout, folder, self._watches.watch)

    def _concerns(self, folder: str) -> bool:
        return self._layout.enters(folder) and self._layout.watches(folder)

    def _is_folder(self, folder: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self._root / folder).st_mode)
        except OSError:
            return False

    def _root_is_agent(self) -> bool:
        return any((self._root / name).is_dir() for name in AGENT_FOLDERS)
