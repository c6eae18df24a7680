"""One migration, from the plan to the audit line; reads like the seed's §Schema migration.

plan → lock → read every unit → snapshot → announce → mark → apply → settle → validate → audit → unlock, and
from anywhere after the mark: roll back → audit → unlock.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from atomic_agents.exceptions import (
    AtomicAgentsError,
    MigrationError,
    MigrationInterruptedError,
    MigrationRollbackUnavailable,
)
from atomic_agents.migration.protocol import Guard, RunnableBackend
from atomic_agents.migration.sheet import Sheet, Surroundings, describe
from atomic_agents.migration.signals import uninterrupted
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import (
    UNKNOWN_VERSION,
    LoadedScript,
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)

Units = Collection[MigratableUnit]

_TELL_EVERY: Final = 64

_log = logging.getLogger(__name__)


def run_migration(
    backend: RunnableBackend, target_version: int, dry_run: bool, around: Surroundings
) -> MigrationResult:
    """Migrate everything to a version; on any failure everything is as it was.

    Args:
        backend: what holds the units.
        target_version: the version to reach.
        dry_run: whether nothing is written.
        around: whom to tell and ask.

    Returns:
        What was done; `error` says what went wrong once scripts ran.

    Raises:
        MigrationRollbackUnavailable: the backend cannot roll back (MUST 5).
        MigrationBusyError: another migration is running.
        MigrationInterruptedError: Ctrl-C or SIGTERM; everything is as it was.
        MigrationError: refused before anything was written.

    """
    sheet = Sheet(backend, around.clock, target_version, dry_run)
    try:
        if not dry_run:
            _refuse_without_rollback(backend)
        plan = backend.build_plan(target_version)
        sheet.from_version = plan.from_version
        run = _Run(backend, plan, sheet, around)
        return run.try_out(backend.prepare()) if dry_run else run.carry_out()
    except BaseException as error:
        if not sheet.is_recorded:
            sheet.record_failure(error)
        if isinstance(error, KeyboardInterrupt):
            raise MigrationInterruptedError("interrupted; everything is as it was") from error
        raise


def restore_and_audit(backend: RunnableBackend, ref: MigrationSnapshotRef, around: Surroundings) -> None:
    """Roll back for an operator and record it, whatever happens (MUST 8).

    Args:
        backend: what holds the units.
        ref: the snapshot.
        around: whom to tell.

    Raises:
        MigrationSnapshotNotFound: there is none of this name.
        SnapshotInvalidError: it is damaged, foreign or hostile; nothing was changed.
        MigrationError: the restore, or reading the version after it, went wrong.

    """
    sheet = Sheet(backend, around.clock, UNKNOWN_VERSION)
    try:
        sheet.from_version = sheet.to_version = _version_if_readable(backend)
        with uninterrupted():
            backend.restore(ref)
        sheet.rolled_back, sheet.to_version = True, UNKNOWN_VERSION
        sheet.to_version = backend.read_schema_version()
    except BaseException as error:
        sheet.record_failure(error)
        raise
    sheet.record()


def _version_if_readable(backend: RunnableBackend) -> int:
    """A vault in a bad state is what a rollback is for, so that not being able to read it stops nothing."""
    try:
        return backend.read_schema_version()
    except (AtomicAgentsError, OSError):
        return UNKNOWN_VERSION


def _refuse_without_rollback(backend: RunnableBackend) -> None:
    if not backend.capabilities().supports_transactional_rollback:
        raise MigrationRollbackUnavailable(
            f"backend {backend.backend_id!r} cannot roll back, so no migration is begun",
            hint="a dry run is possible; for a real one use a backend that can",
        )


@dataclass(frozen=True, slots=True)
class _Run:
    backend: RunnableBackend
    plan: MigrationPlan
    sheet: Sheet
    around: Surroundings

    def try_out(self, units: Units) -> MigrationResult:
        """Run every script without writing, and record that."""
        result = self._dry_run(units)
        self._record_trial(result)
        return result

    def carry_out(self) -> MigrationResult:
        """Run every script for good."""
        with self.backend.exclusive() as guard:
            units = self.backend.prepare()
            if self.around.needs_trial(self.plan):
                trial = self._dry_run(units)
                if trial.error:
                    self._record_trial(trial)
                    return trial
            guard.check()
            ref = self.backend.snapshot(self.plan.to_version)
            self.around.announce(ref, self.backend.locate(ref))
            guard.check()
            return self._change_or_roll_back(guard, units, ref)

    def _change_or_roll_back(self, guard: Guard, units: Units, ref: MigrationSnapshotRef) -> MigrationResult:
        result = MigrationResult(self.plan, ref, run_id=self.sheet.run_id)
        has_begun = False
        try:
            self.backend.begin(self.sheet.run_id, self.plan, ref)
            has_begun = True
            self._change(guard, units, result)
            self._conclude(result)
        except BaseException as error:
            if not has_begun:
                self._end(finished=True)
                raise
            self._roll_back(ref, result, error)
            if isinstance(error, MigrationInterruptedError) or not isinstance(
                error, (AtomicAgentsError, OSError)
            ):
                raise
        return result

    def _dry_run(self, units: Units) -> MigrationResult:
        result = MigrationResult(self.plan, dry_run=True, run_id=self.sheet.run_id)
        try:
            for script in self.plan.scripts:
                self._apply(script, units, result)
        except MigrationInterruptedError:
            raise
        except AtomicAgentsError as error:
            result.error = describe(error)
        result.validation_passed = not result.error
        return result

    def _change(self, guard: Guard, units: Units, result: MigrationResult) -> None:
        """Apply every script to every unit, make it durable, and check the whole (seed, Validation)."""
        for script in self.plan.scripts:
            guard.check()
            self._apply(script, units, result)
        guard.check()
        self.backend.settle()
        self.around.progress("validate", 0, len(units))
        result.validation_errors = self.backend.validate(self.plan.to_version)
        if result.validation_errors:
            raise MigrationError(_invalid(result))
        guard.check()

    def _apply(self, script: LoadedScript, units: Units, result: MigrationResult) -> None:
        for count, unit in enumerate(units):
            if count % _TELL_EVERY == 0:
                self.around.progress(script.name, count, len(units))
            summary = self.backend.apply_unit(unit, script, dry_run=result.dry_run)
            if summary:
                result.units_touched.append({**summary, "script": script.name, "unit_id": unit.unit_id})
            else:
                result.units_skipped += 1
        self.around.progress(script.name, len(units), len(units))

    def _record_trial(self, result: MigrationResult) -> None:
        self.sheet.dry_run, self.sheet.error = True, result.error
        self.sheet.units_touched = len(result.units_touched)
        self.sheet.record()

    def _conclude(self, result: MigrationResult) -> None:
        """Record the success; a run that cannot be recorded is no success."""
        with uninterrupted():
            self.sheet.units_touched = len(result.units_touched)
            self.sheet.record()
            result.validation_passed = True
            self._end(finished=True)

    def _roll_back(self, ref: MigrationSnapshotRef, result: MigrationResult, error: BaseException) -> None:
        """Put everything back and record it; what could not be put back stays marked for the next start."""
        with uninterrupted():
            result.validation_passed = False
            result.error = self.sheet.error = describe(error)
            self.sheet.units_touched = len(result.units_touched)
            try:
                self.backend.roll_back(ref)
                result.rolled_back = self.sheet.rolled_back = True
            except (AtomicAgentsError, OSError) as fault:
                result.error = f"{describe(error)}; and the rollback failed: {describe(fault)}"
                self.sheet.error = result.error
                error.add_note(f"and the rollback failed: {fault}")
            self.sheet.record_failure(error)
            self._end(finished=result.rolled_back and self.sheet.is_recorded)

    def _end(self, *, finished: bool) -> None:
        """What is recorded stands: a mark that cannot be removed now goes at the next start."""
        try:
            self.backend.end(finished=finished)
        except (AtomicAgentsError, OSError) as error:
            _log.warning("the run's mark stays until the next start: %s", error)


def _invalid(result: MigrationResult) -> str:
    first = result.validation_errors[0]
    return (
        f"{len(result.validation_errors)} units do not pass the schema of v{result.plan.to_version}; "
        f"the first is {first['unit_id']}: {first['error']}"
    )
