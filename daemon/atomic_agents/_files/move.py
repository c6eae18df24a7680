"""Moving one file: never over another, never a newer one lost, durable in the new place first."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from pathlib import Path
from typing import Final

from atomic_agents._files.read import CHUNK, hash_file, open_regular
from atomic_agents._files.write import discard, link_in, own, sync_folder, temporary_name, write_all
from atomic_agents.exceptions import FileChangedError, NotRegularFileError

_NOT_SUPPORTED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def move_file(source: Path, target: Path, *, sha256: str | None = None) -> None:
    """Move a regular file to a name that is free, also to another file system; durable, never overwrites.

    A version that another writer renames to `source` meanwhile is either the one that moves or stays.

    Args:
        source: the file.
        target: the new name.
        sha256: the hash that its bytes must have where they have to be copied; None takes them as they are.

    Raises:
        NotRegularFileError: the source is something else.
        FileExistsError: something has the new name.
        FileChangedError: a copy did not have the hash; the source is still there.
        OSError: the system refuses; the source is still there.

    """
    if not stat.S_ISREG(os.stat(source, follow_symlinks=False).st_mode):
        raise NotRegularFileError(f"{source}: no regular file, so it is not moved")
    try:
        if not rename_exclusively(source, target):
            _link_over(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_over(source, target, sha256)
    sync_folder(target.parent)
    sync_folder(source.parent)


def rename_exclusively(source: Path, target: Path) -> bool:
    """Rename in one step, only to a name that is free; False where the system has no such call.

    Raises:
        FileExistsError: something has the new name.
        OSError: the system refuses.

    """
    code = _rename_call(os.fsencode(source), os.fsencode(target))
    if code in _NOT_SUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(source), None, str(target))
    return True


def _rename_call(source: bytes, target: bytes) -> int:
    """Return 0 or the error number of `renameat2(RENAME_NOREPLACE)`, on macOS `renamex_np(RENAME_EXCL)`."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        call, arguments = getattr(libc, "renamex_np", None), (source, target, 4)
    else:
        here = -100
        call, arguments = getattr(libc, "renameat2", None), (here, source, here, target, 1)
    if call is None:
        return errno.ENOSYS
    return 0 if call(*arguments) == 0 else ctypes.get_errno()


def _link_over(source: Path, target: Path) -> None:
    """Move by a second name, for systems without an exclusive rename."""
    if not link_in(source, target):
        raise FileExistsError(errno.EEXIST, "something has this name", str(target))
    sync_folder(target.parent)
    if _same_file(source, target):
        os.unlink(source)


def _same_file(source: Path, target: Path) -> bool:
    try:
        return os.path.samestat(os.lstat(source), os.lstat(target))
    except FileNotFoundError:
        return False


def _copy_over(source: Path, target: Path, sha256: str | None) -> None:
    digest, status = hash_file(source)
    if sha256 is not None and digest != sha256:
        raise FileChangedError(f"{source}: changed before it was moved")
    temporary = temporary_name(target)
    try:
        _copy_bytes(source, temporary, status)
        if hash_file(temporary)[0] != digest:
            raise FileChangedError(f"{source}: the copy has other bytes, so nothing was moved")
        if not link_in(temporary, target):
            raise FileExistsError(errno.EEXIST, "something has this name", str(target))
    finally:
        discard(temporary)
    sync_folder(target.parent)
    if hash_file(source)[0] != digest:
        raise FileChangedError(f"{source}: changed while it was moved, so it stays; the copy is {target}")
    os.unlink(source)


def _copy_bytes(source: Path, target: Path, status: os.stat_result) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open_regular(source) as (reader, _status):
        writer = os.open(target, flags, 0o600)
        try:
            while piece := os.read(reader, CHUNK):
                write_all(writer, piece)
            own(writer, status)
            os.fchmod(writer, stat.S_IMODE(status.st_mode))
            os.utime(writer, ns=(status.st_atime_ns, status.st_mtime_ns))
            os.fsync(writer)
        finally:
            os.close(writer)
