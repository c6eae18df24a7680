"""One daemon per vault: a lock held for life, and who holds it (contract [D-4])."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import filelock

from atomic_agents._io import atomic_write, make_folder
from atomic_agents.exceptions import AlreadyRunningError, CannotWriteError

LOCK: Final = "instance.lock"
OWNER: Final = "instance.json"
_PATIENCE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Owner:
    """Who runs on a vault. `started` is wall time, seconds since the epoch."""

    pid: int
    started: float
    version: str


class Instance:
    """The right to be the one daemon of a vault.

    Args:
        folder: the vault's state folder.

    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = filelock.FileLock(folder / LOCK, timeout=_PATIENCE_SECONDS)

    def acquire(self, *, version: str, now: float) -> None:
        """Take the lock for life.

        Args:
            version: of this atomicd.
            now: wall time, seconds since the epoch.

        Raises:
            AlreadyRunningError: another process has it; the message names its pid.
            CannotWriteError: the state folder refuses.

        """
        try:
            make_folder(self._folder)
            self._lock.acquire()
        except filelock.Timeout as error:
            other = _read(self._folder)
            who = f"process {other.pid}" if other else "another process"
            raise AlreadyRunningError(
                f"{who} runs on this vault already", hint="see `atomicd status`; stop it first"
            ) from error
        except OSError as error:
            raise CannotWriteError(
                f"state folder {self._folder}: {error.strerror}", hint="set ATOMICD_STATE_DIR"
            ) from error
        text = json.dumps({"pid": os.getpid(), "started": now, "version": version})
        atomic_write(self._folder / OWNER, text)

    def release(self) -> None:
        """Give the lock back; the lock file stays."""
        self._lock.release()


def owner(folder: Path) -> Owner | None:
    """Return who runs on a vault now, or None.

    Args:
        folder: the vault's state folder.

    """
    if not (folder / LOCK).exists():
        return None
    lock = filelock.FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        return _read(folder) or Owner(0, 0.0, "")
    lock.release()
    return None


def _read(folder: Path) -> Owner | None:
    try:
        values = json.loads((folder / OWNER).read_text("utf-8"))
        return Owner(values["pid"], values["started"], values["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
