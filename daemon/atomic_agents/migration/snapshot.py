"""Taking a snapshot: written beside, verified whole, then named (seed MUST 4, Backup before migrate)."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from atomic_agents._files.read import open_regular
from atomic_agents._files.write import discard, temporary_name
from atomic_agents._io import TEMPORARY, make_folder, read_file, sync_folder
from atomic_agents.exceptions import (
    FileChangedError,
    MigrationError,
    MigrationSnapshotNotFound,
    NotRegularFileError,
)
from atomic_agents.migration import manifest as table
from atomic_agents.migration.manifest import Folder, Held, Item, Odd
from atomic_agents.migration.rows import encode_row
from atomic_agents.migration.scope import SNAPSHOTS, Entry, Scope, survey
from atomic_agents.migration.tarball import LARGEST_NAME, Owner, TarWriter
from atomic_agents.migration.verify import prove_archive
from atomic_agents.vault.kinds import MIGRATIONS

_NAME: Final = re.compile(r"^(\d{4}-\d\d-\d\dT\d{6})(?:-(\d+))?_pre_v(\d+)_migration\.tar\.gz$")
_SMALL: Final = 1 << 20
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What a snapshot is for.

    Args:
        to_version: the version that the migration leads to.
        now: wall time, seconds since the epoch.

    """

    to_version: int
    now: float


def snapshots_folder(root: Path) -> Path:
    """Return where a vault's snapshots lie."""
    return root / MIGRATIONS / SNAPSHOTS


def list_snapshots(root: Path) -> list[Path]:
    """Return the vault's snapshots, oldest first."""
    try:
        names = [path.name for path in snapshots_folder(root).iterdir()]
    except FileNotFoundError:
        return []
    dated = [(match[1], int(match[2] or 0), name) for name in names if (match := _NAME.match(name))]
    return [snapshots_folder(root) / name for _when, _count, name in sorted(dated)]


def find_snapshot(root: Path, name: str) -> Path:
    """Return the snapshot of this name.

    Args:
        root: the vault's real path.
        name: the archive's file name; of a path, its last part counts.

    Raises:
        MigrationSnapshotNotFound: there is none.

    """
    folder = snapshots_folder(root)
    path = folder / (Path(name).name or "..")
    if path.name == ".." or TEMPORARY.match(path.name) or not os.path.lexists(path):
        raise MigrationSnapshotNotFound(
            f"snapshot {name!r}: not in {folder}",
            hint="--list-snapshots names those that are there",
        )
    return path


def take_snapshot(root: Path, scope: Scope, request: Request, units: Collection[str]) -> Path:
    """Write an archive of everything in scope and give it its name once it is proven to be whole.

    Args:
        root: the vault's real path.
        scope: what belongs in it.
        request: what it is for.
        units: real paths, relative to the vault, of units that lie outside the scope, behind a link.

    Returns:
        The archive's path.

    Raises:
        MigrationError: a file cannot be read, changes all the time, or there is no room.

    """
    folder = snapshots_folder(root)
    try:
        make_folder(folder, mode=0o755)
        with _temporary(folder) as (temporary, target):
            _write(root, scope, request, units, target)
            target.flush()
            os.fsync(target.fileno())
            prove_archive(temporary, scope)
            final = _publish(temporary, folder, request)
        sync_folder(folder)
    except OSError as error:
        raise MigrationError(
            f"snapshot: {error.filename or folder} ({error.strerror or error}); nothing was changed",
            hint="make room, or mend what cannot be read",
        ) from error
    return final


@contextlib.contextmanager
def _temporary(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    temporary = temporary_name(folder / "snapshot.tar.gz")
    handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as target:
            yield temporary, target
    finally:
        discard(temporary)


def _publish(temporary: Path, folder: Path, request: Request) -> Path:
    stamp = dt.datetime.fromtimestamp(request.now, dt.UTC).strftime("%Y-%m-%dT%H%M%S")
    count = 1
    while True:
        suffix = f"-{count}" if count > 1 else ""
        final = folder / f"{stamp}{suffix}_pre_v{request.to_version}_migration.tar.gz"
        try:
            os.link(temporary, final)
        except FileExistsError:
            count += 1
        except OSError:
            if final.exists():
                count += 1
                continue
            os.replace(temporary, final)
            return final
        else:
            return final


def _write(root: Path, scope: Scope, request: Request, units: Collection[str], target: BinaryIO) -> None:
    writer = TarWriter(target)
    rows = [encode_row({"format": table.FORMAT, "to_version": request.to_version, "taken": request.now})]
    for entry in _entries(root, scope, units):
        item = _hold(root, entry, writer)
        if item is not None:
            rows.append(encode_row(table.row_of(item)))
    size = sum(map(len, rows))
    writer.begin(table.MANIFEST_NAME, size, mode=0o600, mtime=0, owner=Owner(0, 0))
    for row in rows:
        writer.write(row)
    writer.pad(size)
    writer.close()


def _entries(root: Path, scope: Scope, units: Collection[str]) -> Iterator[Entry]:
    yield from survey(root, scope)
    for path in sorted(units):
        yield Entry(path, "file", os.lstat(root / path))


def _hold(root: Path, entry: Entry, writer: TarWriter) -> Item | None:
    """Add what the archive holds of something; None when it went away meanwhile."""
    status = entry.status
    if entry.what == "folder":
        return Folder(entry.path, table.permissions(entry), status.st_uid, status.st_gid)
    if entry.what == "odd":
        return _odd(root, entry)
    return _hold_file(root / entry.path, entry.path, writer)


def _odd(root: Path, entry: Entry) -> Odd:
    mode = entry.status.st_mode
    if stat.S_ISLNK(mode):
        with contextlib.suppress(FileNotFoundError):
            return Odd(entry.path, "link", str((root / entry.path).readlink()))
    what = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFLNK: "link"}
    return Odd(entry.path, what.get(stat.S_IFMT(mode), "device"), "")


def _hold_file(full: Path, path: str, writer: TarWriter) -> Held | None:
    """Add a file's bytes; None when it went away meanwhile."""
    try:
        if os.lstat(full).st_size > _SMALL:
            return _hold_large(full, path, writer)
        return _hold_small(full, path, writer)
    except FileNotFoundError:
        return None
    except (FileChangedError, NotRegularFileError) as error:
        raise MigrationError(
            f"snapshot: {path} is being changed; nothing was changed by us",
            hint="stop what writes to it and try again",
        ) from error


def _hold_small(full: Path, path: str, writer: TarWriter, tries: int = _TRIES) -> Held:
    try:
        reading = read_file(full)
    except FileChangedError:
        if tries == 1:
            raise
        return _hold_small(full, path, writer, tries - 1)
    digest = hashlib.sha256(reading.data).digest()
    held = _held(path, digest, len(reading.data), reading.status)
    writer.add(
        _archive_name(path), reading.data,
        mode=held.mode, mtime=held.mtime_ns // 10**9, owner=Owner(held.uid, held.gid),
    )  # fmt: skip
    return held


def _hold_large(full: Path, path: str, writer: TarWriter) -> Held:
    with open_regular(full) as (handle, status):
        held = _held(path, b"", status.st_size, status)
        writer.begin(
            _archive_name(path), status.st_size,
            mode=held.mode, mtime=held.mtime_ns // 10**9, owner=Owner(held.uid, held.gid),
        )  # fmt: skip
        digest, left = hashlib.sha256(), status.st_size
        while left and (piece := os.read(handle, min(left, _SMALL))):
            digest.update(piece)
            writer.write(piece)
            left -= len(piece)
        if left or os.fstat(handle).st_mtime_ns != status.st_mtime_ns:
            raise FileChangedError(f"{path}: changed while it was read")
    writer.pad(status.st_size)
    return held._replace(digest=digest.digest())


def _held(path: str, digest: bytes, size: int, status: os.stat_result) -> Held:
    mode = status.st_mode & 0o777
    return Held(path, digest, size, mode, max(status.st_mtime_ns, 0), status.st_uid, status.st_gid)


def _archive_name(path: str) -> bytes:
    name = os.fsencode(path)
    if len(name) > LARGEST_NAME:
        raise MigrationError(f"snapshot: {path[:80]}…: the path is too long for an archive")
    return name
