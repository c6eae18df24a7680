"""Reading a snapshot whole: every member against the manifest, before anything is done with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from atomic_agents._files.read import open_regular
from atomic_agents.exceptions import NotRegularFileError, SnapshotInvalidError
from atomic_agents.migration import manifest as table
from atomic_agents.migration.manifest import Manifest
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
    seen: list[tuple[bytes, int, bytes]] = []
    manifest: Manifest | None = None
    for member in members(path):
        if manifest is not None:
            raise SnapshotInvalidError(f"{path.name}: members behind the manifest")
        if member.name == table.MANIFEST_NAME:
            manifest = _manifest(member, scope)
        else:
            seen.append((member.name, member.size, _digest(member)))
    if manifest is None:
        raise SnapshotInvalidError(
            f"{path.name}: holds no manifest, so it was not made by atomicd",
            hint="restore it with the tool that made it",
        )
    _compare(path.name, manifest, seen)
    return manifest


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


def _compare(name: str, manifest: Manifest, seen: list[tuple[bytes, int, bytes]]) -> None:
    if len(seen) != len(manifest.files):
        raise SnapshotInvalidError(f"{name}: {len(seen)} members, its manifest names {len(manifest.files)}")
    for held, (path, size, digest) in zip(manifest.files, seen, strict=True):
        if os.fsencode(held.path) != path or held.size != size or held.digest != digest:
            raise SnapshotInvalidError(f"{name}: {held.path!r} is not what its manifest says")


def _manifest(member: Member, scope: Scope) -> Manifest:
    if member.size > _LARGEST_MANIFEST:
        raise SnapshotInvalidError("the manifest is too large")
    return table.decode(_lines(member.chunks), scope)


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
