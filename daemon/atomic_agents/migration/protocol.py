"""What a migration needs of whatever holds the units (seed, MigrationBackend Protocol)."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import (
    LoadedScript,
    MigrationCapabilities,
    MigrationEvent,
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)


@runtime_checkable
class MigrationBackend(Protocol):
    """The seed's locked contract, MUST 1 to MUST 8; `docs/migration.md` lists it for implementers."""

    @property
    def backend_id(self) -> str:
        """A stable, non-empty, lowercase name (MUST 6)."""

    def capabilities(self) -> MigrationCapabilities:
        """Return what this backend can do (MUST 5)."""

    def read_schema_version(self) -> int:
        """Return the least version of all units, without writing anything (MUST 1)."""

    def enumerate_units(self) -> list[MigratableUnit]:
        """Return each physical unit once (MUST 2)."""

    def apply_unit(self, unit: MigratableUnit, script: LoadedScript, dry_run: bool = True) -> dict[str, Any]:
        """Run one script on one unit and check that it raised the version (MUST 3, MUST 7).

        Returns:
            The script's summary; empty when the unit was skipped.

        """

    def snapshot(self, target_version: int) -> MigrationSnapshotRef:
        """Make a checkpoint from which `restore` brings everything back (MUST 4)."""

    def restore(self, ref: MigrationSnapshotRef) -> None:
        """Bring the vault back to a snapshot, all or nothing; records nothing (MUST 4)."""

    def restore_and_audit(self, ref: MigrationSnapshotRef) -> None:
        """Bring the vault back for an operator and record it, whatever happens (MUST 8)."""

    def run_migration(self, target_version: int, dry_run: bool = True) -> MigrationResult:
        """Migrate everything to a version and record it, whatever happens (MUST 8)."""


class Guard(Protocol):
    """What keeps others out while a real run goes on."""

    def check(self) -> None:
        """Raise if it no longer keeps others out."""


class RunnableBackend(MigrationBackend, Protocol):
    """What `atomic_agents.migration.runner` calls beyond the seed's Protocol.

    A backend whose `run_migration` hands itself to the runner implements these too.
    """

    @property
    def location(self) -> str:
        """What `agents_root` says in this backend's audit lines."""

    def build_plan(self, target_version: int) -> MigrationPlan:
        """Return which scripts lead to the target; only reads."""

    def exclusive(self) -> AbstractContextManager[Guard]:
        """Keep every other migration out; refuse at once when one is running."""

    def prepare(self) -> Collection[MigratableUnit]:
        """Return the units of the run, read once more under the lock; refuse if one cannot be read."""

    def locate(self, ref: MigrationSnapshotRef) -> str:
        """Return where a snapshot lies, for the operator."""

    def begin(self, run_id: str, plan: MigrationPlan, ref: MigrationSnapshotRef) -> None:
        """Note durably, before the first write, that a run began."""

    def settle(self) -> None:
        """Make every write so far durable and visible."""

    def validate(self, target_version: int) -> list[dict[str, str]]:
        """Return one `{"unit_id", "error"}` for each unit that the target's schema does not accept."""

    def roll_back(self, ref: MigrationSnapshotRef) -> None:
        """Drop what is not written yet and restore, without being interrupted."""

    def record(self, event: MigrationEvent) -> None:
        """Keep an audit record durably (MUST 8)."""

    def end(self, *, finished: bool) -> None:
        """Note durably, after the audit record, that the run is over, or leave it marked for recovery."""
