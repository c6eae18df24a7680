"""What `atomicd fix` would do: each file read, mended and named anew; nothing is written here."""

from __future__ import annotations

import datetime as dt
import os
import posixpath
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from atomic_agents._io import Reading, read_file
from atomic_agents._schema import SchemaSet
from atomic_agents.cli.choosing import find_places, find_vault, limits_of
from atomic_agents.cli.options import Choices
from atomic_agents.cli.progress import counting
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.model import Place, Problem
from atomic_agents.units import Limits, read
from atomic_agents.units.fixing import fix
from atomic_agents.units.fixing_draft import Mend
from atomic_agents.units.renaming import better_name
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout

NAME_FAULT = "filename-pattern"


@dataclass(frozen=True)
class Change:
    """One file: what it should hold, and what it should be called.

    Args:
        path: relative to the vault.
        reading: its bytes as they are.
        data: its bytes as they should be.
        mends: what was mended.
        rename: its new file name, if it gets one.
        left: what has to be mended by hand.
        is_valid: whether its present bytes are valid.
        written: whether that was done.
        refused: why it was not done.

    """

    path: str
    reading: Reading
    data: bytes
    mends: tuple[Mend, ...] = ()
    rename: str | None = None
    left: tuple[Problem, ...] = ()
    is_valid: bool = True
    written: bool = False
    refused: str | None = None

    @property
    def is_due(self) -> bool:
        """Whether there is something to do."""
        return self.data != self.reading.data or self.rename is not None

    @property
    def new_path(self) -> str:
        """The path that it should have."""
        return posixpath.join(posixpath.dirname(self.path), self.rename) if self.rename else self.path


@dataclass
class Plan:
    """What is to be done in a vault.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        schemas: the versions in force.
        limits: what the operator set.
        changes: every file that was looked at, and those that follow a rename.
        skipped: what could not be read, with the reason.

    """

    root: Path
    layout: Layout
    schemas: SchemaSet
    limits: Limits
    changes: list[Change] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    @property
    def due(self) -> list[Change]:
        """The changes, without files that stay as they are."""
        return [change for change in self.changes if change.is_due]

    @property
    def left(self) -> list[Problem]:
        """What has to be mended by hand."""
        return [problem for change in self.changes for problem in change.left]


def make_plan(choices: Choices, paths: tuple[Path, ...], *, with_names: bool) -> Plan:
    """Return what there is to mend in the files that the paths name.

    Args:
        choices: the options of the command line.
        paths: files and folders.
        with_names: whether files are renamed too.

    Raises:
        AtomicAgentsError: a path is not there, or lies in no vault.
        ConfigError: the configuration is wrong.

    """
    config = choices.load()
    root = find_vault(choices, config, paths)
    layout = read_layout(root, config.vault.ignore)
    plan = Plan(root, layout, SchemaSet.of_vault(root), limits_of(config))
    survey, today = Survey(), dt.datetime.now().astimezone().date()
    places = [place for place in find_places(root, layout, paths, survey) if place.kind.is_unit]
    with counting(len(places)) as tick:
        for place in places:
            _take(plan, place, today, with_names=with_names)
            tick("looked at")
    for path, error in survey.unreadable.items():
        plan.skipped.append((path, error.strerror or "cannot be read"))
    plan.changes = _with_names_apart(root, plan.changes)
    return plan


def read_content(root: Path, path: str, limits: Limits) -> Reading:
    """Return a file's bytes, behind links that lie inside the vault.

    Args:
        root: the vault's real path.
        path: relative to it.
        limits: what the operator set.

    Raises:
        NotRegularFileError: it is something else.
        FileTooLargeError: it has more bytes than a note may have.
        FileChangedError: it is being written to.
        OSError: the system refuses.

    """
    return read_file(Path(os.path.realpath(root / path)), limit=limits.max_note_bytes)


def _take(plan: Plan, place: Place, today: dt.date, *, with_names: bool) -> None:
    try:
        reading = read_content(plan.root, place.path, plan.limits)
    except (NotRegularFileError, FileTooLargeError, FileChangedError) as error:
        plan.skipped.append((place.path, str(error).rpartition(": ")[2]))
    except OSError as error:
        plan.skipped.append((place.path, error.strerror or "cannot be read"))
    else:
        found = fix(place, reading.data, schemas=plan.schemas, today=today, limits=plan.limits)
        told = (read(found.data).values or {}).get("type")
        name = better_name(place, told, plan.schemas) if with_names else None
        plan.changes.append(
            Change(place.path, reading, found.data, found.mends, name, found.left, found.before.is_valid)
        )


def _with_names_apart(root: Path, changes: Iterable[Change]) -> list[Change]:
    """Return the changes without renames to a name that is taken, or that two files want."""
    wanted = Counter(change.new_path for change in changes if change.rename)
    return [
        replace(change, rename=None)
        if change.rename and (wanted[change.new_path] > 1 or os.path.lexists(root / change.new_path))
        else _without_name_fault(change)
        for change in changes
    ]


def _without_name_fault(change: Change) -> Change:
    if change.rename is None:
        return change
    return replace(change, left=tuple(each for each in change.left if each.code != NAME_FAULT))
