"""Carrying out a decided restore; may be interrupted anywhere and begun again (contract [M-2])."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from atomic_agents._files.write import discard
from atomic_agents._io import make_folder, move_file, sync_folder
from atomic_agents.migration.ops import (
    Identity,
    Journal,
    MakeFolder,
    Put,
    SetAside,
    SetMode,
    Step,
    identity_of,
    journal_path,
)
from atomic_agents.migration.scope import DISPLACED, RESTORING
from atomic_agents.vault.kinds import MIGRATIONS


def staging_folder(root: Path, run: str) -> Path:
    """Return where a restore's files wait."""
    return root / MIGRATIONS / RESTORING / run


def displaced_folder(root: Path, run: str) -> Path:
    """Return where a restore sets aside what came after the snapshot."""
    return root / MIGRATIONS / DISPLACED / run


def redo(root: Path, journal: Journal) -> None:
    """Finish a restore and remove its journal.

    Args:
        root: the vault's real path.
        journal: what was decided.

    Raises:
        OSError: the system refuses; the journal stays, and the restore can be finished later.

    """
    work = _Work(root, journal)
    for step in journal.steps:
        work.do(step)
    work.make_durable()
    os.unlink(journal_path(root))
    sync_folder(root / MIGRATIONS)
    clear_staging(root)


def clear_staging(root: Path) -> None:
    """Remove what restores left staged; only without a journal."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(root / MIGRATIONS / RESTORING)


class _Work:
    def __init__(self, root: Path, journal: Journal) -> None:
        self._root = root
        self._base = str(root).rstrip("/")
        self._staging = str(staging_folder(root, journal.run))
        self._displaced = displaced_folder(root, journal.run)
        self._folders: set[str] = set()
        self._clear: set[str] = {""}
        self._doers: dict[type[Step], Callable[[Any], None]] = {
            MakeFolder: self._make_folder,
            Put: self._put,
            SetAside: self._set_aside_or_drop,
            SetMode: self._set_mode,
        }

    def do(self, step: Step) -> None:
        self._doers[type(step)](step)

    def _make_folder(self, step: MakeFolder) -> None:
        full = Path(self._clear_way(step.path))
        if not _is_folder(full):
            self._set_aside(step.path)
            full.mkdir(step.mode)
            self._folders.add(str(full.parent))
        full.chmod(step.mode)

    def _put(self, step: Put) -> None:
        staged = f"{self._staging}/{step.number}"
        if not os.path.lexists(staged):
            return
        full = self._clear_way(step.path)
        if not _is(full, step.drops):
            self._set_aside(step.path)
        _rename(staged, full)
        self._folders.add(full.rpartition("/")[0])

    def _set_aside_or_drop(self, step: SetAside) -> None:
        full = self._root / step.path
        if not self._is_plain(step.path):
            return
        if _is(str(full), step.drops):
            discard(full)
            self._folders.add(str(full.parent))
        else:
            self._set_aside(step.path)

    def _set_mode(self, step: SetMode) -> None:
        if self._is_plain(step.path):
            (self._root / step.path).chmod(step.mode)

    def make_durable(self) -> None:
        for folder in map(Path, self._folders):
            if _is_folder(folder):
                sync_folder(folder)

    def _is_plain(self, path: str) -> bool:
        """Whether a regular file lies there, and only real folders above it."""
        full = self._root / path
        try:
            is_file = stat.S_ISREG(os.lstat(full).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return is_file and os.path.realpath(full.parent) == str(full.parent)

    def _clear_way(self, path: str) -> str:
        """Return the full path, all folders above it real ones."""
        parent = path.rpartition("/")[0]
        if parent not in self._clear:
            full = Path(self._clear_way(parent))
            if not _is_folder(full):
                self._set_aside(parent)
                full.mkdir(0o755)
                self._folders.add(str(full.parent))
            self._clear.add(parent)
        return f"{self._base}/{path}"

    def _set_aside(self, path: str) -> None:
        """Move whatever lies at a path to the displaced folder, under a name that is free."""
        full = self._root / path
        try:
            status = os.lstat(full)
        except FileNotFoundError:
            return
        wanted = self._displaced / path
        make_folder(wanted.parent, mode=0o755)
        move: Callable[[Path, Path], object] = move_file if stat.S_ISREG(status.st_mode) else Path.rename
        move(full, _free_name(wanted))
        self._folders.update({str(full.parent), str(wanted.parent)})


def _is_folder(full: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(full).st_mode)
    except FileNotFoundError:
        return False


def _is(full: str, known: Identity | None) -> bool:
    if known is None:
        return False
    try:
        return identity_of(os.lstat(full)) == known
    except FileNotFoundError:
        return False


def _free_name(wanted: Path) -> Path:
    count, free = 1, wanted
    while os.path.lexists(free):
        count += 1
        free = wanted.with_name(f"{wanted.name}.{count}")
    return free


def _rename(staged: str, full: str) -> None:
    try:
        os.replace(staged, full)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        discard(Path(full))
        move_file(Path(staged), Path(full))
