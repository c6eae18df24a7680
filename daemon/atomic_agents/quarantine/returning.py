"""Putting blocked bytes back because the operator says so (contract [Q-4])."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from atomic_agents._io import create_file, hash_file, make_folder, move_file, read_file, replace_file
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import printable
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.incidents import Incidents
from atomic_agents.quarantine.placing import displaced_name, real_place

_APPEARED = "something appeared there just now; try again"


@dataclass(frozen=True, slots=True)
class Returned:
    """What was done: the incident as it is now, and where the file lies that stood in the way."""

    incident: Incident
    displaced: Path | None


def give_back(incidents: Incidents, root: Path, incident: Incident, *, force: bool) -> Returned:
    """Put an incident's bytes back at their path; a copy stays in quarantine, and they are not blocked again.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        incident: whose bytes.
        force: also where something is there; that is moved into the incident's folder.

    Raises:
        AtomicAgentsError: the path is taken, or the quarantined bytes are gone or were altered.
        OSError: the system refuses.

    """
    source = incidents.file_of(incident)
    data = quarantined_bytes(incidents, incident)
    target = real_place(root, incident.path)
    displaced = _make_room(incidents, incident, target, force=force)
    released = replace(incident, state="solved", released=True)
    incidents.write(released)
    make_folder(target.parent, mode=0o755)
    if not create_file(target, data, mode=int(incident.mode, 8), owner_of=source.stat()):
        raise AtomicAgentsError(f"{printable(incident.path)}: {_APPEARED}")
    return Returned(released, displaced)


def put_mended(incidents: Incidents, root: Path, incident: Incident, data: bytes) -> Incident:
    """Put bytes that are valid at an incident's path, where nothing is but the version that was put back.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        incident: whose path; its own bytes stay in quarantine.
        data: the valid bytes.

    Returns:
        The incident, solved.

    Raises:
        AtomicAgentsError: the path is taken by anything else.
        FileChangedError: somebody wrote there just now; that write stays.
        OSError: the system refuses.

    """
    target = real_place(root, incident.path)
    solved = replace(incident, state="solved")
    try:
        there = read_file(target)
    except FileNotFoundError:
        make_folder(target.parent, mode=0o755)
        if not create_file(target, data, mode=int(incident.mode, 8), owner_of=_status(incidents, incident)):
            raise AtomicAgentsError(f"{printable(incident.path)}: {_APPEARED}") from None
    else:
        if there.sha256 != incident.restored:
            raise AtomicAgentsError(
                f"{printable(incident.path)}: something else is there by now, so nothing was put back",
                hint="compare the two: `atomicd quarantine diff`; `restore --force` keeps both",
            )
        replace_file(target, data, expected=there.status)
    incidents.write(solved)
    return solved


def quarantined_bytes(incidents: Incidents, incident: Incident) -> bytes:
    """Return an incident's bytes, as they were blocked.

    Raises:
        AtomicAgentsError: they are gone from its folder, or were altered.
        OSError: the system refuses.

    """
    source = incidents.file_of(incident)
    try:
        reading = read_file(source)
    except FileNotFoundError as error:
        raise AtomicAgentsError(f"incident {incident.id}: its file is gone from {source.parent}") from error
    if reading.sha256 != incident.sha256:
        raise AtomicAgentsError(
            f"incident {incident.id}: its file was altered since", hint=f"copy it yourself from {source}"
        )
    return reading.data


def _status(incidents: Incidents, incident: Incident) -> os.stat_result | None:
    try:
        return os.lstat(incidents.file_of(incident))
    except FileNotFoundError:
        return None


def _make_room(incidents: Incidents, incident: Incident, target: Path, *, force: bool) -> Path | None:
    if not os.path.lexists(target):
        return None
    if not force:
        raise AtomicAgentsError(
            f"{printable(incident.path)}: something is there, so nothing was put back",
            hint="--force puts it back and keeps what is there beside the incident",
        )
    digest, _ = hash_file(target)
    aside = displaced_name(incidents.folder / incident.id, digest, incident.name)
    move_file(target, aside, sha256=digest)
    return aside
