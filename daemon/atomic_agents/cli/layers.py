"""Every layer of a vault as it is on the disk now, with what the store remembers of its entries."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.options import Choices
from atomic_agents.config import Config
from atomic_agents.exceptions import AtomicAgentsError, TemporaryError
from atomic_agents.index.check import check
from atomic_agents.index.finding import Search
from atomic_agents.index.merge import Scope
from atomic_agents.index.plan import Plan, plan_layer
from atomic_agents.index.skeleton import agent_name
from atomic_agents.index.wanted import Wanted, wanted_of
from atomic_agents.model import Unit
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.store.entries import Remembered
from atomic_agents.units import Limits, judge
from atomic_agents.vault.walk import Survey, find_root, read_layout, walk


@dataclass
class Layer:
    """One layer: its units, what is there besides, and what is remembered.

    Args:
        folder: relative to the vault.
        units: the valid ones.
        present: files that are there but not valid, relative to the layer's folder.
        remembered: the entries' bases, by file.
        last_good: the last good bytes of its index files, by path.

    """

    folder: str
    units: list[Unit] = field(default_factory=list)
    present: set[str] = field(default_factory=set)
    remembered: dict[str, Remembered] = field(default_factory=dict)
    last_good: dict[str, bytes] = field(default_factory=dict)

    def wanted(self) -> tuple[Wanted, ...]:
        """Return what the INDEX shall say."""
        return wanted_of(self.units, self.folder)

    def scope(self, root: Path, config: Config) -> Scope:
        """Return what a merge is about besides."""
        agent, _, layer = self.folder.rpartition("/")
        folder = (agent or root.name).rpartition("/")[2]
        return Scope(
            layer_dir=self.folder,
            layer="wiki" if layer == "wiki" else "memory",
            agent=agent_name(folder),
            settings=config.index,
            present=frozenset(self.present),
        )


def check_layers(choices: Choices) -> dict[str, Any]:
    """Return the report of `index check` over all layers (contract section 8, *Shapes*).

    Raises:
        AtomicAgentsError: the vault or its configuration is not there.

    """
    total: dict[str, Any] = {"orphans": [], "dead": [], "duplicates": [], "differing": [], "lines": {}}
    total |= {"entries": 0, "ambiguous": [], "conflicted": []}
    config, root = choices.load(), choices.root()
    for layer in _layers(root, config):
        search = Search(root, layer.folder, layer.last_good, has_units=bool(layer.units), repairs=False)
        texts = {name: reading.data for name, reading in search.run().readings.items()}
        found = check(texts, layer.wanted(), layer.remembered, layer.scope(root, config)).as_json()
        _add(total, found, layer.folder)
    return total


def plan_layers(choices: Choices) -> list[Plan]:
    """Return what a rebuild would write, layer by layer.

    Raises:
        AtomicAgentsError: the vault or its configuration is not there.

    """
    config, root = choices.load(), choices.root()
    return [
        plan_layer(
            root, layer.scope(root, config), layer.wanted(), layer.remembered, last_good=layer.last_good
        )
        for layer in _layers(root, config)
    ]


def _add(total: dict[str, Any], found: dict[str, Any], folder: str) -> None:
    """Add a layer's report, its names made relative to the vault."""
    for key in ("orphans", "ambiguous", "conflicted"):
        total[key] += [f"{folder}/{name}" for name in found[key]]
    for key in ("dead", "duplicates"):
        total[key] += [one | {"index": f"{folder}/{one['index']}"} for one in found[key]]
    total["differing"] += [one | {"file": f"{folder}/{one['file']}"} for one in found["differing"]]
    total["lines"] |= {f"{folder}/{name}": number for name, number in found["lines"].items()}
    total["entries"] += found["entries"]


def _layers(root: Path, config: Config) -> list[Layer]:
    layers: dict[str, Layer] = {}
    layout = read_layout(root, config.vault.ignore)
    schemas, today = SchemaSet.of_vault(root), dt.datetime.now().astimezone().date()
    for found in walk(find_root(root), layout, Survey()):
        place = found.place
        if place.layer is None:
            continue
        layer = layers.setdefault(place.layer_dir, Layer(place.layer_dir))
        if not place.kind.is_unit:
            continue
        try:
            data = read_file(root / place.path, limit=config.quarantine.max_note_bytes).data
        except (OSError, AtomicAgentsError):
            layer.present.add(place.inner)
            continue
        verdict = judge(place, data, schemas=schemas, today=today, limits=Limits())
        if verdict.unit is not None:
            layer.units.append(verdict.unit)
        else:
            layer.present.add(place.inner)
    with _store(root) as store:
        for layer in layers.values():
            _remember(layer, store)
    return [layers[folder] for folder in sorted(layers)]


@contextmanager
def _store(root: Path) -> Iterator[Store | None]:
    """Open the vault's store to read; a vault that no daemon has seen has none."""
    try:
        store = open_store(state_folder(root), now=time.time(), read_only=True)
    except TemporaryError:
        yield None
        return
    try:
        yield store
    finally:
        store.close()


def _remember(layer: Layer, store: Store | None) -> None:
    if store is None:
        return
    layer.remembered = store.entries.of_layer(layer.folder)
    names = {record.path for record in store.files.in_layer(layer.folder) if not record.kind.is_unit}
    for path in names | {f"{layer.folder}/INDEX.md"}:
        version = store.versions.last_good(path)
        if version is not None:
            layer.last_good[path] = store.versions.content(version.sha256)
