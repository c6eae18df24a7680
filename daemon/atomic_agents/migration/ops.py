"""The steps of a restore and the journal that names them (contract [M-2]).

Once the journal is there the restore is decided: whoever finds it finishes it. Each step may be done twice.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from atomic_agents._io import atomic_write, identity, read_file
from atomic_agents.exceptions import MigrationError, SnapshotInvalidError
from atomic_agents.migration.manifest import check_path
from atomic_agents.migration.rows import decode_rows, encode_rows
from atomic_agents.migration.scope import JOURNAL_FILE
from atomic_agents.vault.kinds import MIGRATIONS

Identity = str
"""What tells one state of a file from another, short."""

_RUN: Final = re.compile(r"[0-9a-f]{8,64}\Z")


class MakeFolder(NamedTuple):
    """A folder has to be there, with this mode."""

    path: str
    mode: int


class Put(NamedTuple):
    """The staged file `number` comes to `path`.

    `drops` is the identity of the file there when it may go, None when what is there is set aside.
    """

    path: str
    number: int
    drops: Identity | None


class SetAside(NamedTuple):
    """A file that came after the snapshot is moved away, or removed when it still is `drops`."""

    path: str
    drops: Identity | None


class SetMode(NamedTuple):
    """A file with the right bytes gets back its mode."""

    path: str
    mode: int


Step = MakeFolder | Put | SetAside | SetMode
_KINDS: Final[dict[str, Any]] = {
    "folder": MakeFolder,
    "put": Put,
    "aside": SetAside,
    "mode": SetMode,
}
_WORDS: Final = {kind: word for word, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class Journal:
    """A restore that is decided.

    Args:
        run: its id; names the folders `restoring/{run}` and `displaced/{run}`.
        snapshot: the archive's file name.
        steps: in the order in which they are done.

    """

    run: str
    snapshot: str
    steps: tuple[Step, ...]


def identity_of(status: os.stat_result) -> Identity:
    """Return the identity of a file with this status."""
    return " ".join(map(str, identity(status)))


def journal_path(root: Path) -> Path:
    """Return where a vault's restore journal lies while a restore goes on."""
    return root / MIGRATIONS / JOURNAL_FILE


def write_journal(root: Path, journal: Journal) -> None:
    """Decide a restore: the journal is there, whole and durable, or it is not."""
    head: list[Any] = [{"run": journal.run, "snapshot": journal.snapshot, "steps": len(journal.steps)}]
    rows = itertools.chain(head, ([_WORDS[type(step)], *step] for step in journal.steps))
    atomic_write(journal_path(root), encode_rows(rows))


def read_journal(root: Path) -> Journal | None:
    """Return the restore that was decided and is not finished, if there is one.

    Raises:
        MigrationError: the journal cannot be read.

    """
    path = journal_path(root)
    try:
        lines = read_file(path).data.splitlines()
    except FileNotFoundError:
        return None
    try:
        head, *rows = decode_rows(lines)
        steps = tuple(_decode(rows))
        if len(steps) != head["steps"]:
            raise ValueError("steps are missing")  # noqa: TRY301 - told with the others
        for checked in steps:
            check_path(checked.path)
        if not _RUN.match(head["run"]):
            raise ValueError(f"run {head['run']!r}")  # noqa: TRY301
        return Journal(head["run"], head["snapshot"], steps)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, SnapshotInvalidError) as error:
        raise MigrationError(
            f"restore journal {path}: cannot be read ({error})",
            hint="do not remove it; restore the snapshot once more after asking for help",
        ) from error


def _decode(rows: list[Any]) -> Iterator[Step]:
    for word, *values in rows:
        yield _KINDS[word](*values)
