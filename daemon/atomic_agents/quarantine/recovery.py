"""Finishing at the start what a crash left half done (contract [D-5])."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from atomic_agents._io import is_leftover, remove_leftover
from atomic_agents.exceptions import FileChangedError
from atomic_agents.quarantine.dropping import is_dropped
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.incidents import IDENTIFIER, Incidents
from atomic_agents.quarantine.placing import leads_out, real_place
from atomic_agents.quarantine.repeating import drop_repetition, has_bytes, settle_repetition
from atomic_agents.quarantine.taking import Good, put_back


def is_unfinished(incidents: Incidents, now: float) -> bool:
    """Whether a crash left something to `recover`.

    Args:
        incidents: the vault's quarantine.
        now: wall time, seconds since the epoch.

    """
    if any(incident.step != "done" for incident in incidents.all()):
        return True
    return any(
        is_dropped(folder) or _is_unborn(folder) or _has_leftover(folder, now)
        for folder in _folders(incidents)
    )


def recover(
    incidents: Incidents, root: Path, last_good: Callable[[str], Good | None], now: float
) -> list[Incident]:
    """Finish every move that a crash interrupted, or undo it where the file never left.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        last_good: gives the last good version of a path.
        now: wall time, seconds since the epoch.

    Returns:
        The incidents that were finished.

    Raises:
        OSError: the system refuses; what was not finished is found again by the next call.

    """
    for folder in _folders(incidents):
        _tidy(folder, now)
    unfinished = [incident for incident in incidents.all() if incident.step != "done"]
    finished = (_finish(incidents, root, incident, last_good) for incident in unfinished)
    return [incident for incident in finished if incident is not None]


def _finish(
    incidents: Incidents, root: Path, incident: Incident, last_good: Callable[[str], Good | None]
) -> Incident | None:
    target = incidents.file_of(incident)
    path = None if leads_out(root, incident.path) else real_place(root, incident.path)
    settle_repetition(incidents, incident, path)
    if not os.path.lexists(target):
        _undo(incidents, incident)
        return None
    if path is not None and has_bytes(path, incident.sha256) and has_bytes(target, incident.sha256):
        _drop_original(incidents, incident, path)
    done, _is_back = put_back(incidents, root, incident, last_good(incident.path), os.lstat(target))
    return done


def _undo(incidents: Incidents, incident: Incident) -> None:
    try:
        incidents.discard_empty(incident)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise


def _drop_original(incidents: Incidents, incident: Incident, path: Path) -> None:
    """Take away what the crash left of the original: its old name, or the file that was copied."""
    with contextlib.suppress(FileChangedError, FileNotFoundError):
        drop_repetition(incidents, incident, path)


def _tidy(folder: Path, now: float) -> None:
    """Remove what nobody needs: our own temporary files, a folder that was dropped or never filled."""
    if is_dropped(folder):
        shutil.rmtree(folder)
        return
    _remove_leftovers(folder, now)
    if _is_unborn(folder):
        folder.rmdir()


def _is_unborn(folder: Path) -> bool:
    """Whether a folder of ours is empty: the crash came before its report."""
    return IDENTIFIER.fullmatch(folder.name) is not None and not os.listdir(folder)  # noqa: PTH208


def _has_leftover(folder: Path, now: float) -> bool:
    return any(is_leftover(name, status, now) for name, status in _files(folder))


def _remove_leftovers(folder: Path, now: float) -> None:
    for name, _status in _files(folder):
        remove_leftover(folder / name, now)


def _files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 (names may be no UTF-8)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            yield name, os.lstat(folder / name)


def _folders(incidents: Incidents) -> list[Path]:
    """Return the folders of the quarantine, the hidden ones too; a link is none."""
    if incidents.folder.is_symlink():
        return []
    entries = ((incidents.folder / name, status) for name, status in _files(incidents.folder))
    return sorted(path for path, status in entries if stat.S_ISDIR(status.st_mode))
