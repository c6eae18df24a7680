"""Who holds a lock file, told by the kernel, without touching the lock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

LOCKS: Final = Path("/proc/locks")


def lock_holder(path: Path, locks: Path = LOCKS) -> int | None:
    """Return the process that holds a lock file; None if nobody does, or the system does not tell.

    Args:
        path: the lock file.
        locks: the kernel's list of locks.

    """
    try:
        status, lines = path.stat(), locks.read_text("ascii").splitlines()
    except OSError:
        return None
    holders = (_holder(line, status) for line in lines)
    return next((pid for pid in holders if pid is not None), None)


def _holder(line: str, status: os.stat_result) -> int | None:
    """Return the pid of a line about this file: `1: FLOCK ADVISORY WRITE 123 08:01:4567 0 EOF`."""
    fields = line.split()
    if "->" in fields or len(fields) < 6 or fields[1] != "FLOCK":  # noqa: PLR2004 (a waiter; another format)
        return None
    major, minor, inode = fields[5].split(":")
    device = os.makedev(int(major, 16), int(minor, 16))
    is_anonymous = os.major(status.st_dev) == 0
    if int(inode) != status.st_ino or (device != status.st_dev and not is_anonymous):
        return None
    return int(fields[4])
