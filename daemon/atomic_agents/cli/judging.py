"""Which files a command line names, and what is to be said of them."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.choosing import find_places, find_vault, is_judged, limits_of
from atomic_agents.cli.options import Choices
from atomic_agents.cli.progress import counting
from atomic_agents.config import Config
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.model import Kind, Place, Problem, Severity
from atomic_agents.units import judge, judge_index, too_large
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout

if TYPE_CHECKING:
    from atomic_agents.lint import Linting


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
        linting = _linting(root, layout, config, lambda: tick("read")) if warnings else None
        judge_one = _Judge(root, config, linting)
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
    judge_one = _Judge(root, config)
    for path, data in staged(root, lambda path: is_judged(layout.place(path))):
        judge_one.take_bytes(layout.place(path), data)
    return judge_one.result()


class _Judge:
    def __init__(self, root: Path, config: Config, linting: Linting | None = None) -> None:
        self._root = root
        self._schemas = SchemaSet.of_vault(root)
        self._limits = limits_of(config)
        self._linting = linting
        self._today = _today()
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
        if self._linting is not None:
            return self._linting.look(place)
        path = Path(os.path.realpath(self._root / place.path))
        try:
            data = read_file(path, limit=self._limits.max_note_bytes).data
        except FileTooLargeError:
            return list(too_large(place, path.stat().st_size, "", self._limits).problems)
        return list(self._judge(place, data))

    def _judge(self, place: Place, data: bytes) -> tuple[Problem, ...]:
        """Judge what blocks alone: no other file needs to be read for that."""
        if place.kind is Kind.INDEX:
            return judge_index(place, data, self._limits)
        verdict = judge(place, data, schemas=self._schemas, today=self._today, limits=self._limits)
        return verdict.problems


def _linting(root: Path, layout: Layout, config: Config, ticked: Callable[[], object]) -> Linting:
    """Return what looks beyond single units; `check` does without, and so without the time to load it."""
    from atomic_agents.lint import Linting

    return Linting(root, layout, SchemaSet.of_vault(root), limits_of(config), _today(), ticked=ticked)


def _others(*, across: bool) -> frozenset[Kind]:
    """Return the kinds that are looked at besides notes, pages and INDEX files."""
    if not across:
        return frozenset()
    from atomic_agents.lint import LINTED

    return LINTED


def _today() -> dt.date:
    return dt.datetime.now().astimezone().date()
