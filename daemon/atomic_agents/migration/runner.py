"""One migration, from the plan to the audit line; reads like the seed's §Schema migration.

plan → lock → read every unit → snapshot → announce → mark → apply → settle → validate → audit → unlock, and
from anywhere after the mark: roll back → audit → unlock.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)

_TELL_EVERY: Final = 64


def run_migration(
    backend: RunnableBackend, target_version: int, dry_run: bool, around: Surroundings
) -> MigrationResult:
    """Migrate everything to a version; on any failure everything is as it was.

    Args:
        backend: what holds the units.
        target_version: the version to reach.
        dry_run: whether nothing is written.
        around: whom to tell.

    Returns:
        What was done; `error` says what went wrong once units were being changed.

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
        if dry_run or around.needs_trial(plan):
            result = _try_out(backend, plan, sheet, around)
            if dry_run or result.error:
                sheet.dry_run = True
                sheet.record()
                return result
        return _carry_out(backend, plan, sheet, around)
    except BaseException as error:
        if not sheet.is_recorded:
            sheet.record_failure(error)
        if isinstance(error, KeyboardInterrupt):
            raise MigrationInterruptedError("interrupted; nothing is changed") from error
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


def _try_out(
    backend: RunnableBackend, plan: MigrationPlan, sheet: Sheet, around: Surroundings
) -> MigrationResult:
    result = MigrationResult(plan, dry_run=True, run_id=sheet.run_id)
    units = backend.prepare()
    try:
        for at in range(len(plan.scripts)):
            _apply(backend, at, units, result, around)
    except MigrationInterruptedError:
        raise
    except AtomicAgentsError as error:
        result.error = sheet.error = describe(error)
    result.validation_passed = not result.error
    sheet.units_touched = len(result.units_touched)
    return result


def _carry_out(
    backend: RunnableBackend, plan: MigrationPlan, sheet: Sheet, around: Surroundings
) -> MigrationResult:
    with backend.exclusive() as guard:
        units = backend.prepare()
        guard.check()
        ref = backend.snapshot(plan.to_version)
        around.announce(ref, backend.locate(ref))
        guard.check()
        backend.begin(sheet.run_id, plan, ref)
        result = MigrationResult(plan, ref, run_id=sheet.run_id)
        try:
            _change(backend, guard, units, result, around)
            _conclude(backend, sheet, result)
        except BaseException as error:
            _roll_back(backend, sheet, result, error)
            if not isinstance(error, (AtomicAgentsError, OSError)) or _is_interruption(error):
                raise
    return result


def _change(
    backend: RunnableBackend,
    guard: Guard,
    units: Sequence[MigratableUnit],
    result: MigrationResult,
    around: Surroundings,
) -> None:
    """Apply every script to every unit, make it durable, and check the whole (seed, Validation)."""
    for at in range(len(result.plan.scripts)):
        guard.check()
        _apply(backend, at, units, result, around)
    guard.check()
    backend.settle()
    around.progress("validate", 0, len(units))
    result.validation_errors = backend.validate(result.plan.to_version)
    if result.validation_errors:
        raise MigrationError(_invalid(result))
    guard.check()


def _apply(
    backend: RunnableBackend,
    at: int,
    units: Sequence[MigratableUnit],
    result: MigrationResult,
    around: Surroundings,
) -> None:
    script = result.plan.scripts[at]
    for count, unit in enumerate(units):
        if count % _TELL_EVERY == 0:
            around.progress(script.name, count, len(units))
        summary = backend.apply_unit(unit, script, dry_run=result.dry_run)
        if summary:
            result.units_touched.append({**summary, "script": script.name, "unit_id": unit.unit_id})
        else:
            result.units_skipped += 1
    around.progress(script.name, len(units), len(units))


def _conclude(backend: RunnableBackend, sheet: Sheet, result: MigrationResult) -> None:
    """Record the success; a run that cannot be recorded is no success."""
    with uninterrupted():
        sheet.units_touched = len(result.units_touched)
        sheet.record()
        result.validation_passed = True
        backend.end(finished=True)


def _roll_back(backend: RunnableBackend, sheet: Sheet, result: MigrationResult, error: BaseException) -> None:
    """Put everything back and record it; what could not be put back stays marked for the next start."""
    assert result.snapshot_ref is not None
    result.validation_passed = False
    with uninterrupted():
        result.error = sheet.error = describe(error)
        sheet.units_touched = len(result.units_touched)
        try:
            backend.roll_back(result.snapshot_ref)
            result.rolled_back = sheet.rolled_back = True
        except (AtomicAgentsError, OSError) as fault:
            result.error = sheet.error = f"{describe(error)}; and the rollback failed: {describe(fault)}"
            error.add_note(f"and the rollback failed: {fault}")
        sheet.record_failure(error)
        backend.end(finished=result.rolled_back and sheet.is_recorded)


def _is_interruption(error: BaseException) -> bool:
    return isinstance(error, MigrationInterruptedError)


def _invalid(result: MigrationResult) -> str:
    first = result.validation_errors[0]
    return (
        f"{len(result.validation_errors)} units do not pass the schema of v{result.plan.to_version}; "
        f"the first is {first['unit_id']}: {first['error']}"
    )
