"""Writing the INDEX files of one layer, with the books that go with it (contract [INDEX-4], [D-3])."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence

from atomic_agents.index.finding import Broken
from atomic_agents.index.merge import Scope
from atomic_agents.index.skeleton import agent_name
from atomic_agents.index.wanted import wanted_of
from atomic_agents.index.writer import Updated, update_layer
from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Kind, Problem, Verdict
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.former import remembered_of
from atomic_agents.pipeline.layerwork import LayerWork
from atomic_agents.pipeline.looking import glance
from atomic_agents.quarantine import take
from atomic_agents.store.entries import Remembered
from atomic_agents.vault.walk import stamp_of


class LayerWriting:
    """Writes, and keeps the store true to what was written.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def update(self, layer_dir: str, work: LayerWork) -> Updated:
        """Write the INDEX files of a layer, and down what they say.

        Args:
            layer_dir: relative to the vault; its folder is there.
            work: what is to be done.

        Raises:
            OSError: the system refuses.

        """
        store = self._bench.store
        records = list(store.files.in_layer(layer_dir))
        remembered = remembered_of(self._bench, layer_dir)
        updated = update_layer(
            self._bench.root,
            scope_of(self._bench, layer_dir, work, records),
            wanted_of((record.unit for record in records if record.unit is not None), layer_dir),
            remembered,
            last_good=last_good_of(self._bench, layer_dir, records),
            set_aside=self._set_aside,
            intend=lambda after: self._intend(layer_dir, remembered, after),
            repairs=work.repairs,
        )
        with store.transaction():
            store.entries.save(layer_dir, remembered, updated.remembered)
            self._remember_files(updated, records)
        return updated

    def _intend(
        self, layer_dir: str, before: Mapping[str, Remembered], after: Mapping[str, Remembered]
    ) -> None:
        with self._bench.store.transaction():
            self._bench.store.entries.intend(layer_dir, before, after)

    def _set_aside(self, broken: Broken) -> None:
        place = self._bench.layout.place(broken.path)
        fault = Problem(
            broken.path,
            f"index-{broken.damage.value}",
            "error",
            f"{len(broken.reading.data)} bytes",
            "an index file in UTF-8",
            "It was rebuilt from what was last known; compare the two.",
        )
        verdict = Verdict(place, broken.reading.sha256, (fault,))
        taken = take(self._bench.incidents, self._bench.root, verdict, None, self._bench.clock.wall())
        self._bench.log.error(
            Event.INDEX_REBUILT, path=broken.path, reason=broken.damage.value, incident=taken.incident.id
        )

    def _remember_files(self, updated: Updated, records: list[FileRecord]) -> None:
        """Write down how each index file looks now, so that our own write is no change to us."""
        now = self._bench.clock.wall()
        contents = {**updated.read, **{written.path: written.data for written in updated.written}}
        known = {record.path: record for record in records if record.kind is Kind.INDEX}
        for path, data in contents.items():
            seen = glance(self._bench.root, path)
            if isinstance(seen, os.stat_result) and seen.st_size == len(data):
                sha256 = hashlib.sha256(data).hexdigest()
                if path not in updated.conflicted:
                    self._bench.store.versions.record(path, data, sha256, now)
                self._bench.remember(self._bench.layout.place(path), FileState.INDEX, stamp_of(seen), sha256)
        for path in known.keys() - contents.keys():
            self._bench.store.files.remove(path)

    def forget_files(self, layer_dir: str) -> None:
        """Forget the index files of a layer that is gone; what is remembered of its entries stays."""
        with self._bench.store.transaction():
            for record in list(self._bench.store.files.in_layer(layer_dir)):
                if record.kind is Kind.INDEX:
                    self._bench.store.files.remove(record.path)


def scope_of(bench: Bench, layer_dir: str, work: LayerWork, records: Sequence[FileRecord]) -> Scope:
    """Return what a merge is about besides the units.

    Args:
        bench: the vault and the tools.
        layer_dir: the layer's folder, relative to the vault.
        work: what is to be done.
        records: what is remembered of the layer's files.

    """
    prefix = f"{layer_dir}/"
    here = [record for record in records if record.kind.is_unit and record.state is not FileState.VALID]
    place = bench.layout.place(f"{prefix}INDEX.md")
    assert place.layer is not None
    folder = (place.agent or bench.root.name).rpartition("/")[2]
    return Scope(
        layer_dir=layer_dir,
        layer=place.layer,
        agent=agent_name(folder),
        settings=bench.config.index,
        present=frozenset(record.path.removeprefix(prefix) for record in here),
        renames=dict(work.renames),
        touched=frozenset(path.removeprefix(prefix) for path in work.fresh),
    )


def last_good_of(bench: Bench, layer_dir: str, records: Sequence[FileRecord]) -> dict[str, bytes]:
    """Return the last good bytes of each index file that was ever seen in a layer, by path.

    Args:
        bench: the vault and the tools.
        layer_dir: the layer's folder, relative to the vault.
        records: what is remembered of the layer's files.

    """
    versions = bench.store.versions
    names = {record.path for record in records if record.kind is Kind.INDEX} | {f"{layer_dir}/INDEX.md"}
    found = {name: versions.last_good(name) for name in names}
    return {name: versions.content(last.sha256) for name, last in found.items() if last is not None}
