"""What the store knows of the files around a unit (contract [RULE-W])."""

from __future__ import annotations

import os
from collections.abc import Sequence

from atomic_agents.model import FileState, Place, Unit
from atomic_agents.pipeline.bench import Bench


class StoredNeighbours:
    """Answers the rules across files from the store, and about existence from the disk.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def exists(self, path: str) -> bool:
        """Return whether a file lies at this path of the vault."""
        inside = os.path.normpath(path)
        if inside.startswith(("..", "/")):
            return False
        return os.path.exists(self._bench.root / inside)  # noqa: PTH110 (a name with a NUL is no error here)

    def called(self, agent: str, name: str) -> Sequence[str]:
        """Return the paths of an agent's units, valid or not, that have this file name in NFC."""
        return self._bench.store.files.called(agent, name)

    def unit(self, path: str) -> Unit | None:
        """Return the valid unit at this path."""
        record = self._bench.store.files.get(path)
        return record.unit if record is not None and record.state is FileState.VALID else None

    def named(self, layer_dir: str, key: str) -> Sequence[Unit]:
        """Return the valid units of a layer whose name has this key; one that moved away counts no more."""
        units = (record.unit for record in self._bench.store.files.named(layer_dir, key))
        return [unit for unit in units if unit is not None and self.exists(unit.path)]

    def pinned(self, layer_dir: str) -> Sequence[Unit]:
        """Return the valid units of a layer that are pinned."""
        return [record.unit for record in self._bench.store.files.pinned(layer_dir) if record.unit]

    def is_indexed(self, place: Place) -> bool | None:
        """Return None: what is not indexed yet is about to be."""
        del place
        return None
