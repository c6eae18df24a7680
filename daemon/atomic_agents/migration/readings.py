"""What units say, each version of a file parsed once (contract [READ-1], [M-1])."""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from atomic_agents._io import identity, read_file
from atomic_agents.exceptions import (
    FileChangedError,
    FileTooLargeError,
    NotRegularFileError,
)
from atomic_agents.migration.unit import UnreadableUnitError
from atomic_agents.units.frontmatter import Reading, read

_MOST_REMEMBERED: Final = 24 << 20
"""Bytes of frontmatter that are kept; beyond that a file is parsed again."""

_MOST_WHOLE: Final = 16 << 20
"""Bytes of units whose whole readings are kept, each about four times its size."""

_OVERHEAD: Final = 300
"""Bytes that remembering a file costs besides its frontmatter."""

_Identity = bytes
_pack_identity: Final = struct.Struct("=QQQq").pack


class _Kept(NamedTuple):
    identity: _Identity
    packed: bytes


class Whole(NamedTuple):
    """A file that was read and parsed, and its status then."""

    reading: Reading
    status: os.stat_result


class Readings:
    """Reads frontmatter, and remembers it as long as the file stays the same.

    Args:
        opened: what is parsed for a file's bytes.

    """

    def __init__(self, opened: Callable[[bytes], bytes] = bytes) -> None:
        self._opened = opened
        self._kept: dict[str, _Kept] = {}
        self._bytes = 0
        self._last = ""
        self._whole: dict[str, Whole] = {}
        self._keeps_whole = False

    def expect(self, size: int) -> None:
        """Be told how many bytes there are to read; whole readings are kept only where all of them fit."""
        self._keeps_whole = size <= _MOST_WHOLE
        if not self._keeps_whole:
            self._whole.clear()

    def meta(self, path: str) -> dict[str, Any]:
        """Return what a unit's file says: a new mapping each time.

        Raises:
            UnreadableUnitError: it cannot be read.

        """
        kept = self._kept.get(path)
        if kept is not None and kept.identity == _identity(path):
            return _unpack(kept.packed)
        return self.take(path, *self._read(path))

    def whole(self, path: str) -> Whole:
        """Return a unit's file, read and parsed.

        Raises:
            UnreadableUnitError: it cannot be read.

        """
        known = self._whole.get(path)
        if known is not None and _identity_of(known.status) == _identity(path):
            return known
        return self._read(path)

    def pending(self, path: str, data: bytes, status: os.stat_result) -> Whole:
        """Return bytes that a file is about to get, parsed."""
        known = self._whole.get(path)
        if known is not None and identity(known.status) == identity(status):
            return known
        return Whole(read(self._opened(data)), status)

    def recall(self, path: str, data: bytes, status: os.stat_result) -> dict[str, Any]:
        """Return what bytes say that a file is about to get; parsed again only when they were forgotten."""
        kept = self._kept.get(path)
        if kept is not None and kept.identity == _identity_of(status):
            return _unpack(kept.packed)
        return self.take(path, read(self._opened(data)), status)

    def take(self, path: str, reading: Reading, status: os.stat_result) -> dict[str, Any]:
        """Remember what a file says, or is about to, and return it.

        Raises:
            UnreadableUnitError: it cannot be read.

        """
        packed = pickle.dumps(_meta(reading), pickle.HIGHEST_PROTOCOL)
        self._keep(path, _Kept(_identity_of(status), packed))
        if self._keeps_whole:
            self._whole[path] = Whole(reading, status)
        return _unpack(packed)

    def _read(self, path: str) -> Whole:
        data, status = read_bytes(path)
        return Whole(read(self._opened(data)), status)

    def _keep(self, path: str, kept: _Kept) -> None:
        """Keep a file's frontmatter: the latest one always, others as long as there is room."""
        self._forget(path)
        size = len(kept.packed) + _OVERHEAD
        if self._bytes + size > _MOST_REMEMBERED:
            self._forget(self._last)
        self._kept[path] = kept
        self._bytes += size
        self._last = path

    def _forget(self, path: str) -> None:
        former = self._kept.pop(path, None)
        if former is not None:
            self._bytes -= len(former.packed) + _OVERHEAD


def parse(data: bytes) -> dict[str, Any]:
    """Return the frontmatter of a unit's bytes.

    Raises:
        UnreadableUnitError: there is none, or it cannot be read without losing something.

    """
    return _meta(read(data))


def _meta(reading: Reading) -> dict[str, Any]:
    if reading.meta is None:
        fault = next(fault for fault in reading.faults if fault.is_error)
        where = f" in line {fault.line}" if fault.line is not None else ""
        raise UnreadableUnitError(
            f"{fault.code}{where}: found {fault.found}, expected {fault.expected}", hint=fault.fix
        )
    return dict(reading.meta)


def read_bytes(path: str) -> tuple[bytes, os.stat_result]:
    """Return a unit's bytes and their status.

    Raises:
        UnreadableUnitError: the system refuses, or it is no regular file.

    """
    try:
        reading = read_file(Path(path))
    except OSError as error:
        raise UnreadableUnitError(error.strerror or str(error)) from error
    except (NotRegularFileError, FileChangedError, FileTooLargeError) as error:
        raise UnreadableUnitError(str(error)) from error
    return reading.data, reading.status


def version_of(meta: dict[str, Any]) -> int | None:
    """Return the version that a frontmatter names, or None if it names no integer (seed MUST 1)."""
    version = meta.get("schema_version")
    return version if type(version) is int else None


def _unpack(packed: bytes) -> dict[str, Any]:
    meta: dict[str, Any] = pickle.loads(packed)  # noqa: S301 - packed by this process a moment ago
    return meta


def _identity_of(status: os.stat_result) -> _Identity:
    return _pack_identity(*identity(status))


def _identity(path: str) -> _Identity | None:
    try:
        return _identity_of(os.lstat(path))
    except OSError:
        return None
