"""Putting blocked bytes back because the operator says so (contract [Q-4])."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from atomic_agents._io import create_file, hash_file, make_folder, move_file, read_file
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import printable
from atomic_agents.quarantine.incidents import Incident, Incidents


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
    reading = _read(source, incident)
    target = root / incident.path
    _check_parent(root, target)
    displaced = _make_room(incidents, incident, target, force=force)
    released = replace(incident, state="solved", released=True)
    incidents.write(released)
    make_folder(target.parent, mode=0o755)
    if not create_file(target, reading, mode=int(incident.mode, 8), owner_of=source.stat()):
        raise AtomicAgentsError(f"{printable(incident.path)}: something appeared there just now; try again")
    return Returned(released, displaced)


def _read(source: Path, incident: Incident) -> bytes:
    try:
        reading = read_file(source)
    except FileNotFoundError as error:
        raise AtomicAgentsError(f"incident {incident.id}: its file is gone from {source.parent}") from error
    if reading.sha256 != incident.sha256:
        raise AtomicAgentsError(
            f"incident {incident.id}: its file was altered since", hint=f"copy it yourself from {source}"
        )
    return reading.data


def _check_parent(root: Path, target: Path) -> None:
    real = os.path.realpath(target.parent)
    if real != str(root) and not real.startswith(f"{str(root).rstrip('/')}/"):
        raise AtomicAgentsError(
            f"{printable(str(target))}: a link leads out of the vault, so nothing is put there"
        )


def _make_room(incidents: Incidents, incident: Incident, target: Path, *, force: bool) -> Path | None:
    if not os.path.lexists(target):
        return None
    if not force:
        raise AtomicAgentsError(
            f"{printable(incident.path)}: something is there, so nothing was put back",
            hint="--force puts it back and keeps what is there beside the incident",
        )
    digest, _ = hash_file(target)
    folder = incidents.folder / incident.id
    number, aside = 1, folder / f"displaced_{digest[:8]}_{target.name}"
    while os.path.lexists(aside):
        number += 1
        aside = folder / f"displaced_{digest[:8]}-{number}_{target.name}"
    move_file(target, aside, sha256=digest)
    return aside
