"""What units say, each version of a file parsed once (contract [READ-1], [M-1])."""

from __future__ import annotations

import os
import pickle
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

_Identity = tuple[int, ...]


class _Kept(NamedTuple):
    identity: _Identity
    packed: bytes


class Readings:
    """Reads frontmatter, and remembers it as long as the file stays the same.

    Args:
        opened: what is parsed for a file's bytes.

    """

    def __init__(self, opened: Callable[[bytes], bytes] = bytes) -> None:
        self._opened = opened
        self._kept: dict[str, _Kept] = {}
        self._bytes = 0

    def meta(self, path: str) -> dict[str, Any]:
        """Return what a unit's file says: a new mapping each time.

        Raises:
            UnreadableUnitError: it cannot be read.

        """
        kept = self._kept.get(path)
        if kept is not None and kept.identity == _identity(path):
            return _unpack(kept.packed)
        data, status = read_bytes(path)
        return self.learn(path, data, status)

    def learn(self, path: str, data: bytes, status: os.stat_result) -> dict[str, Any]:
        """Return what bytes say that a file has, or is about to get.

        Args:
            path: the file.
            data: its bytes.
            status: the status of exactly these bytes.

        Raises:
            UnreadableUnitError: they cannot be read.

        """
        return self.take(path, read(self._opened(data)), status)

    def take(self, path: str, reading: Reading, status: os.stat_result) -> dict[str, Any]:
        """Do what `learn` does, for bytes that were parsed already."""
        packed = pickle.dumps(_meta(reading), pickle.HIGHEST_PROTOCOL)
        self._keep(path, _Kept(identity(status), packed))
        return _unpack(packed)

    def recall(self, path: str, data: bytes, status: os.stat_result) -> dict[str, Any]:
        """Return what bytes say that a file is about to get; parsed again only when they were forgotten."""
        kept = self._kept.get(path)
        if kept is not None and kept.identity == identity(status):
            return _unpack(kept.packed)
        return self.learn(path, data, status)

    def _keep(self, path: str, kept: _Kept) -> None:
        former = self._kept.pop(path, None)
        if former is not None:
            self._bytes -= len(former.packed)
        if self._bytes + len(kept.packed) <= _MOST_REMEMBERED:
            self._kept[path] = kept
            self._bytes += len(kept.packed)


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


def _identity(path: str) -> _Identity | None:
    try:
        return identity(os.lstat(path))
    except OSError:
        return None
