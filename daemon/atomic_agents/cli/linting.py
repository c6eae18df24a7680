"""What `atomicd lint` looks at beyond single units: other kinds of files, and layers as a whole."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from atomic_agents.lint import LINTED, judge_file, judge_layer
from atomic_agents.lint.changes import Changes
from atomic_agents.model import Kind, Place, Problem
from atomic_agents.units import DiskNeighbours, Limits


class Linting:
    """Gives the warnings that need more than one unit, or none.

    Args:
        root: the vault's real path.
        neighbours: the units of the layers.
        limits: what the operator set.

    """

    def __init__(self, root: Path, neighbours: DiskNeighbours, limits: Limits) -> None:
        self._root = root
        self._neighbours = neighbours
        self._disabled = limits.disabled

    kinds = LINTED
    """Kinds that are looked at besides units."""

    def file(self, place: Place, data: bytes) -> tuple[Problem, ...]:
        """Return what is doubtful about one file.

        Args:
            place: where it lies.
            data: its content.

        """
        return judge_file(place, data, self._exists, self._disabled)

    def layers(self, places: Iterable[Place]) -> dict[str, list[Problem]]:
        """Return by path what is doubtful about units among those of their layer.

        Args:
            places: the files that were asked for; only of these something is told.

        """
        asked = {place.path: place for place in places if place.kind.is_unit}
        layers = {place.layer_dir: place for place in asked.values()}
        changes = Changes(self._root)
        found: defaultdict[str, list[Problem]] = defaultdict(list)
        for folder, place in sorted(layers.items()):
            kind = Kind.WIKI if place.layer == "wiki" else Kind.NOTE
            units = self._neighbours.in_layer(folder)
            for problem in judge_layer(units, kind, place.agent or "", changes.last, self._disabled):
                if problem.path in asked:
                    found[problem.path].append(problem)
        return found

    def _exists(self, path: str) -> bool:
        try:
            return os.path.exists(self._root / path)  # noqa: PTH110 (a name with a NUL is no error here)
        except ValueError:
            return False
