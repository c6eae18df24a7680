"""What editors leave beside a file while they have it open (contract [Q-1])."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from atomic_agents.vault.ignore import edited_name

_TRACE_SECONDS: Final = 24 * 3600.0
"""An editor's file that did not change for so long was left behind by a crash."""


def trace_beside(root: Path, path: str, now: float) -> str | None:
    """Return the name of a swap or lock file that says that a file is open in an editor, or None.

    Args:
        root: the vault's real path.
        path: the file, relative to it.
        now: wall time, seconds since the epoch.

    """
    folder, _, name = path.rpartition("/")
    try:
        with os.scandir(root / folder) as entries:
            traces = [entry for entry in entries if edited_name(entry.name) == name]
    except OSError:
        return None
    return next((entry.name for entry in traces if _is_fresh(entry, now)), None)


def _is_fresh(entry: os.DirEntry[str], now: float) -> bool:
    try:
        changed = entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return False
    return now - changed < _TRACE_SECONDS
