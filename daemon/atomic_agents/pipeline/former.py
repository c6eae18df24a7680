"""What is remembered of a layer's entries, also when its folder had another name until now."""

from __future__ import annotations

import os

from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.looking import Missing, glance
from atomic_agents.store.entries import Remembered
from atomic_agents.vault.walk import stamp_of

_INDEX = "/INDEX.md"


def remembered_of(bench: Bench, layer_dir: str) -> dict[str, Remembered]:
    """Return the remembered entries of a layer, by file; those of a renamed folder move with it.

    Args:
        bench: the vault and the tools.
        layer_dir: the layer's folder, relative to the vault.

    """
    former = _former_name(bench, layer_dir)
    if former is not None:
        with bench.store.transaction():
            bench.store.entries.rename_layer(former, layer_dir)
    return bench.store.entries.of_layer(layer_dir)


def _former_name(bench: Bench, layer_dir: str) -> str | None:
    """Return the folder in which this layer's INDEX.md was last seen, if nothing is there any more."""
    path = f"{layer_dir}{_INDEX}"
    seen = glance(bench.root, path)
    if not isinstance(seen, os.stat_result) or bench.store.files.get(path) is not None:
        return None
    for other in bench.store.files.of_inode(stamp_of(seen)):
        is_gone = isinstance(glance(bench.root, other.path), Missing)
        if other.path.endswith(_INDEX) and other.stamp.mtime_ns == seen.st_mtime_ns and is_gone:
            return other.path.removesuffix(_INDEX)
    return None
