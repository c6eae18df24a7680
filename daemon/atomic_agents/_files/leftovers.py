"""Temporary files that a kill left behind: removed when their writers are gone (contract [D-5])."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Final

from atomic_agents._files.write import TEMPORARY, discard

LONGEST_WRITE_SECONDS: Final = 3600.0
"""A temporary file that is older belongs to no writer, whoever has the number of its process now."""


def remove_leftover(path: Path, now: float) -> bool:
    """Remove a temporary file of this package whose writer is gone; anything else is left alone.

    The caller is the only thread of its process that writes, so a file of its own process is a former one's.

    Args:
        path: the file; a link is none.
        now: wall time, seconds since the epoch.

    Returns:
        Whether it was removed.

    Raises:
        OSError: the system refuses.

    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    if not is_leftover(path.name, status, now):
        return False
    discard(path)
    return True


def is_leftover(name: str, status: os.stat_result, now: float) -> bool:
    """Whether a file is a temporary file of this package that nobody writes any more.

    Args:
        name: its own name.
        status: as `os.lstat` gives it.
        now: wall time, seconds since the epoch.

    """
    made = TEMPORARY.match(name)
    if made is None or not stat.S_ISREG(status.st_mode):
        return False
    if now - status.st_mtime > LONGEST_WRITE_SECONDS or status.st_mtime < _booted(now):
        return True
    pid = int(made["pid"], 16) if made["pid"] else 0
    return pid > 0 and (pid == os.getpid() or not _is_alive(pid))


def _booted(now: float) -> float:
    """Return the wall time before which no living process can have written; 0 where that is not known."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return now - time.clock_gettime(clock) - 1.0 if clock is not None else 0.0


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
