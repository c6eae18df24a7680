"""What a snapshot holds, and what a restore may set aside (seed, Backup before migrate; contract [M-2])."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from atomic_agents.migration.audit import AUDIT_FILE
from atomic_agents.vault.ignore import is_content_file, is_content_folder
from atomic_agents.vault.kinds import LAYERS, MIGRATIONS, QUARANTINE, Layout

SNAPSHOTS: Final = "snapshots"
DISPLACED: Final = "displaced"
RESTORING: Final = "restoring"
RUN_FILE: Final = "run.json"
JOURNAL_FILE: Final = "restore.jsonl"
ADOPTED_SCHEMAS: Final = "schemas"

_OWN_FOLDERS: Final = frozenset({SNAPSHOTS, DISPLACED, RESTORING})
_OWN_FILES: Final = frozenset({AUDIT_FILE, RUN_FILE, JOURNAL_FILE})
_KEPT_NAMES: Final = frozenset({"readme.md", "memory.md"})
_CACHES: Final = frozenset({"__pycache__", "node_modules"})
_REGENERATED_FOLDERS: Final = frozenset({"log", "logs", "cache", "caches"})
_REGENERATED_FILES: Final = frozenset({"QUARANTINED.md"})
_INNER_FOLDERS: Final = frozenset({*LAYERS, "raw", "journal", "persona"})


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that lies in a snapshot's scope, as `os.lstat` sees it; `path` is relative to the vault."""

    path: str
    what: Literal["file", "folder", "odd"]
    status: os.stat_result


class Scope:
    """Which paths of a vault a snapshot holds.

    Logs, caches, dot-files, lock and temporary files, the quarantine, what the operator ignores and what
    migrations keep for themselves are left out, so a restore never touches them.

    Args:
        layout: how the vault's paths are read.

    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._reached: dict[str, bool] = {"": True}

    def enters(self, folder: str) -> bool:
        """Whether a folder, relative to the vault, can hold something of it; its parents are taken to."""
        parts = folder.split("/")
        name = parts[-1]
        if name.startswith(".") or name in _CACHES:
            return False
        if parts[0] == QUARANTINE or (len(parts) == 2 and parts[0] == MIGRATIONS and name in _OWN_FOLDERS):  # noqa: PLR2004
            return False
        return not self._is_regenerated(parts) and f"{folder}/" not in self._layout.ignore

    def holds(self, path: str) -> bool:
        """Whether a file's path, relative to the vault, is in it; its folders are taken to be entered."""
        parts = path.split("/")
        if len(parts) == 2 and parts[0] == MIGRATIONS and parts[1] in _OWN_FILES:  # noqa: PLR2004
            return False
        if not is_content_file(parts[-1]) and parts[-1].casefold() not in _KEPT_NAMES:
            return False
        return parts[-1] not in _REGENERATED_FILES and path not in self._layout.ignore

    def reaches(self, path: str) -> bool:
        """Whether a file's path is in it, and so are all its folders."""
        return self.reaches_folder(path.rpartition("/")[0]) and self.holds(path)

    def reaches_folder(self, folder: str) -> bool:
        """Whether a folder, and all folders above it, can hold something of it; "" is the vault itself."""
        known = self._reached.get(folder)
        if known is None:
            known = self.reaches_folder(folder.rpartition("/")[0]) and self.enters(folder)
            self._reached[folder] = known
        return known

    def is_content(self, path: str) -> bool:
        """Whether a file in scope is content, so that a restore sets it aside when it came later."""
        parts = path.split("/")
        return is_content_file(parts[-1]) and all(is_content_folder(part) for part in parts[:-1])

    def _is_regenerated(self, parts: list[str]) -> bool:
        if parts[-1] not in _REGENERATED_FOLDERS or not _INNER_FOLDERS.isdisjoint(parts[:-1]):
            return False
        return len(parts) > 1 or self._layout.root_is_agent


def survey(root: Path, scope: Scope) -> Iterator[Entry]:
    """Yield everything in scope, parents before what they hold, never following a link.

    Raises:
        OSError: a folder in scope cannot be listed, so that nothing complete can be said.

    """
    stack = [""]
    while stack:
        folder = stack.pop()
        prefix = f"{folder}/" if folder else ""
        with os.scandir(root / folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        inner = []
        for entry in found:
            seen = _look(scope, f"{prefix}{entry.name}", entry)
            if seen is None:
                continue
            if seen.what == "folder":
                inner.append(seen.path)
            yield seen
        stack.extend(reversed(inner))


def _look(scope: Scope, path: str, entry: os.DirEntry[str]) -> Entry | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return Entry(path, "folder", status) if scope.enters(path) else None
    if not scope.holds(path):
        return None
    return Entry(path, "file" if stat.S_ISREG(status.st_mode) else "odd", status)
