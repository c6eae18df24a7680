"""Writing `QUARANTINED.md`, and taking it away (contract [Q-3])."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from atomic_agents._io import Reading, create_file, identity, read_file, replace_file, sync_folder
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.notice import FILE, is_edited, is_ours, render
from atomic_agents.quarantine.placing import real_place

_MAX_BYTES: Final = 1 << 20


class Settled(enum.Enum):
    """What was done to an agent's `QUARANTINED.md`."""

    UNCHANGED = enum.auto()
    WRITTEN = enum.auto()
    REMOVED = enum.auto()
    FOREIGN = enum.auto()
    """Somebody else's file has this name; it is left alone."""


def notice_path(agent: str) -> str:
    """Return where an agent is told, relative to the vault; the agent "" is the vault itself."""
    return f"{agent}/{FILE}" if agent else FILE


def settle_notice(
    root: Path, agent: str, incidents: Iterable[Incident], keep: Callable[[str, bytes], None]
) -> Settled:
    """Bring one agent's `QUARANTINED.md` up to date; the caller holds the vault's lock.

    Args:
        root: the vault's real path.
        agent: the agent's folder, relative to the vault.
        incidents: its open ones.
        keep: told the path and bytes of a generated file that was edited, before they go.

    Raises:
        FileChangedError: somebody wrote there just now, or a link leads out of the vault.
        OSError: the system refuses.

    """
    path = notice_path(agent)
    target = real_place(root, path)
    text = render(incidents)
    try:
        there = read_file(target, limit=_MAX_BYTES)
    except FileNotFoundError:
        return _create(target, text)
    except (NotRegularFileError, FileTooLargeError):
        return Settled.FOREIGN if text else Settled.UNCHANGED
    if not is_ours(there.data):
        return Settled.FOREIGN if text else Settled.UNCHANGED
    if there.data == text.encode():
        return Settled.UNCHANGED
    if is_edited(there.data):
        keep(path, there.data)
    return _replace(target, there, text)


def _create(target: Path, text: str) -> Settled:
    if not text or not target.parent.is_dir():
        return Settled.UNCHANGED
    return Settled.WRITTEN if create_file(target, text.encode()) else Settled.UNCHANGED


def _replace(target: Path, there: Reading, text: str) -> Settled:
    if text:
        replace_file(target, text.encode(), expected=there.status)
        return Settled.WRITTEN
    if identity(os.lstat(target)) != identity(there.status):
        raise FileChangedError(f"{target}: changed just now, so it was not removed")
    target.unlink()
    sync_folder(target.parent)
    return Settled.REMOVED
