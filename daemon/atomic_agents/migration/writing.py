"""Replacing many files, each atomically, made durable together (seed MUST 3).

Every file goes through the same steps as with `atomic_agents._io.replace_file`: temporary file beside it,
durable, renamed over it, folder durable. Only that a group shares the two waits for the disk. A unit whose
write is still in its group reads as written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from atomic_agents._files.write import discard, own, temporary_ending, temporary_name, write_all
from atomic_agents._io import identity, sync_folder
from atomic_agents.exceptions import FileChangedError
from atomic_agents.migration.durable import make_durable

_GROUP_FILES: Final = 4096
_GROUP_BYTES: Final = 16 << 20
_LONGEST_NAME: Final = 200


class Staged(NamedTuple):
    """A unit's new bytes, not yet in place.

    `expected` is the status of the bytes they were made from, `status` that of the temporary file; `twins`
    are the file's other names in the vault, which stay names of the same file.
    """

    path: str
    temporary: str
    expected: os.stat_result
    status: os.stat_result
    data: bytes
    twins: tuple[str, ...] = ()


def ignore_group(_group: Sequence[Staged]) -> None:
    """Take no note of what is about to be written."""


class GroupWriter:
    """Collects writes and puts them in place together.

    Args:
        token: eight hex digits in the names of its temporary files, by which a later start knows them.
        announce: takes note, durably, of a group before any of its files is replaced.

    """

    def __init__(self, token: str, announce: Callable[[Sequence[Staged]], None] = ignore_group) -> None:
        self._token = token
        self._announce = announce
        self._pending: dict[str, Staged] = {}
        self._bytes = 0

    def pending(self, path: str) -> Staged | None:
        """Return what was written to a path and is not in place yet."""
        return self._pending.get(path)

    def write(
        self, path: str, data: bytes, expected: os.stat_result, twins: tuple[str, ...] = ()
    ) -> os.stat_result:
        """Write a temporary file; it is put in place with its group.

        Args:
            path: the real path of an existing file.
            data: its new content.
            expected: the status of the bytes that were read.
            twins: the file's other names in the vault.

        Returns:
            The status that the file will have.

        Raises:
            OSError: the system refuses; the file is as it was.

        """
        self._forget(path)
        temporary = self._name(path)
        status = _write_new(temporary, data, expected)
        self._pending[path] = Staged(path, temporary, expected, status, data, twins)
        self._bytes += len(data)
        return status

    @property
    def is_full(self) -> bool:
        """Whether the group should be put in place now."""
        return len(self._pending) >= _GROUP_FILES or self._bytes >= _GROUP_BYTES

    def settle(self) -> None:
        """Put everything in place, durable.

        Raises:
            FileChangedError: somebody else wrote to a file meanwhile; it keeps what they wrote.
            OSError: the system refuses; files before that one are replaced, the others are not.

        """
        group = list(self._pending.values())
        if not group:
            return
        make_durable([item.temporary for item in group])
        self._announce(group)
        for item in group:
            _replace(item)
            self._follow(item)
            self._pending.pop(item.path)
        self._bytes = 0
        names = (name for item in group for name in (item.path, *item.twins))
        for folder in {name.rpartition("/")[0] for name in names}:
            sync_folder(Path(folder))

    def drop(self) -> None:
        """Forget what is not in place yet."""
        for path in list(self._pending):
            self._forget(path)

    def _follow(self, item: Staged) -> None:
        """Let the file's other names follow; one that was written to meanwhile stays."""
        for twin in item.twins:
            if identity(os.lstat(twin)) == identity(item.expected):
                temporary = self._name(twin)
                os.link(item.path, temporary, follow_symlinks=False)
                os.replace(temporary, twin)

    def _forget(self, path: str) -> None:
        staged = self._pending.pop(path, None)
        if staged is not None:
            self._bytes -= len(staged.data)
            discard(Path(staged.temporary))

    def _name(self, path: str) -> str:
        folder, name = os.path.split(path)
        if len(os.fsencode(name)) > _LONGEST_NAME:
            return str(temporary_name(Path(path), self._token))
        return f"{folder}/.{name}{temporary_ending(self._token)}"


def _write_new(temporary: str, data: bytes, like: os.stat_result) -> os.stat_result:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(temporary, flags, 0o600)
    try:
        write_all(handle, data)
        own(handle, like)
        os.fchmod(handle, stat.S_IMODE(like.st_mode))
        return os.fstat(handle)
    except BaseException:
        discard(Path(temporary))
        raise
    finally:
        os.close(handle)


def _replace(item: Staged) -> None:
    now = os.lstat(item.path)
    if identity(now) != identity(item.expected) or not stat.S_ISREG(now.st_mode):
        raise FileChangedError(f"{item.path}: changed since it was read, so it was not replaced")
    os.replace(item.temporary, item.path)
