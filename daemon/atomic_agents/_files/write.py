"""Writing one file: temporary beside it, fsync, keep mode and owner, replace, fsync the folder."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from atomic_agents._files.exchange import exchange
from atomic_agents._files.read import identity
from atomic_agents.exceptions import FileChangedError, NotRegularFileError

TEMPORARY: Final = re.compile(r"\..+\.(?:(?P<pid>[0-9a-f]{1,8})-)?[0-9a-f]{8}\.atomicd\.tmp\Z", re.DOTALL)
"""Names of the temporary files that this package makes; `pid` is the process that makes them."""

_MAX_NAME: Final = 255
_NO_HARD_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})


def replace_file(path: Path, data: bytes, *, expected: os.stat_result | None = None) -> os.stat_result:
    """Replace a file's content as `atomic_write` does and return the status of exactly these bytes.

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
    mode = stat.S_IMODE(old.st_mode) if old is not None else 0o644
    with temporary_file(path, data, mode=mode, owner_of=old) as (temporary, handle):
        written = os.fstat(handle)
        _check_unchanged(path, expected)
        _put_in_place(temporary, path, expected)
        renamed = os.fstat(handle)
    sync_folder(path.parent)
    return renamed if identity(renamed) == identity(written) else written


def _put_in_place(temporary: Path, path: Path, expected: os.stat_result | None) -> None:
    """Rename over the file; where two can be exchanged, one that came in the last moment comes back."""
    if expected is None or not exchange(temporary, path):
        os.replace(temporary, path)
    elif identity(os.stat(temporary, follow_symlinks=False)) != identity(expected):
        exchange(temporary, path)
        raise FileChangedError(f"{path}: changed since it was read")


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
    with temporary_file(path, data, mode=mode, owner_of=owner_of) as (temporary, _handle):
        created = link_in(temporary, path)
    if created:
        sync_folder(path.parent)
    return created


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


@contextmanager
def temporary_file(
    path: Path, data: bytes, *, mode: int, owner_of: os.stat_result | None
) -> Iterator[tuple[Path, int]]:
    """Hold a durable temporary file with this content beside `path`; what is left of it at the end goes."""
    temporary = temporary_name(path)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        write_all(handle, data)
        own(handle, owner_of)
        os.fchmod(handle, mode)
        os.fsync(handle)
        yield temporary, handle
    finally:
        os.close(handle)
        discard(temporary)


def temporary_name(path: Path, token: str | None = None) -> Path:
    """Return a name beside `path` that `TEMPORARY` knows, cut to what file systems take.

    Args:
        path: the file.
        token: eight hex digits; None takes fresh ones.

    """
    ending = temporary_ending(token or secrets.token_hex(4))
    stem = path.name
    while len(os.fsencode(stem)) + len(ending) >= _MAX_NAME:
        stem = stem[:-1]
    return path.with_name(f".{stem}{ending}")


def temporary_ending(token: str) -> str:
    """Return the end of a temporary file's name, by which a later start knows that its writer is gone.

    Args:
        token: eight hex digits.

    """
    return f".{os.getpid():x}-{token}.atomicd.tmp"


def write_all(handle: int, data: bytes) -> None:
    """Write every byte."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def own(handle: int, like: os.stat_result | None) -> None:
    """Give a file the owner of another; a user who may not do that keeps it as it is."""
    if like is None:
        return
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, like.st_uid, like.st_gid)


def link_in(temporary: Path, path: Path) -> bool:
    """Give a file a second name, or its only one where there are no hard links; False if it is taken."""
    try:
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return _claim(temporary, path)
    return True


def discard(temporary: Path) -> None:
    """Remove a file that may be gone already."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)


def _claim(temporary: Path, path: Path) -> bool:
    """Take the name with an empty file first, for file systems without hard links."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        return False
    try:
        os.replace(temporary, path)
    except BaseException:
        discard(path)
        raise
    return True


def _check_unchanged(path: Path, expected: os.stat_result | None) -> os.stat_result | None:
    now = _status(path)
    if expected is not None and (now is None or identity(now) != identity(expected)):
        raise FileChangedError(f"{path}: changed since it was read")
    return now


def _status(path: Path) -> os.stat_result | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularFileError(f"{path}: no regular file, so it is not replaced")
    return status
