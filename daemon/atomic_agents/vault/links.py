"""Where a link in the vault leads, and whether it is followed (contract [PATH-2])."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from atomic_agents.vault.kinds import MIGRATIONS, QUARANTINE, Layout

WALKED: Final = "link to a place that is walked by itself"
"""Why most links are not followed; nothing to tell anybody."""

_OWN: Final = (MIGRATIONS, QUARANTINE)


def why_not_followed(root: Path, layout: Layout, path: str) -> str | None:
    """Return why the target of a path with links is not content under this path; None if it is.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        path: relative; its last place, or one above it, is a link.

    """
    real = _inside(root, os.path.realpath(root / path))
    if real is None:
        return "link that leads out of the vault"
    if not (root / real).exists():
        return "link that leads nowhere"
    first = real.partition("/")[0]
    if first in _OWN:
        return f"link into {first}"
    return WALKED if _is_walked(layout, real) else None


def is_canonical(root: Path, layout: Layout, path: str) -> bool:
    """Whether no link lies on this path, or the links lead to content that the walk does not reach itself.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        path: relative, existing.

    """
    return os.path.realpath(root / path) == str(root / path) or why_not_followed(root, layout, path) is None


def _inside(root: Path, real: str) -> str | None:
    if real == str(root):
        return ""
    prefix = f"{str(root).rstrip('/')}/"
    return real[len(prefix) :] if real.startswith(prefix) else None


def _is_walked(layout: Layout, real: str) -> bool:
    """Whether the walk reaches this real path by itself."""
    parts = real.split("/") if real else []
    parents_are_entered = all(layout.enters("/".join(parts[:depth])) for depth in range(1, len(parts)))
    return parents_are_entered and (layout.enters(real) or layout.place(real).kind.is_unit)
