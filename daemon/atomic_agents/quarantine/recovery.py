"""Finishing at the start what a crash left half done (contract [D-5])."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

from atomic_agents.quarantine.incidents import Incident, Incidents
from atomic_agents.quarantine.taking import Good, put_back


def recover(incidents: Incidents, root: Path, last_good: Callable[[str], Good | None]) -> list[Incident]:
    """Finish every move that a crash interrupted, or undo it where the file never left.

    Args:
        incidents: the vault's quarantine.
        root: the vault's real path.
        last_good: gives the last good version of a path.

    Returns:
        The incidents that were finished.

    """
    finished = []
    for incident in incidents.all():
        if incident.step == "done":
            continue
        target = incidents.file_of(incident)
        if not target.exists():
            _undo(incidents, incident)
            continue
        _unlink_twin(root / incident.path, target)
        finished.append(put_back(incidents, root, incident, last_good(incident.path), target.stat()))
    return finished


def _undo(incidents: Incidents, incident: Incident) -> None:
    try:
        incidents.discard_empty(incident)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise


def _unlink_twin(path: Path, target: Path) -> None:
    """Remove the old name where the crash came between the new name and that."""
    if path.exists() and not path.is_symlink() and path.samefile(target):
        path.unlink()
