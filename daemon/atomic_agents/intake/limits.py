"""What the kernel allows, told with the setting that raises it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

_SETTINGS: Final = Path("/proc/sys/fs/inotify")
_STEP: Final = 8192


def watch_limit(*, watched: int, needed: int) -> str:
    """Return the sentence for a watch limit that is reached.

    Args:
        watched: folders that are watched.
        needed: folders that should be.

    """
    limit = _read("max_user_watches")
    enough = max(((limit + needed - watched) // _STEP + 1) * _STEP, _STEP)
    return (
        f"{watched} of {needed} folders are watched: the limit of inotify watches is reached "
        f"(fs.inotify.max_user_watches = {limit}, shared by all programs of this user); "
        f"raise it with `sysctl fs.inotify.max_user_watches={enough}`; the rest is polled"
    )


def instance_limit(error: OSError) -> str:
    """Return the sentence for an inotify instance that is not to be had."""
    if error.errno != errno.EMFILE:
        return f"inotify cannot be used: {error.strerror}; the vault is polled"
    limit = _read("max_user_instances")
    return (
        f"{error.strerror} (fs.inotify.max_user_instances = {limit}, shared by all programs of this user); "
        f"raise it with `sysctl fs.inotify.max_user_instances={max(limit * 2, 128)}`; the vault is polled"
    )


def _read(name: str) -> int:
    try:
        return int((_SETTINGS / name).read_text())
    except (OSError, ValueError):
        return 0
