"""The mark of a run that goes on: written before its first write, removed after its audit (contract [M-3]).

The run holds a lock on it. Found without that lock, it says that a run died.
"""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atomic_agents._files.write import discard, temporary_name, write_all
from atomic_agents._io import make_folder, read_file, sync_folder
from atomic_agents.exceptions import MigrationError
from atomic_agents.migration.scope import RUN_FILE
from atomic_agents.vault.kinds import MIGRATIONS

_TOKEN: Final = re.compile(r"[0-9a-f]{8}\Z")


@dataclass(frozen=True, slots=True)
class Run:
    """A run that writes.

    Args:
        run_id: the id of its audit line.
        from_version: the vault's version before.
        to_version: the target.
        snapshot: the archive's file name.
        token: eight hex digits in the names of its temporary files.
        started: ISO 8601.

    """

    run_id: str
    from_version: int
    to_version: int
    snapshot: str
    token: str
    started: str


def marker_path(root: Path) -> Path:
    """Return where the mark of a vault's run lies while it goes on."""
    return root / MIGRATIONS / RUN_FILE


class Marker:
    """The mark of this process's run; holds its lock until it is removed."""

    def __init__(self, root: Path, handle: int) -> None:
        self._root = root
        self._handle = handle

    @classmethod
    def place(cls, root: Path, run: Run) -> Marker:
        """Write the mark, durable, already locked.

        Raises:
            OSError: the system refuses; there is no mark.

        """
        path = marker_path(root)
        make_folder(path.parent, mode=0o755)
        temporary = temporary_name(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(temporary, flags, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write_all(handle, json.dumps(dataclasses.asdict(run)).encode("ascii") + b"\n")
            os.fsync(handle)
            os.replace(temporary, path)
            sync_folder(path.parent)
        except BaseException:
            os.close(handle)
            discard(temporary)
            raise
        return cls(root, handle)

    def remove(self) -> None:
        """Remove the mark, durable."""
        try:
            remove_marker(self._root)
        finally:
            self.release()

    def release(self) -> None:
        """Let go of the mark but leave it there, for a later start to find."""
        os.close(self._handle)


def remove_marker(root: Path) -> None:
    """Remove a mark, durable."""
    discard(marker_path(root))
    sync_folder(marker_path(root).parent)


def read_marker(root: Path) -> Run | None:
    """Return the run that left its mark, whether it goes on or died.

    Raises:
        MigrationError: the mark cannot be read.

    """
    path = marker_path(root)
    try:
        fields: dict[str, Any] = json.loads(read_file(path).data)
        if not _TOKEN.match(fields["token"]):
            raise ValueError("a wrong token")  # noqa: TRY301 - told with the others
        return Run(**fields)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise MigrationError(
            f"run mark {path}: cannot be read ({error})",
            hint="restore the newest snapshot with --rollback, then remove it",
        ) from error


def is_alive(root: Path) -> bool:
    """Whether a process holds the mark, so that its run goes on."""
    try:
        handle = os.open(marker_path(root), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
