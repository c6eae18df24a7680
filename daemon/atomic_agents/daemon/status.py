"""The heartbeat: what the worker says of itself, and what others make of it (contract section 8)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import make_folder
from atomic_agents.daemon.instance import owner

FILE: Final = "status.json"
BEAT_SECONDS: Final = 5.0
STALE_SECONDS: Final = 30.0

CHECK_CODES: Final = {
    "running": 0,
    "starting": 0,
    "paused": 1,
    "degraded": 1,
    "stale": 1,
    "stopped": 2,
    "crashed": 2,
    "not-installed": 3,
}
"""Exit codes of `status --check` by state."""


@dataclass(frozen=True, slots=True)
class Status:
    """The stable shape of `status --json`; times are ISO 8601 in UTC."""

    state: str
    vault: str
    reasons: tuple[str, ...] = ()
    pid: int | None = None
    version: str | None = None
    heartbeat: str | None = None
    units: int = 0
    quarantined: int = 0
    held: int = 0
    adopted: int = 0
    queue: int = 0
    last_sweep: str | None = None
    watch: Mapping[str, Any] = field(default_factory=lambda: {"mode": None, "watches": 0})
    last_error: str | None = None
    started: str | None = None
    holds: tuple[Mapping[str, Any], ...] = ()
    trouble: Mapping[str, str] = field(default_factory=dict)
    breaker: str = "closed"

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}


def write_status(folder: Path, status: Status) -> None:
    """Write the heartbeat; not synced to the disk, since only this boot's matters.

    Raises:
        OSError: the state folder refuses.

    """
    make_folder(folder)
    temporary = folder / f".{FILE}.tmp"
    temporary.write_text(json.dumps(status.as_json(), ensure_ascii=True, indent=1), "utf-8")
    temporary.replace(folder / FILE)


def read_status(folder: Path, vault: Path, now: float) -> Status:
    """Return how a vault's daemon is, told from the state folder alone.

    Args:
        folder: the vault's state folder.
        vault: its real path.
        now: wall time, seconds since the epoch.

    """
    told = _read(folder)
    running = owner(folder)
    if told is None:
        if running is not None:
            return Status("starting", str(vault), pid=running.pid, version=running.version)
        return Status("not-installed", str(vault), ("no daemon ever ran on this vault",))
    if running is None:
        return _ended(told)
    if told.pid != running.pid:
        return Status("starting", str(vault), pid=running.pid, version=running.version)
    age = now - (folder / FILE).stat().st_mtime
    if age > STALE_SECONDS:
        reason = f"the worker said nothing for {age:.0f} s, expected a sign every {BEAT_SECONDS:.0f} s"
        return dataclasses.replace(told, state="stale", reasons=(reason, *told.reasons))
    return told


def _ended(told: Status) -> Status:
    if told.state == "stopped":
        return dataclasses.replace(told, pid=None)
    reason = told.last_error or "it was killed, or the machine went down"
    return dataclasses.replace(told, state="crashed", pid=None, reasons=(reason,))


def _read(folder: Path) -> Status | None:
    try:
        values = json.loads((folder / FILE).read_text("utf-8"))
        known = {spec.name for spec in dataclasses.fields(Status)}
        kept = {key: value for key, value in values.items() if key in known}
        kept["reasons"] = tuple(kept.get("reasons", ()))
        kept["holds"] = tuple(kept.get("holds", ()))
        return Status(**kept)
    except (OSError, ValueError, TypeError):
        return None
