"""Where the bytes of a path really lie, and whether that is in the vault (contract [PATH-2], section 12)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import FileChangedError
from atomic_agents.model import printable

_LONGEST_ENDING: Final = 16


def real_place(root: Path, path: str) -> Path:
    """Return where a path's bytes lie or would lie, links resolved.

    Args:
        root: the vault's real path.
        path: relative to it; it may be missing.

    Raises:
        FileChangedError: a link leads out of the vault, so nothing is read or written there.

    """
    real = os.path.realpath(root / path)
    if not real.startswith(f"{str(root).rstrip('/')}/"):
        raise FileChangedError(
            f"{printable(path)}: a link leads out of the vault, so nothing is moved or put there"
        )
    return Path(real)


def leads_out(root: Path, path: str) -> bool:
    """Whether a link on the way leads out of the vault.

    Args:
        root: the vault's real path.
        path: relative to it.

    """
    try:
        real_place(root, path)
    except FileChangedError:
        return True
    return False


def displaced_name(folder: Path, sha256: str, name: str) -> Path:
    """Return a free name in an incident's folder for bytes that stood in the way.

    Args:
        folder: the incident's.
        sha256: their hash, in hex.
        name: the name they had; its ending is kept.

    """
    ending = Path(name).suffix[:_LONGEST_ENDING]
    number, found = 1, folder / f"displaced_{sha256[:8]}{ending}"
    while os.path.lexists(found):
        number += 1
        found = folder / f"displaced_{sha256[:8]}-{number}{ending}"
    return found
