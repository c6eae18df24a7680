"""The same invalid bytes again at the same path: counted, not kept twice (contract [Q-1])."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from atomic_agents._io import hash_file, move_file, sync_folder
from atomic_agents.exceptions import FileChangedError, NotRegularFileError
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.incidents import Incidents
from atomic_agents.quarantine.placing import displaced_name

_ASIDE: Final = ".again"


def drop_repetition(incidents: Incidents, known: Incident, path: Path) -> None:
    """Take away bytes that are in quarantine already, by way of a name there: no other write is lost.

    Args:
        incidents: the vault's quarantine.
        known: the incident that holds the same bytes.
        path: the file that repeats them.

    Raises:
        FileChangedError: it held other bytes by then, and is where it was or beside the incident.
        FileNotFoundError: it is gone.
        OSError: the system refuses.

    """
    settle_repetition(incidents, known, path)
    aside = incidents.folder / known.id / _ASIDE
    move_file(path, aside)
    if not has_bytes(aside, known.sha256):
        give_back(aside, path)
        raise FileChangedError(f"{path}: changed while it was moved")
    aside.unlink()
    sync_folder(aside.parent)


def settle_repetition(incidents: Incidents, incident: Incident, path: Path | None) -> None:
    """Finish what a kill left of `drop_repetition`: the same bytes go, others return or are kept beside.

    Args:
        incidents: the vault's quarantine.
        incident: whose folder is looked at.
        path: where the bytes came from, if that is still in the vault.

    Raises:
        OSError: the system refuses.

    """
    aside = incidents.folder / incident.id / _ASIDE
    if not os.path.lexists(aside):
        return
    if has_bytes(aside, incident.sha256):
        aside.unlink()
        sync_folder(aside.parent)
    elif path is not None and not os.path.lexists(path) and path.parent.is_dir():
        move_file(aside, path)
    else:
        move_file(aside, displaced_name(aside.parent, hash_file(aside)[0], incident.name))


def give_back(target: Path, path: Path) -> None:
    """Move bytes that nobody judged back to where they came from.

    Raises:
        FileChangedError: something appeared there meanwhile; both are kept.

    """
    try:
        move_file(target, path)
    except FileExistsError as error:
        raise FileChangedError(
            f"{path}: written again while it was moved; the former bytes are {target}"
        ) from error


def has_bytes(path: Path, sha256: str) -> bool:
    """Whether a regular file with this hash lies there and nobody writes to it.

    Raises:
        OSError: the system refuses to tell.

    """
    try:
        return hash_file(path)[0] == sha256
    except (FileNotFoundError, FileChangedError, NotRegularFileError):
        return False
