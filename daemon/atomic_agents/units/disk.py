"""Neighbours as they lie on the disk, for `check` and `lint` (contract section 8)."""

from __future__ import annotations

import datetime as dt
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Kind, Place, Unit
from atomic_agents.units.limits import Limits
from atomic_agents.units.mentions import Mentions
from atomic_agents.units.neighbours import name_key
from atomic_agents.units.rules import judge
from atomic_agents.vault.kinds import LAYERS, Layout, nfc
from atomic_agents.vault.walk import Survey, walk


@dataclass
class _Agent:
    """What the layers of one agent hold."""

    units: dict[str, Unit] = field(default_factory=dict)
    paths: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    names: defaultdict[tuple[str, str], list[Unit]] = field(default_factory=lambda: defaultdict(list))
    pinned: defaultdict[str, list[Unit]] = field(default_factory=lambda: defaultdict(list))
    mentions: dict[str, Mentions] = field(default_factory=dict)

    def add_unit(self, place: Place, unit: Unit | None) -> None:
        self.paths[nfc(place.path.rpartition("/")[2])].append(place.path)
        if unit is None:
            return
        self.units[unit.path] = unit
        self.names[place.layer_dir, name_key(unit.name)].append(unit)
        if unit.pinned:
            self.pinned[place.layer_dir].append(unit)


class DiskNeighbours:
    """Reads each agent's layers once, when they are first asked for; what is written later is not seen.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        schemas: the versions in force.
        limits: what the operator set.
        ticked: called with each file that is read.

    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        schemas: SchemaSet,
        limits: Limits,
        ticked: Callable[[], object] = lambda: None,
    ) -> None:
        self._root = root
        self._layout = layout
        self._schemas = schemas
        self._limits = limits
        self._ticked = ticked
        self._agents: dict[str, _Agent] = {}

    def exists(self, path: str) -> bool:
        """Return whether a regular file lies at this path."""
        try:
            return stat.S_ISREG((self._root / path).stat().st_mode)
        except (OSError, ValueError):
            return False

    def called(self, agent: str, name: str) -> Sequence[str]:
        """Return the paths of an agent's units, valid or not, that have this file name in NFC."""
        return self._agent(agent).paths.get(name, ())

    def unit(self, path: str) -> Unit | None:
        """Return the valid unit at this path."""
        agent = self._layout.place(path).agent
        return None if agent is None else self._agent(agent).units.get(path)

    def named(self, layer_dir: str, key: str) -> Sequence[Unit]:
        """Return the valid units of a layer whose name has this `name_key`."""
        return self._agent_of(layer_dir).names.get((layer_dir, key), ())

    def in_layer(self, layer_dir: str) -> Sequence[Unit]:
        """Return the valid units of a layer, in path order."""
        units = self._agent_of(layer_dir).units
        prefix = f"{layer_dir}/"
        return [units[path] for path in sorted(units) if path.startswith(prefix)]

    def pinned(self, layer_dir: str) -> Sequence[Unit]:
        """Return the valid units of a layer that are pinned."""
        return self._agent_of(layer_dir).pinned.get(layer_dir, ())

    def is_indexed(self, place: Place) -> bool:
        """Return whether an INDEX file of the layer names the unit."""
        agent = self._agent(place.agent or "")
        unit = agent.units.get(place.path)
        mentions = agent.mentions.get(place.layer_dir)
        return mentions is not None and mentions.name(place.path, unit.name if unit is not None else "")

    def _agent_of(self, layer_dir: str) -> _Agent:
        return self._agent(layer_dir.rpartition("/")[0])

    def _agent(self, agent: str) -> _Agent:
        if agent not in self._agents:
            self._agents[agent] = self._read(f"{agent}/{layer}" if agent else layer for layer in LAYERS)
        return self._agents[agent]

    def _read(self, layer_dirs: Iterable[str]) -> _Agent:
        agent = _Agent()
        for layer_dir in layer_dirs:
            for found in walk(self._root, self._layout, Survey(), below=layer_dir):
                self._take(agent, found.place)
        return agent

    def _take(self, agent: _Agent, place: Place) -> None:
        if not (place.kind.is_unit or place.kind is Kind.INDEX):
            return
        data = self._bytes(place.path)
        self._ticked()
        if place.kind is Kind.INDEX:
            mentions = agent.mentions.setdefault(place.layer_dir, Mentions())
            mentions.add(place.path, (data or b"").decode("utf-8", "replace"))
            return
        agent.add_unit(place, None if data is None else self._judge(place, data))

    def _judge(self, place: Place, data: bytes) -> Unit | None:
        return judge(place, data, schemas=self._schemas, today=dt.date.min, limits=self._limits).unit

    def _bytes(self, path: str) -> bytes | None:
        """Return a file's bytes; one that cannot be read is judged as itself, here it is no neighbour."""
        try:
            return read_file(self._root / path, limit=self._limits.max_note_bytes).data
        except (OSError, AtomicAgentsError):
            return None
