"""Bringing a vault back: verify → compare → stage → decide → redo (seed MUST 4; contract [M-2])."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents._files.write import write_all
from atomic_agents._io import hash_file, make_folder, sync_folder
from atomic_agents.exceptions import FileChangedError, MigrationError, NotRegularFileError
from atomic_agents.migration.durable import make_durable
from atomic_agents.migration.manifest import Held, Manifest, parents
from atomic_agents.migration.ops import (
    Identity,
    Journal,
    MakeFolder,
    Put,
    SetAside,
    SetMode,
    Step,
    identity_of,
    read_journal,
    write_journal,
)
from atomic_agents.migration.redo import clear_staging, redo, staging_folder
from atomic_agents.migration.scope import Scope, survey
from atomic_agents.migration.verify import members, read_archive
from atomic_agents.migration.written import recall_written


@dataclass(slots=True)
class Difference:
    """What has to be done to a vault so that it is what a snapshot holds.

    Args:
        steps: in their order.
        wanted: the files that have to be staged, by their place in the archive.

    """

    steps: list[Step] = field(default_factory=list)
    wanted: dict[int, Held] = field(default_factory=dict)


def restore_snapshot(root: Path, scope: Scope, archive: Path, run: str) -> None:
    """Bring back every file that a snapshot holds, all or nothing across a kill at any point.

    Args:
        root: the vault's real path; its lock is held.
        scope: what a snapshot of this vault holds.
        archive: the snapshot.
        run: names the folder in which newer content is set aside.

    Raises:
        SnapshotInvalidError: the archive is damaged, foreign or hostile; nothing was changed.
        MigrationError: no room, or the system refuses; says whether it has to be finished later.

    """
    finish_restore(root)
    manifest = read_archive(archive, scope)
    try:
        difference = compare(root, scope, manifest, recall_written(archive))
        _stage(root, archive, run, difference)
        journal = Journal(run, archive.name, tuple(difference.steps))
        write_journal(root, journal)
    except OSError as error:
        clear_staging(root)
        raise MigrationError(
            f"restore of {archive.name}: {error.filename or root} ({error.strerror or error}); "
            "nothing was changed",
            hint="make room, or mend what is refused, and try again",
        ) from error
    _carry_out(root, journal)


def finish_restore(root: Path) -> bool:
    """Finish a restore that was decided; remove what an undecided one left staged.

    Returns:
        Whether there was one to finish.

    Raises:
        MigrationError: it cannot be finished now; it is kept for later.

    """
    journal = read_journal(root)
    if journal is None:
        clear_staging(root)
        return False
    _carry_out(root, journal)
    return True


def _carry_out(root: Path, journal: Journal) -> None:
    try:
        redo(root, journal)
    except OSError as error:
        raise MigrationError(
            f"restore of {journal.snapshot}: stopped at {error.filename or root} ({error.strerror or error})",
            hint="mend that, then run: python -m atomic_agents.migrate --recover",
        ) from error


def compare(root: Path, scope: Scope, manifest: Manifest, written: Collection[bytes]) -> Difference:
    """Return what has to be done; only reads.

    Args:
        root: the vault's real path.
        scope: what a snapshot of this vault holds.
        manifest: the snapshot's contents.
        written: hashes of the bytes that the migration itself wrote.

    """
    found = Difference()
    for folder in manifest.folders:
        if not _has_folder(root, folder.path, folder.mode):
            found.steps.append(MakeFolder(folder.path, folder.mode))
    for number, held in enumerate(manifest.files):
        _compare_file(root, number, held, written, found)
    _find_newer(root, scope, manifest, written, found)
    return found


def _has_folder(root: Path, path: str, mode: int) -> bool:
    try:
        status = os.lstat(root / path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) & 0o777 == mode


def _compare_file(root: Path, number: int, held: Held, written: Collection[bytes], found: Difference) -> None:
    digest, status = _look(root / held.path)
    if digest == held.digest and status is not None and _is_direct(root, held.path):
        if status.st_mode & 0o777 != held.mode:
            found.steps.append(SetMode(held.path, held.mode))
        return
    drops = _drops(digest, status, written)
    found.wanted[number] = held
    found.steps.append(Put(held.path, number, drops))


def _find_newer(
    root: Path, scope: Scope, manifest: Manifest, written: Collection[bytes], found: Difference
) -> None:
    files = {held.path for held in manifest.files}
    known = files | {folder.path for folder in manifest.folders}
    for entry in survey(root, scope):
        if entry.what != "file" or entry.path in known or not files.isdisjoint(parents(entry.path)):
            continue
        if scope.is_content(entry.path):
            digest, status = _look(root / entry.path)
            found.steps.append(SetAside(entry.path, _drops(digest, status, written)))


def _drops(digest: bytes, status: os.stat_result | None, written: Collection[bytes]) -> Identity | None:
    return identity_of(status) if status is not None and digest in written else None


def _look(full: Path) -> tuple[bytes, os.stat_result | None]:
    """Return a regular file's hash and status; an empty hash for anything else."""
    try:
        digest, status = hash_file(full)
    except (FileNotFoundError, NotADirectoryError, NotRegularFileError, FileChangedError):
        return b"", None
    return bytes.fromhex(digest), status


def _is_direct(root: Path, path: str) -> bool:
    """Whether no link lies above a path."""
    parent = (root / path).parent
    return os.path.realpath(parent) == str(parent)


def _stage(root: Path, archive: Path, run: str, difference: Difference) -> None:
    folder = staging_folder(root, run)
    make_folder(folder, mode=0o700)
    base, staged = str(root).rstrip("/"), []
    for number, chunks in _wanted(archive, difference):
        target, held = f"{folder}/{number}", difference.wanted[number]
        _write_staged(target, held, _owner(f"{base}/{held.path}", held), chunks)
        staged.append(target)
    if staged:
        make_durable(staged)
    sync_folder(folder)


def _wanted(archive: Path, difference: Difference) -> Iterator[tuple[int, Iterator[bytes]]]:
    for number, member in enumerate(members(archive)):
        if number in difference.wanted:
            yield number, member.chunks()


def _write_staged(target: str, held: Held, owner: tuple[int, int], chunks: Iterator[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(target, flags, 0o600)
    try:
        for chunk in chunks:
            write_all(handle, chunk)
        if owner != (os.geteuid(), os.getegid()):
            with contextlib.suppress(PermissionError):
                os.fchown(handle, *owner)
        os.fchmod(handle, held.mode)
        os.utime(handle, ns=(held.mtime_ns, held.mtime_ns))
    finally:
        os.close(handle)


def _owner(full: str, held: Held) -> tuple[int, int]:
    """Return the owner that the file has now; one that is gone gets back its former one."""
    try:
        status = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        return held.uid, held.gid
    return status.st_uid, status.st_gid
