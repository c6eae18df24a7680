"""The vault's lock: the file that every batch of writes and every migration holds (contract [D-4])."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from atomic_agents.exceptions import CannotWriteError, TemporaryError, VaultMissingError

LOCK_FILE = ".migration.lock"


class VaultBusyError(TemporaryError):
    """Somebody else holds the vault's lock."""


class VaultLock:
    """`<vault>/.migration.lock`, the same file that plain `fcntl.flock` users take; never unlinked.

    Args:
        root: the vault's real path.

    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = filelock.FileLock(root / LOCK_FILE, timeout=0)

    @property
    def path(self) -> Path:
        """The lock file."""
        return self._root / LOCK_FILE

    @contextmanager
    def hold(self, timeout: float = 0.0) -> Iterator[None]:
        """Hold the lock; entering it again in the same thread is allowed.

        Args:
            timeout: seconds to wait for it.

        Raises:
            VaultBusyError: it was not free in time.
            VaultMissingError: the root is gone, so that taking the lock would create it.
            CannotWriteError: the file cannot be opened for writing, or is no regular file.

        """
        if not self._root.is_dir():
            raise VaultMissingError(f"vault {self._root}: not there")
        try:
            self._lock.acquire(timeout=timeout, poll_interval=0.02)
        except filelock.Timeout as error:
            raise VaultBusyError(
                f"vault lock {self.path}: held by another process",
                hint="a migration is running; it is tried again",
            ) from error
        except OSError as error:
            raise CannotWriteError(
                f"vault lock {self.path}: {error.strerror}",
                hint="make it a regular file that this user may write to, or remove it while nothing runs",
            ) from error
        try:
            yield
        finally:
            self._lock.release()

    def inode(self) -> int:
        """Return the inode of the lock file; a change while it is held means that it was replaced."""
        return os.stat(self.path).st_ino
