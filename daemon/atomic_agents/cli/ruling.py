"""Every rule that applies to a file, with its verdict."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.explaining import BROKEN, HOLDS, NOT_JUDGED, SILENCED, Rule
from atomic_agents.exceptions import FileTooLargeError
from atomic_agents.lint import LINTED, Linting
from atomic_agents.model import Kind, Place, Problem, Unit
from atomic_agents.units import Limits, judge_index, read, too_large
from atomic_agents.units.applying import need_of, rules_of
from atomic_agents.vault.kinds import Layout


class Ruling:
    """Judges files of one vault, rule by rule.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        limits: what the operator set.
        ticked: called with each file that is read besides.

    """

    def __init__(self, root: Path, layout: Layout, limits: Limits, ticked: Callable[[], object]) -> None:
        self._root = root
        self._limits = limits
        today = dt.datetime.now().astimezone().date()
        self._linting = Linting(root, layout, SchemaSet.of_vault(root), limits, today, ticked=ticked)

    def rules(self, place: Place) -> tuple[tuple[Rule, ...], Unit | None]:
        """Return the verdict of every rule that applies, and what the file says if it is a valid unit.

        Args:
            place: the file's; a regular one.

        Raises:
            OSError: the system does not let it be read.

        """
        if not rules_of(place.kind):
            return (), None
        path = Path(os.path.realpath(self._root / place.path))
        if place.kind in LINTED:
            return self._verdicts(place.kind, self._linting.judge(place, read_file(path).data)), None
        try:
            data = read_file(path, limit=self._limits.max_note_bytes).data
        except FileTooLargeError:
            size = os.stat(self._root / place.path).st_size
            problems = too_large(place, size, "", self._limits).problems
            return self._verdicts(place.kind, problems, {"bytes", "fields", "neighbours"}), None
        if place.kind is Kind.INDEX:
            return self._verdicts(place.kind, judge_index(place, data, self._limits)), None
        return self._of_unit(place, data)

    def _of_unit(self, place: Place, data: bytes) -> tuple[tuple[Rule, ...], Unit | None]:
        verdict, problems = self._linting.unit(place, data)
        unread = {"fields"} if read(data).values is None else set()
        unjudged = unread if verdict.is_valid else unread | {"neighbours"}
        problems += self._linting.layers([place]).get(place.path, [])
        return self._verdicts(place.kind, problems, unjudged), verdict.unit

    def _verdicts(
        self, kind: Kind, problems: Sequence[Problem], unjudged: Collection[str] = ()
    ) -> tuple[Rule, ...]:
        found: dict[str, list[Problem]] = {}
        for problem in problems:
            found.setdefault(problem.code, []).append(problem)
        return tuple(self._rules(kind, found, {*unjudged, "history"}))

    def _rules(self, kind: Kind, found: dict[str, list[Problem]], unjudged: set[str]) -> Iterator[Rule]:
        for code in rules_of(kind):
            if code in found:
                yield Rule(code, BROKEN, tuple(found[code]))
            elif code in self._limits.disabled:
                yield Rule(code, SILENCED)
            else:
                yield Rule(code, NOT_JUDGED if need_of(code) in unjudged else HOLDS)
