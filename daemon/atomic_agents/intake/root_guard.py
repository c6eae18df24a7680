"""Whether the vault's root is still the folder that was armed: a missing one is no empty one ([D-2])."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from atomic_agents.exceptions import VaultMissingError
from atomic_agents.intake.health import Condition
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey, walk


class RootGuard:
    """Whether the vault's root is the folder that it was when the watches were armed.

    Args:
        root: the vault's real path.

    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._armed: tuple[int, int] | None = None
        self._was_missing = False

    def arm(self) -> None:
        """Take the folder that is there now for the right one."""
        self._armed = self.identity()
        self._was_missing = self._armed is None

    def identity(self) -> tuple[int, int] | None:
        """Return device and inode of the root, or None if there is no folder that can be listed."""
        try:
            status = os.stat(self._root)
        except OSError:
            return None
        if not stat.S_ISDIR(status.st_mode) or not os.access(self._root, os.R_OK | os.X_OK):
            return None
        return status.st_dev, status.st_ino

    def check(self) -> tuple[Condition, str] | None:
        """Return what is wrong with the root, or None."""
        now = self.identity()
        if now is None:
            self._was_missing = True
            return Condition.ROOT_MISSING, f"vault {self._root}: not there, or not to be read"
        if self._was_missing:
            return Condition.ROOT_CHANGED, f"vault {self._root}: is back"
        if now != self._armed:
            return Condition.ROOT_CHANGED, f"vault {self._root}: another folder has this name now"
        return None

    def walk(
        self, layout: Layout, survey: Survey, entering: Callable[[str], None] | None = None
    ) -> Iterator[Found]:
        """Walk the vault; if the root is not the armed one before and after, everything is unknown.

        Args:
            layout: how the vault's paths are read.
            survey: filled with what else was met; complete when the last file has come.
            entering: called with each folder before it is listed.

        """
        try:
            if self.check() is None:
                yield from walk(self._root, layout, survey, entering=entering)
        except VaultMissingError:
            self._was_missing = True
        wrong = self.check()
        if wrong is not None:
            survey.unreadable[""] = OSError(errno.ESTALE, wrong[1])
