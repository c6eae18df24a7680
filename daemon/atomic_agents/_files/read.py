"""Reading one file: bounded, never blocking, never through a last link (contract [PATH-2], [READ-1])."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError

CHUNK: Final = 1 << 20
"""Bytes that are read at once."""


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
    with open_regular(path) as (handle, before):
        if limit is not None and before.st_size > limit:
            raise FileTooLargeError(f"{path}: {before.st_size} bytes, expected at most {limit}")
        data = _drain(handle, before.st_size)
        after = os.fstat(handle)
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
    with open_regular(path) as (handle, before):
        digest = hashlib.sha256()
        left = before.st_size + 1
        while left > 0 and (piece := os.read(handle, min(left, CHUNK))):
            digest.update(piece)
            left -= len(piece)
        after = os.fstat(handle)
    if left != 1 or _times(before) != _times(after):
        raise FileChangedError(f"{path}: changed while it was read")
    return digest.hexdigest(), after


def identity(status: os.stat_result) -> tuple[int, int, int, int]:
    """Return what tells one state of a file from another: device, inode, size, modification time."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def open_regular(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """Hold a regular file open for reading, with its status at that time.

    Raises:
        NotRegularFileError: it is something else, also a link.
        OSError: the system refuses.

    """
    handle = _open(path)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularFileError(f"{path}: no regular file")
        yield handle, status
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
            raise NotRegularFileError(f"{path}: no regular file") from error
        raise


def _drain(handle: int, size: int) -> bytes:
    """Read at most one byte more than the file had: one that still grows is no reading anyway."""
    pieces: list[bytes] = []
    left = size + 1
    while left > 0 and (piece := os.read(handle, left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _times(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
