"""Reading a snapshot whole: every member against the manifest, before anything is done with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from atomic_agents._files.read import open_regular
from atomic_agents.exceptions import NotRegularFileError, SnapshotInvalidError
from atomic_agents.migration import manifest as table
from atomic_agents.migration.manifest import Held, Item, Manifest
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.tarball import Member, read_members

_LARGEST_MANIFEST = 1 << 29


def read_archive(path: Path, scope: Scope) -> Manifest:
    """Return a snapshot's manifest after every byte was checked against it.

    Args:
        path: the archive.
        scope: what a snapshot of this vault may hold.

    Raises:
        SnapshotInvalidError: damaged, truncated, foreign or hostile.

    """
    return table.collect({}, _items(path, scope))


def prove_archive(path: Path, scope: Scope) -> None:
    """Check every byte of a snapshot as `read_archive` does, and keep little of it in memory."""
    for _item in _items(path, scope):
        continue


def _items(path: Path, scope: Scope) -> Iterator[Item]:
    """Yield what a manifest names once all members are known to be what it says."""
    seen: list[bytes] = []
    has_manifest = False
    for member in members(path):
        if has_manifest:
            raise SnapshotInvalidError(f"{path.name}: members behind the manifest")
        has_manifest = member.name == table.MANIFEST_NAME
        if has_manifest:
            yield from _compared(path.name, member, scope, seen)
        else:
            seen.append(_trace(member.name, member.size, _digest(member)))
    if not has_manifest:
        raise SnapshotInvalidError(
            f"{path.name}: holds no manifest, so it was not made by atomicd",
            hint="restore it with the tool that made it",
        )


def members(path: Path) -> Iterator[Member]:
    """Yield an archive's members.

    Raises:
        SnapshotInvalidError: it is no regular file, or no proper archive.

    """
    try:
        with open_regular(path) as (handle, _status), os.fdopen(os.dup(handle), "rb") as source:
            yield from read_members(source)
    except NotRegularFileError as error:
        raise SnapshotInvalidError(f"{path.name}: no regular file") from error
    except SnapshotInvalidError as error:
        raise SnapshotInvalidError(f"{path.name}: {error}", hint=error.hint) from error


def _compared(name: str, member: Member, scope: Scope, seen: list[bytes]) -> Iterator[Item]:
    if member.size > _LARGEST_MANIFEST:
        raise SnapshotInvalidError(f"{name}: the manifest is too large")
    _head, items = table.read_table(_lines(member.chunks), scope)
    number = 0
    for item in items:
        if isinstance(item, Held):
            trace = _trace(os.fsencode(item.path), item.size, item.digest)
            if number >= len(seen) or seen[number] != trace:
                raise SnapshotInvalidError(f"{name}: {item.path!r} is not what its manifest says")
            number += 1
        yield item
    if number != len(seen):
        raise SnapshotInvalidError(f"{name}: {len(seen)} members, its manifest names {number}")


def _trace(name: bytes, size: int, digest: bytes) -> bytes:
    """Return what tells one member from another, short."""
    return hashlib.sha256(b"%d %b%b" % (size, digest, name)).digest()


def _lines(chunks: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    if rest:
        raise ValueError("the last line has no end")


def _digest(member: Member) -> bytes:
    digest = hashlib.sha256()
    for chunk in member.chunks():
        digest.update(chunk)
    return digest.digest()
