"""Noticing a run that died, and undoing or finishing what it left (contract [M-3])."""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents._io import TEMPORARY
from atomic_agents.clock import Clock, SystemClock
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration.audit import append_event, is_settled, timestamp
from atomic_agents.migration.exclusion import hold_exclusively
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.marker import Run, is_alive, read_marker, remove_marker
from atomic_agents.migration.ops import Journal, read_journal
from atomic_agents.migration.restore import finish_restore, restore_snapshot
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.signals import uninterrupted
from atomic_agents.migration.snapshot import find_snapshot, snapshots_folder
from atomic_agents.migration.values import MigrationEvent
from atomic_agents.vault.lock import VaultLock
from atomic_agents.vault.walk import Survey, find_root, read_layout, walk

DIED: Final = "the run died before it ended; the vault was rolled back when this was noticed"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a process that died left half done.

    Args:
        run: a run that was applying, if there was one.
        restore: a restore that was decided, if there was one.

    """

    run: Run | None
    restore: Journal | None

    def describe(self) -> str:
        """Say it in one clause."""
        if self.run is not None:
            return f"the run {self.run.run_id} to v{self.run.to_version}, begun {self.run.started}, died"
        assert self.restore is not None
        return f"a restore of {self.restore.snapshot} was cut short"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about it.

    Args:
        unfinished: what was found.
        rolled_back: whether the vault was brought back to before the run.

    """

    unfinished: Unfinished
    rolled_back: bool


def find_unfinished(root: Path) -> Unfinished | None:
    """Return what a dead process left half done; only reads. A run that goes on is not unfinished.

    Args:
        root: the vault's real path.

    Raises:
        MigrationError: the marks cannot be read.

    """
    if is_alive(root):
        return None
    run, restore = read_marker(root), read_journal(root)
    return Unfinished(run, restore) if run is not None or restore is not None else None


def recover(
    agents_root: Path,
    *,
    ignore: tuple[str, ...] = (),
    lock: VaultLock | None = None,
    clock: Clock | None = None,
) -> Recovery | None:
    """Finish a restore that was cut short, roll back a run that died, and record it.

    To be called at every start, before anything else is done to the vault.

    Args:
        agents_root: the vault.
        ignore: `[vault] ignore` of the configuration.
        lock: the lock object of this process, if it has one already.
        clock: what time it is.

    Returns:
        What was done, or None when there was nothing to do.

    Raises:
        MigrationBusyError: a migration is running.
        MigrationError: it cannot be recovered now; recorded, and tried again at the next start.

    """
    root = find_root(agents_root)
    migrations_folder(root)
    with hold_exclusively(lock or VaultLock(root)), uninterrupted():
        if is_alive(root):
            return None
        unfinished = find_unfinished(root)
        recovery = _recover(root, ignore, unfinished, clock or SystemClock()) if unfinished else None
        _sweep_leftovers(root)
        return recovery


def drop_dead_marker(root: Path) -> None:
    """Remove the mark of a run that died, once its vault was restored by hand."""
    if read_marker(root) is not None and not is_alive(root):
        remove_marker(root)


def _recover(root: Path, ignore: tuple[str, ...], unfinished: Unfinished, clock: Clock) -> Recovery:
    run = unfinished.run
    if run is None:
        finish_restore(root)
        return Recovery(unfinished, rolled_back=True)
    if is_settled(migrations_folder(root), run.run_id) and unfinished.restore is None:
        _remove_temporaries(root, ignore, run.token)
        remove_marker(root)
        return Recovery(unfinished, rolled_back=False)
    _roll_back(root, ignore, run, clock)
    return Recovery(unfinished, rolled_back=True)


def _roll_back(root: Path, ignore: tuple[str, ...], run: Run, clock: Clock) -> None:
    try:
        _remove_temporaries(root, ignore, run.token)
        scope = Scope(read_layout(root, ignore))
        restore_snapshot(root, scope, find_snapshot(root, run.snapshot), secrets.token_hex(8))
    except (AtomicAgentsError, OSError) as error:
        _record(root, run, clock, error=f"the run died, and rolling it back failed: {error}")
        raise
    _record(root, run, clock, error="")
    remove_marker(root)


def _record(root: Path, run: Run, clock: Clock, *, error: str) -> None:
    append_event(
        migrations_folder(root),
        MigrationEvent(
            run_id=run.run_id,
            timestamp=timestamp(clock.wall()),
            agents_root=str(root),
            from_version=run.from_version,
            to_version=run.to_version,
            units_touched=0,
            dry_run=False,
            rolled_back=not error,
            error=error or DIED,
        ),
    )


def _remove_temporaries(root: Path, ignore: tuple[str, ...], token: str) -> None:
    """Remove the files that a run had written beside its units and not yet put in place."""
    survey = Survey()
    for _found in walk(root, read_layout(root, ignore), survey):
        continue
    for folder in {os.path.realpath(root / folder) for folder in survey.folders}:
        for path in Path(folder).glob(f".*[.-]{token}.atomicd.tmp"):
            path.unlink()


def _sweep_leftovers(root: Path) -> None:
    """Remove what a snapshot or an undecided restore left; both are safe to begin again."""
    finish_restore(root)
    for folder in (migrations_folder(root), snapshots_folder(root)):
        with contextlib.suppress(FileNotFoundError):
            for path in list(folder.iterdir()):
                if TEMPORARY.match(path.name):
                    path.unlink()
