"""A whole vault, or a part of it, with every error and every warning."""

from __future__ import annotations

import datetime as dt
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import FileTooLargeError
from atomic_agents.lint.changes import Changes
from atomic_agents.lint.files import LINTED, judge_file
from atomic_agents.lint.layers import judge_layer
from atomic_agents.model import Kind, Place, Problem, Verdict
from atomic_agents.units import DiskNeighbours, Limits, judge, judge_index, too_large
from atomic_agents.vault.kinds import Layout

JUDGED: Final = frozenset({Kind.NOTE, Kind.WIKI, Kind.INDEX}) | LINTED
"""The kinds of files that something can be said of."""

_LARGEST: Final = 64 << 20
"""Bytes; a larger log or journal entry is not read."""


class Linting:
    """Says everything that is wrong or doubtful; other files are read from the disk as they are needed.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        schemas: the versions in force.
        limits: what the operator set.
        today: the local date.
        ticked: called with each file that is read besides those that are handed in.
        asks_git: whether git may be asked when a document last changed.

    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        schemas: SchemaSet,
        limits: Limits,
        today: dt.date,
        *,
        ticked: Callable[[], object] = lambda: None,
        asks_git: bool = True,
    ) -> None:
        self._root = root
        self._schemas = schemas
        self._limits = limits
        self._today = today
        self._neighbours = DiskNeighbours(root, layout, schemas, limits, ticked)
        self._changes = Changes(root, asks_git=asks_git)

    def unit(self, place: Place, data: bytes) -> tuple[Verdict, list[Problem]]:
        """Return the verdict on a unit among its neighbours, and what is doubtful about its text.

        Args:
            place: where it lies.
            data: its content.

        """
        verdict = judge(
            place,
            data,
            schemas=self._schemas,
            today=self._today,
            limits=self._limits,
            neighbours=self._neighbours,
        )
        return verdict, [*verdict.problems, *self._file(place, data)]

    def judge(self, place: Place, data: bytes) -> list[Problem]:
        """Return what is wrong with one file of any kind of `JUDGED`.

        Args:
            place: where it lies.
            data: its content.

        """
        if place.kind is Kind.INDEX:
            return list(judge_index(place, data, self._limits))
        return self.unit(place, data)[1] if place.kind.is_unit else self._file(place, data)

    def look(self, place: Place) -> list[Problem]:
        """Read one file of any kind of `JUDGED` and return what is wrong with it.

        Args:
            place: where it lies.

        Raises:
            NotRegularFileError: it is something else.
            FileTooLargeError: a log or journal entry has more than 64 MiB.
            FileChangedError: it is being written to.
            OSError: the system refuses.

        """
        path = Path(os.path.realpath(self._root / place.path))
        is_other = place.kind in LINTED
        try:
            data = read_file(path, limit=_LARGEST if is_other else self._limits.max_note_bytes).data
        except FileTooLargeError:
            if is_other:
                raise
            return list(too_large(place, path.stat().st_size, "", self._limits).problems)
        return self.judge(place, data)

    def layers(self, places: Iterable[Place]) -> dict[str, list[Problem]]:
        """Return by path what is doubtful about units among those of their layer.

        Args:
            places: the files that were asked for; only of these something is told.

        """
        asked = {place.path: place for place in places if place.kind.is_unit}
        layers = {place.layer_dir: place for place in asked.values()}
        found: defaultdict[str, list[Problem]] = defaultdict(list)
        for folder, place in sorted(layers.items()):
            kind = Kind.WIKI if place.layer == "wiki" else Kind.NOTE
            units, agent = self._neighbours.in_layer(folder), place.agent or ""
            for problem in judge_layer(units, kind, agent, self._changes.last, self._limits.disabled):
                if problem.path in asked:
                    found[problem.path].append(problem)
        return found

    def _file(self, place: Place, data: bytes) -> list[Problem]:
        return list(judge_file(place, data, self._exists, self._limits.disabled))

    def _exists(self, path: str) -> bool:
        try:
            return os.path.exists(self._root / path)  # noqa: PTH110 (a name with a NUL is no error here)
        except ValueError:
            return False
