"""What a run's audit line will say, filled in as the run goes on (seed MUST 8)."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from atomic_agents.clock import Clock, SystemClock
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration.audit import timestamp
from atomic_agents.migration.values import (
    UNKNOWN_VERSION,
    MigrationEvent,
    MigrationPlan,
    MigrationSnapshotRef,
)

Progress = Callable[[str, int, int], None]
"""Told of each phase: its name, how much of it is done, and how much there is."""

Announce = Callable[[MigrationSnapshotRef, str], None]
"""Told of a snapshot before anything is written: the ref, and where it lies."""


def no_progress(_phase: str, _done: int, _total: int) -> None:
    """Tell nobody."""


def announce_on_stdout(ref: MigrationSnapshotRef, place: str) -> None:
    """Print where the snapshot lies and how to go back (seed MUST 4)."""
    command = f"python -m atomic_agents.migrate --rollback {ref.snapshot_id}"
    sys.stdout.write(f"Snapshot created: {place}\nIf this migration is interrupted, run: {command}\n")
    sys.stdout.flush()


def no_trial(_plan: MigrationPlan) -> bool:
    """Begin real runs without a dry run before."""
    return False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Whom a run tells and asks, and what time it is."""

    announce: Announce = announce_on_stdout
    progress: Progress = no_progress
    needs_trial: Callable[[MigrationPlan], bool] = no_trial
    clock: Clock = field(default_factory=SystemClock)


class Recorder(Protocol):
    """Whoever keeps audit records."""

    @property
    def location(self) -> str:
        """What `agents_root` says in them."""

    def record(self, event: MigrationEvent) -> None:
        """Keep one durably."""


@dataclass(slots=True)
class Sheet:
    """The facts of one audit line; see `MigrationEvent`."""

    recorder: Recorder
    clock: Clock
    to_version: int
    dry_run: bool = False
    run_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    from_version: int = UNKNOWN_VERSION
    units_touched: int = 0
    rolled_back: bool = False
    error: str = ""
    is_recorded: bool = False

    def record(self) -> None:
        """Keep it durably, once."""
        self.recorder.record(
            MigrationEvent(
                run_id=self.run_id,
                timestamp=timestamp(self.clock.wall()),
                agents_root=self.recorder.location,
                from_version=self.from_version,
                to_version=self.to_version,
                units_touched=self.units_touched,
                dry_run=self.dry_run,
                rolled_back=self.rolled_back,
                error=self.error,
            )
        )
        self.is_recorded = True

    def record_failure(self, error: BaseException) -> None:
        """Keep it with this error; a fault of the audit itself is told beside the error, not instead."""
        self.error = self.error or describe(error)
        try:
            self.record()
        except (AtomicAgentsError, OSError) as fault:
            error.add_note(f"and the audit could not be written: {fault}")


def describe(error: BaseException) -> str:
    """Return what the audit says of an exception; never empty."""
    return str(error) or type(error).__name__
