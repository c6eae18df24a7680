"""`python -m atomic_agents.migrate`, which `atomicd migrate` runs as well (seed, Schema migration; [M-6])."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from atomic_agents.config import Config, load
from atomic_agents.exceptions import AtomicAgentsError, MigrationBusyError, MigrationInterruptedError
from atomic_agents.migration import FilesystemMigrationBackend, trust
from atomic_agents.migration.adoption import LegacyAdoption, as_json
from atomic_agents.migration.arguments import PROGRAM, Arguments, parse_arguments
from atomic_agents.migration.bar import progress_bar
from atomic_agents.migration.plan import parse_target_version
from atomic_agents.migration.recovery import recover
from atomic_agents.migration.report import Report
from atomic_agents.migration.sheet import Progress, Surroundings, no_progress
from atomic_agents.migration.values import MigrationPlan, MigrationResult, MigrationSnapshotRef
from atomic_agents.vault.walk import find_root

AfterRun = Callable[[Path], None]
"""Called with the vault's real path once its units were changed, to bring the INDEX files up to date."""


def main(
    argv: Sequence[str] | None = None, *, after_run: AfterRun | None = None, program: str = PROGRAM
) -> int:
    """Run the command and return its exit code.

    Args:
        argv: the arguments; None takes those of the process.
        program: what the help calls it.
        after_run: told of a vault whose units were changed.

    """
    try:
        arguments = parse_arguments(argv, program=program)
    except SystemExit as ending:
        return int(ending.code or 0)
    report = Report(as_json=arguments.as_json)
    try:
        with _ending_signals_interrupt():
            return _run(_Command(arguments, report, after_run or (lambda _root: None)))
    except KeyboardInterrupt:
        report.failure(MigrationInterruptedError("interrupted"))
        return MigrationInterruptedError.exit_code
    except AtomicAgentsError as error:
        report.failure(error)
        return error.exit_code


def _run(command: _Command) -> int:
    arguments = command.arguments
    actions: dict[str, Callable[[], int]] = {
        "to": command.rehearse if arguments.rehearse else command.migrate,
        "status": command.status,
        "rollback": command.roll_back,
        "list": command.list_snapshots,
        "recover": command.recover,
        "adopt": command.adopt,
    }
    if arguments.writes:
        command.recover_first()
    return actions[arguments.action]()


class _Command:
    """One call of the command, and what it needs."""

    def __init__(self, arguments: Arguments, report: Report, after_run: AfterRun) -> None:
        self.arguments = arguments
        self._report = report
        self._after_run = after_run
        self._config: Config = load(arguments.config, vault=arguments.root)
        self._root = find_root(self._config.root)

    def migrate(self) -> int:
        target = parse_target_version(self.arguments.target)
        with self._telling() as progress:
            backend = self._backend(progress)
            result = backend.run_migration(target, dry_run=self.arguments.dry_run)
        self._remember(result)
        return self._conclude(result)

    def rehearse(self) -> int:
        target = parse_target_version(self.arguments.target)
        with self._telling() as progress:
            rehearsal = self._backend(progress).rehearse(target)
        self._report.rehearsal(rehearsal)
        if rehearsal.is_good:
            trust.remember_try(self._root, target, _hashes(rehearsal.plan))
        return 0 if rehearsal.is_good else 1

    def adopt(self) -> int:
        with self._telling() as progress:
            backend = LegacyAdoption(
                self._root,
                rename=self.arguments.rename,
                ignore=self._config.vault.ignore,
                around=self._around(progress),
            )
            try:
                result = backend.run_migration(backend.target, dry_run=self.arguments.dry_run)
            finally:
                found = as_json(
                    list(backend.adoptions.values()), backend.undecided, rename=self.arguments.rename
                )
                self._report.decisions(found)
        return self._conclude(result)

    def status(self) -> int:
        status = self._backend(no_progress).vault_status()
        unknown = [script.path.name for script in trust.unknown_scripts(self._root)]
        self._report.status({**status, "scripts_not_run_here": unknown})
        return 0

    def list_snapshots(self) -> int:
        self._report.snapshots(self._backend(no_progress).list_snapshots())
        return 0

    def roll_back(self) -> int:
        backend = self._backend(no_progress)
        ref = MigrationSnapshotRef(backend.backend_id, Path(self.arguments.snapshot).name)
        backend.restore_and_audit(ref)
        trust.distrust(self._root)
        self._report.rolled_back(ref.snapshot_id)
        self._after_run(self._root)
        return 0

    def recover(self) -> int:
        recovery = recover(self._root, ignore=self._config.vault.ignore)
        self._report.recovery(recovery, asked=True)
        if recovery is not None:
            self._after_run(self._root)
        return 0

    def recover_first(self) -> None:
        """Undo what a run that died left (contract [M-3]), unless the configuration says not to."""
        if not self._config.migration.auto_recover:
            return
        with contextlib.suppress(MigrationBusyError):  # what was asked for is refused and recorded for that
            self._report.recovery(recover(self._root, ignore=self._config.vault.ignore), asked=False)

    def _backend(self, progress: Progress) -> FilesystemMigrationBackend:
        return FilesystemMigrationBackend(
            self._root, ignore=self._config.vault.ignore, around=self._around(progress)
        )

    def _around(self, progress: Progress) -> Surroundings:
        return Surroundings(
            announce=self._report.snapshot_taken, progress=progress, needs_trial=self._needs_trial
        )

    def _needs_trial(self, plan: MigrationPlan) -> bool:
        return not trust.was_tried(self._root, plan.to_version, _hashes(plan))

    @contextmanager
    def _telling(self) -> Iterator[Progress]:
        is_shown = not self.arguments.as_json and sys.stderr.isatty()
        with progress_bar(is_shown=is_shown) as progress:
            yield progress

    def _remember(self, result: MigrationResult) -> None:
        if result.error:
            return
        if result.dry_run:
            trust.remember_try(self._root, result.plan.to_version, _hashes(result.plan))
        else:
            trust.trust(self._root, _hashes(result.plan))

    def _conclude(self, result: MigrationResult) -> int:
        self._report.result(result)
        if not result.dry_run:
            self._after_run(self._root)
        return 1 if result.error else 0


def _hashes(plan: MigrationPlan) -> list[str]:
    return [script.sha256 for script in plan.scripts if script.sha256]


@contextmanager
def _ending_signals_interrupt() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does, so that it rolls back first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Any = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


if __name__ == "__main__":
    sys.exit(main())
