"""Migrations of a vault on a file system (seed, MigrationBackend Protocol; contract section 7)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import MigrationUnfinishedError
from atomic_agents.migration import checks, runner, status
from atomic_agents.migration.audit import append_event, timestamp
from atomic_agents.migration.contents import Contents, Handles
from atomic_agents.migration.exclusion import LockGuard, hold_exclusively
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.listing import UnitFile
from atomic_agents.migration.marker import Marker, Run
from atomic_agents.migration.plan import build_plan
from atomic_agents.migration.recovery import drop_dead_marker, find_unfinished
from atomic_agents.migration.rehearsal import Rehearsal, rehearse
from atomic_agents.migration.restore import restore_snapshot
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.scripts import find_scripts
from atomic_agents.migration.sheet import Sheet, Surroundings
from atomic_agents.migration.signals import uninterrupted
from atomic_agents.migration.snapshot import (
    Request,
    find_snapshot,
    list_snapshots,
    snapshots_folder,
    take_snapshot,
)
from atomic_agents.migration.step import apply_script
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import (
    LoadedScript,
    MigrationCapabilities,
    MigrationEvent,
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)
from atomic_agents.migration.written import remember_written
from atomic_agents.vault.lock import VaultLock
from atomic_agents.vault.walk import find_root, read_layout

BACKEND_ID: Final = "filesystem"

_log = logging.getLogger(__name__)


class FilesystemMigrationBackend:
    """Migrates a vault in place: tar snapshots, journaled restore, one lock, an audit in JSON lines.

    Args:
        agents_root: the vault.
        ignore: `[vault] ignore` of the configuration.
        around: whom to tell, and what time it is.

    """

    def __init__(
        self, agents_root: Path, *, ignore: tuple[str, ...] = (), around: Surroundings | None = None
    ) -> None:
        self._root = find_root(Path(agents_root))
        self._ignore = ignore
        self._around = around or Surroundings()
        self._lock = VaultLock(self._root)
        self._contents = Contents(self._root, read_layout(self._root, ignore))
        self._marker: Marker | None = None
        self._prepared: list[UnitFile] = []
        self._is_held = False

    @property
    def backend_id(self) -> str:
        """The name `filesystem` (MUST 6)."""
        return BACKEND_ID

    @property
    def location(self) -> str:
        """The vault's real path."""
        return str(self._root)

    def capabilities(self) -> MigrationCapabilities:
        """Return that it can roll back, on one host (MUST 4)."""
        return MigrationCapabilities(supports_transactional_rollback=True, single_host_only=True)

    def read_schema_version(self) -> int:
        """Return the least version of all units; the current one when no unit names any (MUST 1)."""
        units = self._contents.list().units
        version = checks.least_version(self._contents, units)
        if version is not None:
            return version
        if units:
            _log.warning(
                "%s: %d units, none yielded a valid integer schema_version; nothing can be migrated",
                self._root,
                len(units),
            )
        return SchemaSet.of_vault(self._root).current

    def enumerate_units(self) -> list[MigratableUnit]:
        """Return each physical unit once, by real path (MUST 2)."""
        return [self._contents.handle(unit) for unit in self._contents.list().units]

    def apply_unit(self, unit: MigratableUnit, script: LoadedScript, dry_run: bool = True) -> dict[str, Any]:
        """Run one script on one unit and check that it raised the version (MUST 3, MUST 7).

        Raises:
            MigrationScriptError: the script failed or broke its contract.
            MigrationError: the unit could not be written.

        """
        summary = apply_script(unit, script, dry_run=dry_run)
        self._contents.settle_if_full()
        return summary

    def snapshot(self, target_version: int) -> MigrationSnapshotRef:
        """Archive everything in scope, verified whole (MUST 4).

        Raises:
            MigrationError: something cannot be read or there is no room; nothing was changed.

        """
        migrations_folder(self._root)
        scope = self._scope()
        units = checks.units_outside(self._root, scope, self._prepared if self._is_held else self._units())
        request = Request(target_version, self._around.clock.wall())
        path = take_snapshot(self._root, scope, request, units)
        return MigrationSnapshotRef(BACKEND_ID, path.name)

    def locate(self, ref: MigrationSnapshotRef) -> str:
        """Return the archive's path."""
        return str(snapshots_folder(self._root) / ref.snapshot_id)

    def list_snapshots(self) -> list[Path]:
        """Return the archives, oldest first."""
        return list_snapshots(self._root)

    def restore(self, ref: MigrationSnapshotRef) -> None:
        """Bring back everything that a snapshot holds, all or nothing (MUST 4, contract [M-2]).

        Raises:
            MigrationSnapshotNotFound: there is none of this name.
            SnapshotInvalidError: it is damaged, foreign or hostile; nothing was changed.
            MigrationBusyError: a migration is running.
            MigrationError: the system refuses.

        """
        with self.exclusive():
            migrations_folder(self._root)
            archive = find_snapshot(self._root, ref.snapshot_id)
            restore_snapshot(self._root, self._scope(), archive, secrets.token_hex(8))
            if self._marker is None:
                drop_dead_marker(self._root)
            self._refresh()

    def restore_and_audit(self, ref: MigrationSnapshotRef) -> None:
        """Restore for an operator and record it, whatever happens (MUST 8)."""
        runner.restore_and_audit(self, ref, self._around)

    def run_migration(self, target_version: int, dry_run: bool = True) -> MigrationResult:
        """Migrate the vault and record it, whatever happens; see `runner.run_migration`."""
        return runner.run_migration(self, target_version, dry_run, self._around)

    def rehearse(self, target_version: int) -> Rehearsal:
        """Run the scripts on a copy in memory, and record it as a dry run (contract [M-5])."""
        sheet = Sheet(self, self._around.clock, target_version, dry_run=True)
        try:
            plan = self.build_plan(target_version)
            sheet.from_version = plan.from_version
            self._refuse_unfinished()
            found = rehearse(self._root, self._contents.layout, plan, self._around.progress)
        except BaseException as error:
            sheet.record_failure(error)
            raise
        sheet.units_touched, sheet.error = found.touched, found.verdict
        sheet.record()
        return found

    def vault_status(self) -> dict[str, Any]:
        """Return where the vault stands; only reads (contract section 8, `migrate --status`)."""
        return status.vault_status(self._root, self._contents, self.read_schema_version())

    def build_plan(self, target_version: int) -> MigrationPlan:
        """Return which scripts lead to the target; only those are executed."""
        folder = migrations_folder(self._root)
        SchemaSet.of_vault(self._root)
        return build_plan(self.read_schema_version(), target_version, find_scripts(folder))

    @contextmanager
    def exclusive(self) -> Iterator[LockGuard]:
        """Hold the vault's lock.

        Raises:
            MigrationBusyError: another migration is running.

        """
        with hold_exclusively(self._lock) as guard:
            checks.refuse_if_alive(self._root, is_ours=self._marker is not None)
            was_held, self._is_held = self._is_held, True
            try:
                yield guard
            finally:
                self._is_held = was_held

    def prepare(self) -> Handles:
        """Read every unit; refuse when one cannot be read or replaced (contract [M-1]).

        Raises:
            UnitsUnreadableError: names all of them.
            MigrationUnfinishedError: an earlier run died.

        """
        self._refuse_unfinished()
        self._refresh()
        self._prepared = checks.readable_units(self._contents, self._around.progress)
        return Handles(self._contents, self._prepared)

    def begin(self, run_id: str, plan: MigrationPlan, ref: MigrationSnapshotRef) -> None:
        """Mark the run durably and let writes share their waits.

        Raises:
            MigrationError: there is no room for a rollback, or the mark cannot be written.

        """
        checks.refuse_without_room(self._root, self._prepared)
        token, archive = secrets.token_hex(4), find_snapshot(self._root, ref.snapshot_id)
        started = timestamp(self._around.clock.wall())
        run = Run(run_id, plan.from_version, plan.to_version, archive.name, token, started)
        with uninterrupted():
            self._marker = checks.told(lambda: Marker.place(self._root, run))
        self._contents.begin_group(
            token, lambda group: remember_written(archive, (item.data for item in group))
        )

    def settle(self) -> None:
        """Make every write so far durable and visible."""
        self._contents.settle()

    def validate(self, target_version: int) -> list[dict[str, str]]:
        """Return one `{"unit_id", "error"}` for each unit that does not pass (seed, Validation)."""
        schemas = SchemaSet.of_vault(self._root)
        return checks.faults(self._contents, self._units(), schemas, target_version)

    def roll_back(self, ref: MigrationSnapshotRef) -> None:
        """Drop what is not in place and restore."""
        self._contents.end_group()
        self.restore(ref)

    def record(self, event: MigrationEvent) -> None:
        """Append the audit line (MUST 8)."""
        append_event(migrations_folder(self._root), event)

    def end(self, *, finished: bool) -> None:
        """Remove the mark, or leave it for recovery."""
        self._contents.end_group()
        marker, self._marker = self._marker, None
        if marker is not None:
            checks.told(marker.remove if finished else marker.release)

    def _refuse_unfinished(self) -> None:
        unfinished = find_unfinished(self._root) if self._marker is None else None
        if unfinished is not None:
            raise MigrationUnfinishedError(
                f"vault {self._root}: {unfinished.describe()}",
                hint="run: python -m atomic_agents.migrate --recover",
            )

    def _units(self) -> list[UnitFile]:
        return self._contents.list().units

    def _scope(self) -> Scope:
        return Scope(self._contents.layout)

    def _refresh(self) -> None:
        """Look again how paths are read: `.atomicdignore` and folders may be others now."""
        self._contents.layout = read_layout(self._root, self._ignore)
