"""What a snapshot says it holds, checked before anyone believes it (contract [M-2])."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from atomic_agents.exceptions import SnapshotInvalidError
from atomic_agents.migration.rows import decode_rows, encode_rows
from atomic_agents.migration.scope import Entry, Scope

MANIFEST_NAME: Final = b".atomicd-manifest.jsonl"
FORMAT: Final = 1
_DIGEST: Final = 32
_MODE: Final = 0o777


class Held(NamedTuple):
    """A file in a snapshot: its path, the SHA-256 of its bytes, and what `os.lstat` said of it."""

    path: str
    digest: bytes
    size: int
    mode: int
    mtime_ns: int
    uid: int
    gid: int


class Folder(NamedTuple):
    """A folder in a snapshot."""

    path: str
    mode: int
    uid: int
    gid: int


class Odd(NamedTuple):
    """A link, FIFO, socket or device that was met: noted, and left alone by a restore."""

    path: str
    what: str
    target: str


@dataclass(slots=True)
class Manifest:
    """A snapshot's table of contents.

    Args:
        head: format, version before and after, when it was made.
        files: in the order of the archive.
        folders: parents first.
        odd: what is no regular file.

    """

    head: dict[str, Any] = field(default_factory=dict)
    files: list[Held] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)


def permissions(entry: Entry) -> int:
    """Return the permission bits that a snapshot keeps of something: no set-user-id, no sticky bit."""
    return entry.status.st_mode & _MODE


def encode(manifest: Manifest) -> bytes:
    """Return a manifest as JSON lines."""
    lines: list[Any] = [manifest.head]
    lines += (["file", item.path, item.digest.hex(), *item[2:]] for item in manifest.files)
    lines += (["folder", *item] for item in manifest.folders)
    lines += (["odd", *item] for item in manifest.odd)
    return encode_rows(lines)


def decode(lines: Iterable[bytes], scope: Scope) -> Manifest:
    """Return a manifest that an archive holds.

    Args:
        lines: as `encode` made them.
        scope: what a snapshot of this vault may hold.

    Raises:
        SnapshotInvalidError: a line is none, or names a path that must not be written to.

    """
    manifest = Manifest()
    try:
        for row in decode_rows(lines):
            _take(row, manifest)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SnapshotInvalidError(f"the manifest cannot be read ({error})") from error
    if manifest.head.get("format") != FORMAT:
        raise SnapshotInvalidError(
            f"manifest format {manifest.head.get('format')!r}, expected {FORMAT}",
            hint="restore it with the version that made it",
        )
    _check_paths(manifest, scope)
    return manifest


def _take(line: Any, manifest: Manifest) -> None:
    if isinstance(line, dict):
        manifest.head = line
        return
    kind, *values = line
    if kind == "file":
        path, digest, *numbers = values
        manifest.files.append(Held(path, bytes.fromhex(digest), *map(_natural, numbers)))
    elif kind == "folder":
        manifest.folders.append(Folder(values[0], *map(_natural, values[1:])))
    elif kind == "odd":
        manifest.odd.append(Odd(*values))
    else:
        raise ValueError(f"kind {kind!r}")


def _natural(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} where a number is expected")
    return number


def _check_paths(manifest: Manifest, scope: Scope) -> None:
    files, folders = {item.path for item in manifest.files}, {item.path for item in manifest.folders}
    if len(files) != len(manifest.files) or len(folders) != len(manifest.folders) or files & folders:
        raise SnapshotInvalidError("the manifest names a path twice")
    for item in manifest.files:
        if len(item.digest) != _DIGEST or item.mode & ~_MODE:
            raise SnapshotInvalidError(f"{item.path!r}: no proper hash or mode")
        check_path(item.path)
        if not scope.reaches(item.path) and not _is_unit_behind_link(item):
            raise SnapshotInvalidError(f"{item.path!r}: a snapshot never holds such a path")
        if any(parent in files for parent in parents(item.path)):
            raise SnapshotInvalidError(f"{item.path!r}: lies below a file")
    for folder in folders:
        check_path(folder)
        if not scope.enters(folder) or any(parent in files for parent in parents(folder)):
            raise SnapshotInvalidError(f"{folder!r}: a snapshot never holds such a folder")


def check_path(path: Any) -> None:
    """Accept only a path that stays in the vault.

    Raises:
        SnapshotInvalidError: it leads out, or into git's own folder.

    """
    parts = path.split("/") if isinstance(path, str) else [""]
    if any(part in {"", ".", "..", ".git"} or "\0" in part for part in parts):
        raise SnapshotInvalidError(f"{path!r}: leads out of the vault")


def _is_unit_behind_link(item: Held) -> bool:
    """A unit may lie in a folder that is no content by itself, when a link inside the vault leads there."""
    return item.path.endswith(".md") and not item.mode & 0o111


def parents(path: str) -> list[str]:
    """Return the folders above a path, outermost first, without the vault itself."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
