"""The watches of one arming on Linux."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from watchdog.observers.inotify_c import InotifyConstants

from atomic_agents._io import make_folder
from atomic_agents.intake.ear import CANARY, FOLDER, Ear, Reader
from atomic_agents.intake.limits import watch_limit
from atomic_agents.intake.tree import WatchTree
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.links import why_not_followed


class Watches:
    """One inotify instance and the folders that it watches.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        ear: called by the reading thread.

    Raises:
        OSError: there is no inotify instance, or no thread, to be had.

    """

    def __init__(self, root: Path, layout: Layout, ear: Ear) -> None:
        self._root = root
        self._layout = layout
        self._reader = Reader(ear)
        self._refused: dict[str, OSError] = {}
        self._tree = WatchTree()
        try:
            self._reader.start()
        except RuntimeError as error:
            self._reader.shut()
            raise OSError(errno.EAGAIN, str(error)) from error

    def close(self) -> None:
        """End all watches and the thread."""
        self._reader.shut()

    def __len__(self) -> int:
        """How many folders are watched."""
        return len(self._tree)

    def folder(self, watch: int) -> str | None:
        """Return the folder that a watch stands for."""
        return self._tree.folder(watch)

    def is_watched(self, folder: str) -> bool:
        """Whether a folder is watched under this name."""
        return folder in self._tree

    def is_alive(self) -> bool:
        """Whether the reading thread runs."""
        return self._reader.is_alive()

    def watch_canary(self, folder: Path) -> bool:
        """Watch the canary's folder, made if it is missing; False if that cannot be done."""
        try:
            make_folder(folder)
            self._reader.listen(os.fsencode(folder), CANARY)
        except OSError:
            return False
        return True

    def watch(self, folder: str) -> None:
        """Watch a folder if it can hold units or lead to them; a refusal is kept for `reason`.

        Args:
            folder: relative to the vault; its parents are entered.

        """
        if folder not in self._tree and self._layout.watches(folder):
            self.watch_again(folder)

    def watch_again(self, folder: str) -> bool:
        """Watch what has this name now; return whether that was watched under this name already."""
        try:
            watch = self._listen(folder)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            self._refused[folder] = error
            return False
        self._refused.pop(folder, None)
        if self._tree.folder(watch) == folder:
            return True
        replaced = self._tree.put(watch, folder)
        if replaced is not None:
            self._reader.unlisten(replaced)
        return False

    def forget_below(self, folder: str) -> None:
        """End the watches of a folder and of all below it."""
        for watch in self._tree.drop_below(folder):
            self._reader.unlisten(watch)

    def forget(self, watch: int) -> None:
        """Forget a watch that the kernel has ended."""
        self._tree.drop(watch)
        self._reader.unlisten(watch)

    def forget_refusals(self) -> None:
        """Start a new round in which every folder is tried again."""
        self._refused.clear()

    def shortage(self) -> str:
        """Return why folders that can be read are not watched, or an empty text."""
        refused = [error for error in self._refused.values() if error.errno != errno.EACCES]
        if not refused:
            return ""
        needed = len(self._tree) + len(refused)
        if any(error.errno == errno.ENOSPC for error in refused):
            return watch_limit(watched=len(self._tree), needed=needed)
        return f"{len(self._tree)} of {needed} folders are watched: {refused[0].strerror}; the rest is polled"

    def _listen(self, folder: str) -> int:
        path = os.fsencode(self._root / folder)
        try:
            return self._reader.listen(path, FOLDER | InotifyConstants.IN_DONT_FOLLOW)
        except NotADirectoryError:
            if why_not_followed(self._root, self._layout, folder) is not None:
                raise
            return self._reader.listen(path, FOLDER)
