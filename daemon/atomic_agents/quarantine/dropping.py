"""Deleting an incident with its bytes: the operator's word is the only thing that does (contract [Q-4])."""

from __future__ import annotations

import shutil
from pathlib import Path

from atomic_agents._files.write import temporary_name
from atomic_agents._io import TEMPORARY, sync_folder
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.incidents import Incidents


def drop(incidents: Incidents, incident: Incident) -> None:
    """Delete an incident's folder with everything in it; a kill on the way is finished at the next start.

    The caller holds the vault's lock, and so does the start.

    Args:
        incidents: the vault's quarantine.
        incident: what to delete.

    Raises:
        OSError: the system refuses.

    """
    folder = incidents.folder / incident.id
    hidden = temporary_name(folder)
    folder.rename(hidden)
    sync_folder(incidents.folder)
    shutil.rmtree(hidden)
    sync_folder(incidents.folder)


def is_dropped(folder: Path) -> bool:
    """Whether a folder of the quarantine was dropped and is only not gone yet."""
    return TEMPORARY.match(folder.name) is not None
