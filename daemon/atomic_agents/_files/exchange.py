"""Exchanging two files in one step, so that what was written over can still be looked at."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Final

_HERE: Final = -100
_EXCHANGE: Final = 2


def exchange(one: Path, other: Path) -> bool:
    """Exchange what two names mean: `renameat2(RENAME_EXCHANGE)`, on macOS `renamex_np(RENAME_SWAP)`.

    Args:
        one: a file.
        other: another, on the same file system.

    Returns:
        False where that cannot be had; nothing was changed then.

    """
    libc = ctypes.CDLL(None, use_errno=True)
    names = (os.fsencode(one), os.fsencode(other))
    if sys.platform == "darwin":
        call, arguments = getattr(libc, "renamex_np", None), (*names, _EXCHANGE)
    else:
        call, arguments = getattr(libc, "renameat2", None), (_HERE, names[0], _HERE, names[1], _EXCHANGE)
    return call is not None and call(*arguments) == 0
