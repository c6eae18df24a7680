"""Which path of the vault a word of the command line means."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import printable


def path_in_vault(root: Path, word: str, is_known: Callable[[str], bool]) -> str:
    """Return the path, relative to the vault, that a word names: from here, or from the vault.

    Args:
        root: the vault's real path.
        word: as it was given; the file may be gone.
        is_known: whether the vault, or what is remembered of it, has this relative path.

    Raises:
        AtomicAgentsError: it lies outside of the vault.

    """
    found = [inside for inside in (_inside(root, Path(word)), _inside(root, root / word)) if inside]
    if not found:
        raise AtomicAgentsError(f"{printable(word)}: lies outside of {root}", hint="see --vault")
    return next(filter(is_known, found), found[-1])


def _inside(root: Path, path: Path) -> str | None:
    folder = os.path.realpath(path.parent)
    name = os.path.basename(os.path.normpath(path))  # noqa: PTH119 (a trailing slash)
    real = f"{folder.rstrip('/')}/{name}"
    prefix = f"{str(root).rstrip('/')}/"
    return real[len(prefix) :] if real.startswith(prefix) and name not in {"", ".", ".."} else None
