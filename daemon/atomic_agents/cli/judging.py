"""Which files a command line names, and what is to be said of them."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.choosing import find_places, find_vault, is_judged, limits_of
from atomic_agents.cli.options import Choices
from atomic_agents.cli.progress import counting
from atomic_agents.config import Config
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.model import Kind, Place, Problem, Severity
from atomic_agents.units import DiskNeighbours, Limits, judge, judge_index, too_large
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout

if TYPE_CHECKING:
    from atomic_agents.cli.linting import Linting

_LARGEST: Final = 64 << 20
"""Bytes; a larger log or journal entry is not read."""


@dataclass(frozen=True)
class Judged:
    """The result of judging.

    Args:
        root: the vault's real path.
        files: those that were judged.
        problems: all of them, those of one file behind each other.
        skipped: what could not be judged, with the reason.
        known: how many more problems a baseline names.

    """

    root: Path
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    known: int = 0

    def errors_only(self) -> Judged:
        """Return it without the warnings."""
        return replace(self, problems=tuple(one for one in self.problems if one.severity == "error"))

    def fails(self, severity: Severity) -> bool:
        """Whether something is as bad as this or worse, or could not be judged."""
        return bool(self.skipped) or any(one.severity in {severity, "error"} for one in self.problems)


def judge_paths(choices: Choices, paths: tuple[Path, ...], *, warnings: bool = True) -> Judged:
    """Judge what the paths name; no path is the whole vault.

    Args:
        choices: the options of the command line.
        paths: files and folders.
        warnings: whether warnings are wanted; those across files need all notes of an agent to be read.

    Raises:
        AtomicAgentsError: a path is not there, or lies in no vault.
        ConfigError: the configuration is wrong.
        VaultMissingError: no path was given and the vault is not there.

    """
    config = choices.load()
    root = find_vault(choices, config, paths)
    layout = read_layout(root, config.vault.ignore)
    survey = Survey()
    places = list(find_places(root, layout, paths, survey, others=_others(across=warnings)))
    with counting(len(places)) as tick:
        judge_one = _Judge(root, layout, config, across=warnings, ticked=lambda: tick("read"))
        for place in places:
            judge_one.take(place)
            tick("judged")
    for folder, error in survey.unreadable.items():
        judge_one.skip(folder, error.strerror or "cannot be read")
    return judge_one.result()


def judge_staged(choices: Choices) -> Judged:
    """Judge what is staged in git: the bytes that the next commit will hold, errors only.

    Args:
        choices: the options of the command line.

    Raises:
        AtomicAgentsError: the vault lies in no git work tree.
        ConfigError: the configuration is wrong.
        VaultMissingError: the vault is not there.

    """
    from atomic_agents.cli.staging import staged

    config, root = choices.load(), choices.root()
    layout = read_layout(root, config.vault.ignore)
    judge_one = _Judge(root, layout, config, across=False)
    for path, data in staged(root, lambda path: is_judged(layout.place(path))):
        judge_one.take_bytes(layout.place(path), data)
    return judge_one.result()


class _Judge:
    def __init__(
        self,
        root: Path,
        layout: Layout,
        config: Config,
        *,
        across: bool,
        ticked: Callable[[], object] = lambda: None,
    ) -> None:
        self._root = root
        self._schemas = SchemaSet.of_vault(root)
        self._limits = limits_of(config)
        neighbours = DiskNeighbours(root, layout, self._schemas, self._limits, ticked)
        self._neighbours = neighbours if across else None
        self._linting = _linting(root, neighbours, self._limits) if across else None
        self._today = dt.datetime.now().astimezone().date()
        self._places: list[Place] = []
        self._problems: dict[str, list[Problem]] = {}
        self._skipped: list[tuple[str, str]] = []

    def take(self, place: Place) -> None:
        try:
            found = self._look(place)
        except (NotRegularFileError, FileChangedError, FileTooLargeError) as error:
            self.skip(place.path, str(error).rpartition(": ")[2])
        except OSError as error:
            self.skip(place.path, error.strerror or "cannot be read")
        else:
            self._keep(place, found)

    def take_bytes(self, place: Place, data: bytes) -> None:
        if len(data) > self._limits.max_note_bytes:
            self._keep(place, list(too_large(place, len(data), "", self._limits).problems))
        else:
            self._keep(place, list(self._judge(place, data)))

    def _keep(self, place: Place, found: list[Problem]) -> None:
        self._places.append(place)
        self._problems[place.path] = found

    def skip(self, path: str, reason: str) -> None:
        self._skipped.append((path, reason))

    def result(self) -> Judged:
        among = self._linting.layers(self._places) if self._linting is not None else {}
        files = tuple(place.path for place in self._places)
        found = (problem for path in files for problem in (*self._problems[path], *among.get(path, ())))
        return Judged(self._root, files, tuple(found), tuple(self._skipped))

    def _look(self, place: Place) -> list[Problem]:
        path = Path(os.path.realpath(self._root / place.path))
        is_other = self._linting is not None and place.kind in self._linting.kinds
        try:
            data = read_file(path, limit=_LARGEST if is_other else self._limits.max_note_bytes).data
        except FileTooLargeError:
            if is_other:
                raise
            return list(too_large(place, path.stat().st_size, "", self._limits).problems)
        found = [] if is_other else list(self._judge(place, data))
        if self._linting is not None and place.kind is not Kind.INDEX:
            found += self._linting.file(place, data)
        return found

    def _judge(self, place: Place, data: bytes) -> tuple[Problem, ...]:
        if place.kind is Kind.INDEX:
            return judge_index(place, data, self._limits)
        verdict = judge(
            place,
            data,
            schemas=self._schemas,
            today=self._today,
            limits=self._limits,
            neighbours=self._neighbours,
        )
        return verdict.problems


def _linting(root: Path, neighbours: DiskNeighbours, limits: Limits) -> Linting:
    """Return what looks beyond single units; `check` does without, and so without the time to load it."""
    from atomic_agents.cli.linting import Linting

    return Linting(root, neighbours, limits)


def _others(*, across: bool) -> frozenset[Kind]:
    """Return the kinds that are looked at besides notes, pages and INDEX files."""
    if not across:
        return frozenset()
    from atomic_agents.lint import LINTED

    return LINTED
