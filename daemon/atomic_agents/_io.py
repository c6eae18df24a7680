"""The only way to write a file: temporary beside it, fsync, keep mode and owner, replace, fsync the folder.

Source: seed MUST 3; contract [WRITE-1], [Q-1], [D-5]. Every temporary file is called
`.{name}.{random}.atomicd.tmp`, so that one left by a kill is known for what it is.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError

TEMPORARY: Final = re.compile(r"^\..+\.[0-9a-f]{8}\.atomicd\.tmp$", re.DOTALL)
"""Names of the temporary files that this module makes."""

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Reading:
    """A file's bytes and the status that belongs to exactly these bytes."""

    data: bytes
    status: os.stat_result

    @property
    def sha256(self) -> str:
        """The hash of the bytes, in hex."""
        return hashlib.sha256(self.data).hexdigest()


def read_file(path: Path, *, limit: int | None = None) -> Reading:
    """Return a regular file's bytes; never blocks on a FIFO and never follows a last link.

    Args:
        path: the file.
        limit: most bytes that are read; None is no limit.

    Raises:
        NotRegularFileError: it is something else.
        FileTooLargeError: it has more bytes than `limit`.
        FileChangedError: it was written to while it was read.
        OSError: the system refuses.

    """
    handle = _open(path)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise NotRegularFileError(f"{path}: no regular file")
        if limit is not None and before.st_size > limit:
            raise FileTooLargeError(f"{path}: {before.st_size} bytes, expected at most {limit}")
        data = _drain(handle, before.st_size)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    if len(data) != after.st_size or _times(before) != _times(after):
        raise FileChangedError(f"{path}: changed while it was read")
    return Reading(data, after)


def hash_file(path: Path) -> tuple[str, os.stat_result]:
    """Return the SHA-256 (hex) of a regular file of any size, read in pieces, and its status.

    Raises:
        NotRegularFileError: it is something else.
        FileChangedError: it was written to while it was read.
        OSError: the system refuses.

    """
    handle = _open(path)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise NotRegularFileError(f"{path}: no regular file")
        digest = hashlib.sha256()
        while piece := os.read(handle, _CHUNK):
            digest.update(piece)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    if _times(before) != _times(after):
        raise FileChangedError(f"{path}: changed while it was read")
    return digest.hexdigest(), after


def atomic_write(path: Path, text: str | bytes) -> None:
    """Replace a file's content, or create it: all or nothing, durable, mode and owner kept.

    Args:
        path: the file; a link in its last place is replaced by nothing, it is an error.
        text: the new content; `str` is written as UTF-8 with line ends as they are.

    Raises:
        NotRegularFileError: the path is a link or no regular file.
        OSError: the system refuses; the old content is still there and no temporary file stays.

    """
    replace_file(path, _encode(text))


def replace_file(path: Path, data: bytes, *, expected: os.stat_result | None = None) -> os.stat_result:
    """Replace a file's content as `atomic_write` does and return the new file's status.

    Args:
        path: the file.
        data: the new content.
        expected: the status of the bytes that were read; None replaces whatever is there.

    Raises:
        FileChangedError: the file is no longer the one that `expected` describes.
        NotRegularFileError: the path is a link or no regular file.
        OSError: the system refuses.

    """
    old = _check_unchanged(path, expected)
    temporary = _write_temporary(path, data, old)
    try:
        _check_unchanged(path, expected)
        os.replace(temporary, path)
    except BaseException:
        _discard(temporary)
        raise
    sync_folder(path.parent)
    return os.stat(path, follow_symlinks=False)


def create_file(
    path: Path, data: bytes, *, mode: int = 0o644, owner_of: os.stat_result | None = None
) -> bool:
    """Create a file with this content, durable, only if nothing has this name.

    Args:
        path: the file.
        data: its content.
        mode: its permission bits.
        owner_of: whose user and group it gets, where the system allows it.

    Returns:
        True if it was created, False if something was there.

    """
    temporary = _write_temporary(path, data, None, mode=mode, owner_of=owner_of)
    try:
        created = _link_in(temporary, path)
    finally:
        _discard(temporary)
    if created:
        sync_folder(path.parent)
    return created


def move_file(source: Path, target: Path, *, sha256: str | None = None) -> None:
    """Move a regular file to a name that is free, also to another file system; durable, never overwrites.

    Args:
        source: the file.
        target: the new name.
        sha256: the hash that its bytes must have where they have to be copied; None takes them as they are.

    Raises:
        FileExistsError: something has the new name.
        FileChangedError: a copy did not have the hash; the source is still there.
        OSError: the system refuses; the source is still there.

    """
    try:
        if not _rename_in(source, target):
            raise FileExistsError(errno.EEXIST, "something has this name", str(target))
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_over(source, target, sha256)
    sync_folder(target.parent)
    sync_folder(source.parent)


def identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """Return what tells one state of a file from another: device, inode, size, modification time."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; file systems that cannot are left alone."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path, *, mode: int = 0o700) -> None:
    """Create a folder and its missing parents, durable.

    Args:
        folder: the folder; one that is there keeps its mode.
        mode: permission bits of each folder that is created.

    """
    if folder.is_dir():
        return
    make_folder(folder.parent, mode=mode)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=mode)
        sync_folder(folder.parent)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
            raise NotRegularFileError(f"{path}: no regular file") from error
        raise


def _drain(handle: int, size: int) -> bytes:
    pieces = []
    while piece := os.read(handle, max(size + 1, 1 << 16)):
        pieces.append(piece)
        size = _CHUNK
    return b"".join(pieces)


def _times(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _status(path: Path) -> os.stat_result | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularFileError(f"{path}: no regular file, so it is not replaced")
    return status


def _check_unchanged(path: Path, expected: os.stat_result | None) -> os.stat_result | None:
    now = _status(path)
    if expected is not None and (now is None or identity(now) != identity(expected)):
        raise FileChangedError(f"{path}: changed since it was read")
    return now


def _encode(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8")


def _write_temporary(
    path: Path,
    data: bytes,
    old: os.stat_result | None,
    *,
    mode: int = 0o644,
    owner_of: os.stat_result | None = None,
) -> Path:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.atomicd.tmp")
    wanted = stat.S_IMODE(old.st_mode) if old is not None else mode
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _write_all(handle, data)
        _own(handle, old if old is not None else owner_of)
        os.fchmod(handle, wanted)
        os.fsync(handle)
    except BaseException:
        _discard(temporary)
        raise
    finally:
        os.close(handle)
    return temporary


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _own(handle: int, like: os.stat_result | None) -> None:
    """Give the file the owner of another; a user who may not do that keeps it as it is."""
    if like is None:
        return
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, like.st_uid, like.st_gid)


def _link_in(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}:
            raise
        return _claim(temporary, path)
    return True


def _rename_in(source: Path, target: Path) -> bool:
    """Rename without overwriting, by a hard link where the file system has them."""
    if not _link_in(source, target):
        return False
    with contextlib.suppress(FileNotFoundError):
        os.unlink(source)
    return True


def _claim(temporary: Path, path: Path) -> bool:
    """Take the name with an empty file first, for file systems without hard links."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        return False
    os.replace(temporary, path)
    return True


def _copy_over(source: Path, target: Path, sha256: str | None) -> None:
    digest, status = hash_file(source)
    if sha256 is not None and digest != sha256:
        raise FileChangedError(f"{source}: changed before it was moved")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.atomicd.tmp")
    try:
        _copy_bytes(source, temporary, status)
        if hash_file(temporary)[0] != digest:
            raise FileChangedError(f"{source}: the copy has other bytes, so nothing was moved")
        if not _link_in(temporary, target):
            raise FileExistsError(errno.EEXIST, "something has this name", str(target))
    finally:
        _discard(temporary)
    if hash_file(source)[0] != digest:
        raise FileChangedError(f"{source}: changed while it was moved, so it stays; the copy is {target}")
    os.unlink(source)


def _copy_bytes(source: Path, target: Path, status: os.stat_result) -> None:
    reader = _open(source)
    writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        while piece := os.read(reader, _CHUNK):
            _write_all(writer, piece)
        _own(writer, status)
        os.fchmod(writer, stat.S_IMODE(status.st_mode))
        os.utime(writer, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.fsync(writer)
    finally:
        os.close(reader)
        os.close(writer)


def _discard(temporary: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)
