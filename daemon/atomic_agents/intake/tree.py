"""Which watch stands for which folder."""

from __future__ import annotations

from collections.abc import Iterator


class WatchTree:
    """Watch descriptors and the folders that they stand for, one to one."""

    def __init__(self) -> None:
        self._folders: dict[int, str] = {}
        self._watches: dict[str, int] = {}

    def __len__(self) -> int:
        """How many folders are watched."""
        return len(self._folders)

    def __contains__(self, folder: str) -> bool:
        """Whether a folder is watched."""
        return folder in self._watches

    def folder(self, watch: int) -> str | None:
        """Return the folder that a watch stands for."""
        return self._folders.get(watch)

    def put(self, watch: int, folder: str) -> int | None:
        """Let a watch stand for a folder; return the watch that stood for it until now.

        A folder that was moved keeps its watch in the kernel, so `watch` may have stood for another one.
        """
        former = self._folders.get(watch)
        if former is not None:
            del self._watches[former]
        replaced = self._watches.get(folder)
        if replaced is not None:
            del self._folders[replaced]
        self._folders[watch] = folder
        self._watches[folder] = watch
        return replaced

    def drop(self, watch: int) -> str | None:
        """Forget a watch and return its folder."""
        folder = self._folders.pop(watch, None)
        if folder is not None:
            del self._watches[folder]
        return folder

    def drop_below(self, folder: str) -> Iterator[int]:
        """Forget a folder and all below it, and yield their watches."""
        prefix = f"{folder}/"
        for inner in [name for name in self._watches if name == folder or name.startswith(prefix)]:
            watch = self._watches.pop(inner)
            del self._folders[watch]
            yield watch
