"""What `status` adds to the heartbeat: all of it told from the state folder and the machine (section 8)."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atomic_agents.daemon.instance import owner
from atomic_agents.daemon.status import Now, Status, read_status
from atomic_agents.exceptions import TemporaryError
from atomic_agents.model import FileState, printable
from atomic_agents.store import open_store
from atomic_agents.vault.holder import lock_holder
from atomic_agents.vault.lock import LOCK_FILE


@dataclass(frozen=True, slots=True)
class Report:
    """A status with its surroundings.

    Args:
        status: what the daemon says, or what is concluded from its silence.
        uptime_seconds: since the daemon that runs was started.
        instance_pid: who holds the right to be this vault's daemon.
        vault_lock_pid: who holds the vault's lock just now.
        vault_free: bytes free where the vault lies; None if it is not there.
        state_free: bytes free where the state lies.
        agents: by agent, how many errors, warnings and blocked writes there are.

    """

    status: Status
    uptime_seconds: int | None = None
    instance_pid: int | None = None
    vault_lock_pid: int | None = None
    vault_free: int | None = None
    state_free: int | None = None
    agents: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the stable shape of `status --json`."""
        return self.status.as_json() | {
            "uptime_seconds": self.uptime_seconds,
            "locks": {"instance": self.instance_pid, "vault": self.vault_lock_pid},
            "disk": {"vault_free": self.vault_free, "state_free": self.state_free},
            "agents": {name: dict(counts) for name, counts in self.agents.items()},
        }


def read_report(folder: Path, vault: Path, now: Now) -> Report:
    """Return how a vault's daemon is, with its surroundings.

    Args:
        folder: the vault's state folder.
        vault: its real path; it need not be there.
        now: the present.

    Raises:
        OSError: this user may not look into the state folder.

    """
    status = read_status(folder, vault, now)
    running = owner(folder)
    return Report(
        status=status,
        uptime_seconds=_uptime(status, now),
        instance_pid=running.pid if running is not None else None,
        vault_lock_pid=lock_holder(vault / LOCK_FILE),
        vault_free=_free(vault),
        state_free=_free(folder),
        agents=_agents(folder, status, now),
    )


def _uptime(status: Status, now: Now) -> int | None:
    if status.pid is None or status.started is None:
        return None
    return max(round(now.wall - dt.datetime.fromisoformat(status.started).timestamp()), 0)


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _agents(folder: Path, status: Status, now: Now) -> dict[str, dict[str, int]]:
    """Return the problems by agent that the store remembers; a store that cannot be read tells none."""
    found: dict[str, dict[str, int]] = {}
    try:
        store = open_store(folder, now=now.wall, read_only=True)
    except (TemporaryError, sqlite3.Error):
        store = None
    if store is not None:
        try:
            for agent, state, problems in store.files.troubled():
                _count(found, printable(agent), state, problems)
        except sqlite3.Error:
            found.clear()
        finally:
            store.close()
    for agent, number in status.quarantined_by_agent.items():
        _of(found, agent)["quarantined"] = number
    return dict(sorted(found.items()))


def _count(found: dict[str, dict[str, int]], agent: str, state: FileState, problems: str | None) -> None:
    counts = _of(found, agent)
    for problem in json.loads(problems) if problems else ():
        counts["errors" if problem["severity"] == "error" else "warnings"] += 1
    if state in {FileState.HELD, FileState.ADOPTED}:
        counts[state.value] += 1


def _of(found: dict[str, dict[str, int]], agent: str) -> dict[str, int]:
    return found.setdefault(agent, {"errors": 0, "warnings": 0, "held": 0, "adopted": 0, "quarantined": 0})
