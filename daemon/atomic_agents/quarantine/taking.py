"""Moving an invalid file aside and putting its last good version back (contract [Q-1], [Q-2])."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, replace
from pathlib import Path

from atomic_agents._io import create_file, hash_file, move_file
from atomic_agents.exceptions import FileChangedError
from atomic_agents.model import Verdict, iso
from atomic_agents.quarantine.incidents import Incident, Incidents, new_incident


@dataclass(frozen=True, slots=True)
class Good:
    """The last good version of a path: its bytes and their hash, in hex."""

    data: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What was done: the incident, and whether it is a repetition of an earlier one."""

    incident: Incident
    repeated: bool


def take(incidents: Incidents, root: Path, verdict: Verdict, good: Good | None, now: float) -> Taken:
    """Move a file to quarantine and put its last good version back where nothing appeared meanwhile.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        verdict: why; its hash is that of the bytes that were judged.
        good: the version to put back; None if there is none.
        now: wall time, seconds since the epoch.

    Raises:
        FileChangedError: the file has other bytes than were judged; it is where it was.
        FileNotFoundError: it is gone.
        OSError: the system refuses; the bytes are in one of the two places.

    """
    path = root / verdict.place.path
    sha256, status = hash_file(path)
    if sha256 != verdict.sha256:
        raise FileChangedError(f"{path}: changed since it was judged")
    known = incidents.open_at(verdict.place.path, sha256)
    if known is not None and _has_bytes(incidents.file_of(known), sha256):
        known = replace(known, occurrences=known.occurrences + 1, last_seen=iso(now), step="moving")
        incidents.write(known)
        _drop_repetition(incidents, known, path)
        return Taken(put_back(incidents, root, known, good, status), repeated=True)
    identifier = incidents.begin(verdict.place.agent or "", verdict.place.path, sha256, now)
    incident = new_incident(identifier, verdict, status, now)
    incidents.write(incident)
    _move(incidents, incident, path)
    return Taken(put_back(incidents, root, incident, good, status), repeated=False)


def put_back(
    incidents: Incidents, root: Path, incident: Incident, good: Good | None, status: os.stat_result
) -> Incident:
    """Put the last good version in place, close the incident's books and return the incident as it is then.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        incident: whose file was moved.
        good: the version to put back; None if there is none.
        status: whose mode and owner it gets.

    """
    path = root / incident.path
    restored = None
    if good is not None and path.parent.is_dir():
        created = create_file(path, good.data, mode=status.st_mode & 0o7777, owner_of=status)
        restored = good.sha256 if created else None
    done = replace(incident, step="done", restored=restored or incident.restored)
    incidents.write(done)
    return done


def _move(incidents: Incidents, incident: Incident, path: Path) -> None:
    """Move the file; what turns out to be other bytes than were judged goes back at once."""
    target = incidents.file_of(incident)
    try:
        move_file(path, target, sha256=incident.sha256)
    except BaseException:
        if not target.exists():
            incidents.discard_empty(incident)
        raise
    if not _has_bytes(target, incident.sha256):
        _give_back(target, path)
        incidents.discard_empty(incident)
        raise FileChangedError(f"{path}: changed while it was moved")


def _give_back(target: Path, path: Path) -> None:
    try:
        move_file(target, path)
    except FileExistsError as error:
        raise FileChangedError(
            f"{path}: written again while it was moved; the former bytes are {target}"
        ) from error


def _drop_repetition(incidents: Incidents, known: Incident, path: Path) -> None:
    """Take away bytes that are in quarantine already, by way of a name there: no other write is lost."""
    aside = incidents.folder / known.id / f".again.{known.name}"[:200]
    if aside.exists():
        aside.unlink()
    move_file(path, aside)
    if not _has_bytes(aside, known.sha256):
        _give_back(aside, path)
        raise FileChangedError(f"{path}: changed while it was moved")
    aside.unlink()


def _has_bytes(path: Path, sha256: str) -> bool:
    try:
        return hash_file(path)[0] == sha256
    except OSError as error:
        if error.errno == errno.ENOENT:
            return False
        raise
