"""What a snapshot says it holds, checked before anyone believes it (contract [M-2])."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from atomic_agents.exceptions import SnapshotInvalidError
from atomic_agents.migration.rows import decode_rows
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


Item = Held | Folder | Odd


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


def row_of(item: Item) -> list[Any]:
    """Return an item as a row of the table."""
    if isinstance(item, Held):
        return ["file", item.path, item.digest.hex(), *item[2:]]
    return ["folder" if isinstance(item, Folder) else "odd", *item]


def collect(head: dict[str, Any], items: Iterable[Item]) -> Manifest:
    """Return a table of contents in memory."""
    manifest = Manifest(head)
    lists: dict[type[Item], list[Any]] = {Held: manifest.files, Folder: manifest.folders, Odd: manifest.odd}
    for item in items:
        lists[type(item)].append(item)
    return manifest


def read_table(lines: Iterable[bytes], scope: Scope) -> tuple[dict[str, Any], Iterator[Item]]:
    """Return the head and the items of a table that an archive holds, each checked as it comes.

    Args:
        lines: one row each.
        scope: what a snapshot of this vault may hold.

    Raises:
        SnapshotInvalidError: a line is none, or names a path that must not be written to; also while the
            items are taken, and at their end where only all of them together contradict each other.

    """
    rows = _rows(lines)
    head = next(rows, None)
    found = head.get("format") if isinstance(head, dict) else None
    if not isinstance(head, dict) or found != FORMAT:
        raise SnapshotInvalidError(
            f"manifest format {found!r}, expected {FORMAT}", hint="restore it with the version that made it"
        )
    return head, _checked(rows, scope)


def _rows(lines: Iterable[bytes]) -> Iterator[Any]:
    try:
        yield from decode_rows(lines)
    except (ValueError, TypeError) as error:
        raise SnapshotInvalidError(f"the manifest cannot be read ({error})") from error


def _checked(rows: Iterator[Any], scope: Scope) -> Iterator[Item]:
    files: set[str] = set()
    folders: set[str] = set()
    above: set[str] = set()
    for row in rows:
        item = _item(row)
        if isinstance(item, Held):
            _check_file(item, scope)
            _check_new(item.path, files, folders)
            files.add(item.path)
            above.add(item.path.rpartition("/")[0])
        elif isinstance(item, Folder):
            _check_folder(item, scope)
            _check_new(item.path, files, folders)
            folders.add(item.path)
            above.add(item.path)
        yield item
    above |= {parent for folder in above for parent in parents(folder)}
    if not files.isdisjoint(above):
        raise SnapshotInvalidError(f"{files.intersection(above)}: something lies below a file")


def _item(row: Any) -> Item:
    try:
        kind, *values = row
        if kind == "file":
            path, digest, *numbers = values
            return Held(path, bytes.fromhex(digest), *map(_natural, numbers))
        if kind == "folder":
            return Folder(values[0], *map(_natural, values[1:]))
        if kind == "odd":
            return Odd(*values)
    except (ValueError, TypeError, IndexError) as error:
        raise SnapshotInvalidError(f"the manifest cannot be read ({error})") from error
    raise SnapshotInvalidError(f"the manifest cannot be read (kind {kind!r})")


def _natural(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} where a number is expected")
    return number


def _check_new(path: str, files: set[str], folders: set[str]) -> None:
    if path in files or path in folders:
        raise SnapshotInvalidError(f"the manifest names {path!r} twice")


def _check_file(item: Held, scope: Scope) -> None:
    if len(item.digest) != _DIGEST or item.mode & ~_MODE:
        raise SnapshotInvalidError(f"{item.path!r}: no proper hash or mode")
    check_path(item.path)
    if not scope.reaches(item.path) and not _is_unit_behind_link(item):
        raise SnapshotInvalidError(f"{item.path!r}: a snapshot never holds such a path")


def _check_folder(item: Folder, scope: Scope) -> None:
    check_path(item.path)
    if not scope.reaches_folder(item.path):
        raise SnapshotInvalidError(f"{item.path!r}: a snapshot never holds such a folder")


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
