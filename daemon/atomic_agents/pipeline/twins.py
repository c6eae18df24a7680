"""One physical file is one unit, whatever names it has (contract [PATH-2])."""

from __future__ import annotations

import os

from atomic_agents.pipeline.bench import Bench
from atomic_agents.vault.walk import is_canonical, stamp_of


def is_second_name(bench: Bench, path: str, status: os.stat_result) -> bool:
    """Whether a path is another name of a unit that is known under its own.

    Args:
        bench: the vault and the tools.
        path: relative to the vault.
        status: of the file itself.

    """
    if not is_canonical(bench.root, bench.layout, path):
        return True
    if status.st_nlink == 1:
        return False
    stamp = stamp_of(status)
    return any(
        other.path < path and _is(bench, other.path, status) for other in bench.store.files.of_inode(stamp)
    )


def _is(bench: Bench, path: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(bench.root / path), status)
    except OSError:
        return False
