"""Which files a command line names, and what is to be said of them."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass, replace
from pathlib import Path

from atomic_agents._io import read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.choosing import find_places, find_vault, limits_of
from atomic_agents.cli.options import Choices
from atomic_agents.config import Config
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.model import Kind, Place, Problem
from atomic_agents.units import DiskNeighbours, judge, judge_index, too_large
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout


@dataclass(frozen=True)
class Judged:
    """The result: the files that were judged, all problems, and what could not be judged, with the reason."""

    root: Path
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    def errors_only(self) -> Judged:
        """Return it without the warnings."""
        return replace(self, problems=tuple(one for one in self.problems if one.severity == "error"))

    def has_errors(self) -> bool:
        """Whether something blocks, or could not be judged."""
        return bool(self.skipped) or any(one.severity == "error" for one in self.problems)


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
    judge_one = _Judge(root, layout, config, across=warnings)
    survey = Survey()
    for place in find_places(root, layout, paths, survey):
        judge_one.take(place)
    for folder, error in survey.unreadable.items():
        judge_one.skip(folder, error.strerror or "cannot be read")
    return judge_one.result()


class _Judge:
    def __init__(self, root: Path, layout: Layout, config: Config, *, across: bool) -> None:
        self._root = root
        self._schemas = SchemaSet.of_vault(root)
        self._limits = limits_of(config)
        neighbours = DiskNeighbours(root, layout, self._schemas, self._limits)
        self._neighbours = neighbours if across else None
        self._today = dt.datetime.now().astimezone().date()
        self._files: list[str] = []
        self._problems: list[Problem] = []
        self._skipped: list[tuple[str, str]] = []

    def take(self, place: Place) -> None:
        try:
            found = self._look(place)
        except (NotRegularFileError, FileChangedError) as error:
            self.skip(place.path, str(error).rpartition(": ")[2])
        except OSError as error:
            self.skip(place.path, error.strerror or "cannot be read")
        else:
            self._files.append(place.path)
            self._problems.extend(found)

    def skip(self, path: str, reason: str) -> None:
        self._skipped.append((path, reason))

    def result(self) -> Judged:
        return Judged(self._root, tuple(self._files), tuple(self._problems), tuple(self._skipped))

    def _look(self, place: Place) -> tuple[Problem, ...]:
        path = Path(os.path.realpath(self._root / place.path))
        try:
            data = read_file(path, limit=self._limits.max_note_bytes).data
        except FileTooLargeError:
            return too_large(place, path.stat().st_size, "", self._limits).problems
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
