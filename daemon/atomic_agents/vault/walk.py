"""Walking a vault: every file that may be content, each physical file once (contract [PATH-2])."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents.exceptions import VaultMissingError
from atomic_agents.model import Place, Stamp
from atomic_agents.vault.ignore import IGNORE_FILE, Ignore
from atomic_agents.vault.kinds import LAYERS, Layout


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file on the way: its place and how it looks from outside."""

    place: Place
    stamp: Stamp


@dataclass
class Survey:
    """What a walk met besides files.

    Args:
        folders: every folder entered, relative, parents first; "" is the root.
        unreadable: folders that could not be listed, with the reason: what lies below is unknown, not gone.
        odd: paths of content that are no regular files (FIFO, socket, device, folder named like a note,
            link that leads out of the vault or nowhere), with what they are.

    """

    folders: list[str] = field(default_factory=list)
    unreadable: dict[str, OSError] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)

    def knows(self, path: str) -> bool:
        """Whether the walk could have seen this path: no unreadable folder lies above it."""
        return not any(not folder or path.startswith(f"{folder}/") for folder in self.unreadable)


def find_root(root: Path) -> Path:
    """Return the vault's real path, links resolved once (contract [PATH-2]).

    Args:
        root: as the operator gave it.

    Raises:
        VaultMissingError: it is not there, or is no folder.

    """
    real = Path(os.path.realpath(root.expanduser()))
    if not real.exists():
        raise VaultMissingError(
            f"vault {root}: not there",
            hint="create it with `atomicd init`, mount it, or name another with --vault",
        )
    if not real.is_dir():
        raise VaultMissingError(
            f"vault {root}: found a file, expected a folder", hint="name the folder instead"
        )
    return real


def read_layout(root: Path, patterns: tuple[str, ...] = ()) -> Layout:
    """Return how this vault's paths are read now.

    Args:
        root: the vault's real path.
        patterns: `[vault] ignore` of the config; `.atomicdignore` is added to them.

    """
    try:
        lines = tuple((root / IGNORE_FILE).read_text("utf-8").splitlines())
    except FileNotFoundError:
        lines = ()
    inner = (*LAYERS, "persona")
    return Layout(Ignore((*patterns, *lines)), root_is_agent=any((root / name).is_dir() for name in inner))


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the stamp of a stat result."""
    return Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)


def walk(root: Path, layout: Layout, survey: Survey, *, below: str = "") -> Iterator[Found]:
    """Yield the files that may be content, in path order within each folder.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        survey: filled with what else was met.
        below: only this folder, relative; "" is all.

    """
    seen: set[tuple[int, int]] = set()
    stack = [below]
    while stack:
        folder = stack.pop()
        try:
            entries = _listing(root, folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            survey.unreadable[folder] = error
            continue
        survey.folders.append(folder)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            found = _look(root, layout, entry, path, survey)
            if found is None:
                continue
            if isinstance(found, str):
                stack.append(found)
            elif _is_first(found, seen):
                yield Found(layout.place(path), stamp_of(found))


def is_canonical(root: Path, layout: Layout, path: str) -> bool:
    """Whether no link lies on this path, or the links lead to a place that the walk does not reach itself.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        path: relative, existing.

    """
    real = _inside(root, os.path.realpath(root / path))
    return real == path or (real is not None and not _is_walked(layout, real))


def _listing(root: Path, folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(root / folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _look(
    root: Path, layout: Layout, entry: os.DirEntry[str], path: str, survey: Survey
) -> str | os.stat_result | None:
    """Return the folder to enter, the stat result of a file that may be content, or None."""
    try:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return _look_behind(root, layout, path, survey)
    except FileNotFoundError:
        return None
    except OSError as error:
        survey.unreadable[path] = error
        return None
    return _sort(layout, path, status, survey)


def _look_behind(root: Path, layout: Layout, path: str, survey: Survey) -> str | os.stat_result | None:
    wanted = layout.place(path).kind.is_unit or (layout.enters(path) and layout.watches(path))
    real = _inside(root, os.path.realpath(root / path))
    if real is None or not (root / real).exists():
        if wanted:
            survey.odd[path] = (
                "link that leads nowhere" if real is not None else "link that leads out of the vault"
            )
        return None
    if _is_walked(layout, real):
        return None
    return _sort(layout, path, os.stat(root / path), survey)


def _sort(layout: Layout, path: str, status: os.stat_result, survey: Survey) -> str | os.stat_result | None:
    place = layout.place(path)
    if stat.S_ISDIR(status.st_mode):
        if place.kind.is_unit:
            survey.odd[path] = "folder"
        return path if layout.enters(path) else None
    if stat.S_ISREG(status.st_mode):
        return status
    if place.kind.is_unit or place.layer is not None:
        survey.odd[path] = _WHAT.get(stat.S_IFMT(status.st_mode), "no regular file")
    return None


_WHAT = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFBLK: "device", stat.S_IFCHR: "device"}


def _is_first(status: os.stat_result, seen: set[tuple[int, int]]) -> bool:
    if status.st_nlink == 1:
        return True
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        return False
    seen.add(identity)
    return True


def _inside(root: Path, real: str) -> str | None:
    if real == str(root):
        return ""
    prefix = f"{str(root).rstrip('/')}/"
    return real[len(prefix) :] if real.startswith(prefix) else None


def _is_walked(layout: Layout, real: str) -> bool:
    """Whether the walk reaches this real path by itself."""
    parts = real.split("/") if real else []
    return all(layout.enters("/".join(parts[: depth + 1])) for depth in range(len(parts) - 1)) and (
        not real or layout.enters(real) or layout.place(real).kind.is_unit
    )
