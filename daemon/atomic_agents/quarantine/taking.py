"""Moving an invalid file aside and putting its last good version back (contract [Q-1], [Q-2])."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from atomic_agents._io import create_file, hash_file, move_file
from atomic_agents.exceptions import FileChangedError
from atomic_agents.model import Verdict, iso
from atomic_agents.quarantine.incident import Incident, new_incident
from atomic_agents.quarantine.incidents import Incidents
from atomic_agents.quarantine.placing import leads_out, real_place
from atomic_agents.quarantine.repeating import drop_repetition, give_back, has_bytes


@dataclass(frozen=True, slots=True)
class Good:
    """The last good version of a path: its bytes and their hash, in hex."""

    data: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What was done: the incident, whether it repeats an earlier one, whether the good version is back."""

    incident: Incident
    repeated: bool
    is_back: bool


def take(incidents: Incidents, root: Path, verdict: Verdict, good: Good | None, now: float) -> Taken:
    """Move a file to quarantine and put its last good version back where nothing appeared meanwhile.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        verdict: why; its hash is that of the bytes that were judged.
        good: the version to put back; None if there is none.
        now: wall time, seconds since the epoch.

    Raises:
        FileChangedError: the file has other bytes than were judged, or lies outside of the vault by now; it
            is where it was.
        FileNotFoundError: it is gone.
        NotRegularFileError: it is no regular file any more.
        OSError: the system refuses; the bytes are in one of the two places.

    """
    path = real_place(root, verdict.place.path)
    sha256, status = hash_file(path)
    if sha256 != verdict.sha256:
        raise FileChangedError(f"{path}: changed since it was judged")
    known = incidents.open_at(verdict.place.path, sha256)
    if known is not None and has_bytes(incidents.file_of(known), sha256):
        incident = _take_again(incidents, known, path, now)
    else:
        known = None
        incident = _open_incident(incidents, verdict, status, now)
        _move(incidents, incident, path)
    done, is_back = put_back(incidents, root, incident, good, status)
    return Taken(done, repeated=known is not None, is_back=is_back)


def put_back(
    incidents: Incidents, root: Path, incident: Incident, good: Good | None, status: os.stat_result
) -> tuple[Incident, bool]:
    """Put the last good version in place and close the incident's books.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        incident: whose file was moved.
        good: the version to put back; None if there is none.
        status: whose mode and owner it gets.

    Returns:
        The incident as it is then, and whether the version is in its place.

    """
    is_back = good is not None and _create(root, incident, good, status)
    done = replace(incident, step="done", restored=good.sha256 if good and is_back else incident.restored)
    incidents.write(done)
    return done, is_back


def _create(root: Path, incident: Incident, good: Good, status: os.stat_result) -> bool:
    if leads_out(root, incident.path):
        return False
    path = real_place(root, incident.path)
    if not path.parent.is_dir():
        return False
    return create_file(path, good.data, mode=status.st_mode & 0o7777, owner_of=status)


def _take_again(incidents: Incidents, known: Incident, path: Path, now: float) -> Incident:
    again = replace(known, occurrences=known.occurrences + 1, last_seen=iso(now), step="moving")
    incidents.write(again)
    try:
        drop_repetition(incidents, again, path)
    except (FileChangedError, FileNotFoundError):
        incidents.write(known)
        raise
    return again


def _open_incident(incidents: Incidents, verdict: Verdict, status: os.stat_result, now: float) -> Incident:
    identifier = incidents.begin(verdict.place.agent or "", verdict.place.path, verdict.sha256, now)
    incident = new_incident(identifier, verdict, status, now)
    try:
        incidents.write(incident)
    except OSError:
        with contextlib.suppress(OSError):
            incidents.discard_empty(incident)
        raise
    return incident


def _move(incidents: Incidents, incident: Incident, path: Path) -> None:
    """Move the file; what turns out to be other bytes than were judged goes back at once."""
    target = incidents.file_of(incident)
    try:
        move_file(path, target, sha256=incident.sha256)
    except BaseException as error:
        if not os.path.lexists(target):
            incidents.discard_empty(incident)
        elif isinstance(error, FileChangedError):
            incidents.write(replace(incident, step="done"))
        raise
    if not has_bytes(target, incident.sha256):
        give_back(target, path)
        incidents.discard_empty(incident)
        raise FileChangedError(f"{path}: changed while it was moved")
