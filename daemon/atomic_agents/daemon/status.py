"""The heartbeat: what the worker says of itself, and what others make of it (contract section 8)."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import make_folder
from atomic_agents.daemon.instance import Owner, owner
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import iso, printable

FILE: Final = "status.json"
LINTED: Final = "linted"
"""Fact of the store: what the last daily lint counted, with its wall time `at` (ISO 8601)."""

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
    """The stable shape of `status --json`; times are ISO 8601 in UTC.

    `beat_monotonic` is the machine's monotonic time of the heartbeat in seconds: its age is told by a
    clock that nobody sets.
    """

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
    quarantined_by_agent: Mapping[str, int] = field(default_factory=dict)
    lint: Mapping[str, Any] | None = None
    beat_monotonic: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}


@dataclass(frozen=True, slots=True)
class Now:
    """The present: wall time in seconds since the epoch, and the machine's monotonic time in seconds."""

    wall: float
    monotonic: float

    @classmethod
    def read(cls) -> Now:
        """Return the present by the machine's clocks."""
        return cls(time.time(), time.monotonic())


def write_status(folder: Path, status: Status) -> None:
    """Write the heartbeat; not synced to the disk, since only this boot's matters.

    Raises:
        OSError: the state folder refuses.

    """
    make_folder(folder)
    temporary = folder / f".{FILE}.tmp"
    temporary.write_text(json.dumps(status.as_json(), ensure_ascii=True, indent=1), "utf-8")
    temporary.replace(folder / FILE)


def read_status(folder: Path, vault: Path, now: Now) -> Status:
    """Return how a vault's daemon is, told from the state folder alone.

    Args:
        folder: the vault's state folder.
        vault: its real path.
        now: the present.

    Raises:
        OSError: this user may not look into the state folder.

    """
    told = _read(folder)
    running = owner(folder)
    if running is not None and not (told is not None and _is_of(told, running)):
        return _begun(running, vault, now)
    if told is None or running is None or told.state in {"stopped", "crashed"}:
        return _ended(told, vault)
    age = _age(folder, told, now)
    if age <= STALE_SECONDS:
        return told
    reason = f"the worker said nothing for {age:.0f} s, expected a sign every {BEAT_SECONDS:.0f} s"
    return dataclasses.replace(told, state="stale", reasons=(reason, *told.reasons))


def record_failure(folder: Path, vault: Path, error: AtomicAgentsError) -> None:
    """Leave word of a start that failed, unless a daemon runs, or there is no such vault and never was.

    Args:
        folder: the vault's state folder.
        vault: its real path.
        error: why it failed.

    """
    if not (folder.is_dir() or vault.is_dir()) or owner(folder) is not None:
        return
    told = _read(folder) or Status("crashed", printable(str(vault)))
    words = f"{error} ({error.hint})" if error.hint else str(error)
    failed = dataclasses.replace(told, state="crashed", pid=None, reasons=(), last_error=printable(words))
    write_status(folder, failed)


def _ended(told: Status | None, vault: Path) -> Status:
    if told is None:
        return Status("not-installed", printable(str(vault)), ("no daemon ever ran on this vault",))
    if told.state == "stopped":
        return dataclasses.replace(told, pid=None, reasons=())
    reason = (
        told.last_error if told.state == "crashed" else None
    ) or "it was killed, or the machine went down"
    return dataclasses.replace(told, state="crashed", pid=None, reasons=(reason,))


def _begun(running: Owner, vault: Path, now: Now) -> Status:
    """Return the status of a daemon that has not said anything yet."""
    begun = Status(
        "starting",
        printable(str(vault)),
        pid=running.pid,
        version=running.version,
        started=iso(running.started),
    )
    waited = now.wall - running.started
    if waited <= STALE_SECONDS:
        return begun
    return dataclasses.replace(
        begun, state="stale", reasons=(f"started {waited:.0f} s ago and said nothing since",)
    )


def _is_of(told: Status, running: Owner) -> bool:
    """Whether a status was written by the daemon that runs now; pids come again, in containers at once."""
    return told.pid == running.pid and (told.started or "") >= iso(running.started)


def _age(folder: Path, told: Status, now: Now) -> float:
    """Return how old the heartbeat is, in seconds; a wall clock that was set makes it no older."""
    if told.beat_monotonic is not None and told.beat_monotonic <= now.monotonic:
        return now.monotonic - told.beat_monotonic
    return now.wall - (folder / FILE).stat().st_mtime


def _read(folder: Path) -> Status | None:
    try:
        values = json.loads((folder / FILE).read_text("utf-8"))
        known = {spec.name for spec in dataclasses.fields(Status)}
        kept = {key: value for key, value in values.items() if key in known}
        kept["reasons"] = tuple(kept.get("reasons", ()))
        kept["holds"] = tuple(kept.get("holds", ()))
        return Status(**kept)
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return None
