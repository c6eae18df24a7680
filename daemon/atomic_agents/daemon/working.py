"""Working off what is pending, under the vault's lock, in slices (contract [D-4])."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.migrations import Migrations
from atomic_agents.daemon.sweeping import Sweeping
from atomic_agents.exceptions import VaultMissingError
from atomic_agents.intake.health import Condition
from atomic_agents.log import Event
from atomic_agents.vault.lock import VaultBusyError, VaultLock

SLICE_SECONDS: Final = 0.25
"""Longest time the vault's lock is held at once."""

_BACK_OFF_SECONDS: Final = 2.0


class Working:
    """Gives pending paths to the pipeline.

    Args:
        desk: the worker's tools.
        sweeping: asked for a sweep after a migration.
        lock: the worker's lock of the vault.
        migrations: undoes one that died.

    """

    def __init__(self, desk: Desk, sweeping: Sweeping, lock: VaultLock, migrations: Migrations) -> None:
        self._desk = desk
        self._sweeping = sweeping
        self._lock = lock
        self._migrations = migrations
        self._not_before = float("-inf")

    def start(self) -> None:
        """Finish what a former run or a migration left half done, before anything new."""
        self._migrations.recover()
        self._desk.pending.update(dict.fromkeys(self._desk.pipeline.resume()))

    def work(self) -> None:
        """Do a slice of what is pending or due, if anything is and the vault is free."""
        now = self._desk.bench.clock.monotonic()
        if now < self._not_before or not self._has_work(now) or not self._is_same_root(now):
            return
        try:
            self._migrations.recover()
            with self._lock.hold():
                self._resume_after_migration()
                self._slice(now + SLICE_SECONDS)
            self._resume_writing()
        except VaultBusyError:
            self._pause("lock", "a migration holds the vault's lock; changes queue up")
            self._not_before = now + SLICE_SECONDS
        except VaultMissingError as error:
            self._pause("root", str(error))
        except (OSError, sqlite3.OperationalError) as error:
            self._back_off(error, now)

    def is_idle(self) -> bool:
        """Whether nothing is pending and the pipeline has nothing to write."""
        return not self._desk.pending and not len(self._desk.settle) and self._desk.pipeline.is_written()

    def _has_work(self, now: float) -> bool:
        if {"root", "empty"} & set(self._desk.condition.pauses):
            return False
        due = self._desk.pipeline.next_due()
        return bool(self._desk.pending) or (due is not None and due <= now)

    def _is_same_root(self, now: float) -> bool:
        """Whether the vault is the folder that was armed: in another one, nothing is gone or new."""
        condition = self._desk.watcher.health(now).condition
        return condition not in {Condition.ROOT_MISSING, Condition.ROOT_CHANGED}

    def _slice(self, until: float) -> None:
        pending, pipeline, bench = self._desk.pending, self._desk.pipeline, self._desk.bench
        with bench.store.transaction():
            while pending and bench.clock.monotonic() < until:
                path = next(iter(pending))
                pipeline.take(path)
                del pending[path]
        restless = bool(len(self._desk.settle))
        pending.update(dict.fromkeys(pipeline.finish(settled=not pending, restless=restless)))

    def _resume_after_migration(self) -> None:
        """Compare everything anew, now that the vault is free."""
        if self._desk.condition.pauses.pop("lock", None):
            self._desk.bench.log.info(Event.DAEMON_RESUMED, reason="the vault's lock is free")
            self._sweeping.want("a migration ended")

    def _resume_writing(self) -> None:
        if self._desk.condition.pauses.pop("write", None):
            self._desk.bench.log.info(Event.DAEMON_RESUMED, reason="the vault can be written again")

    def _pause(self, kind: str, reason: str) -> None:
        if kind not in self._desk.condition.pauses:
            self._desk.bench.log.warning(Event.DAEMON_PAUSED, reason=reason)
        self._desk.condition.pauses[kind] = reason

    def _back_off(self, error: OSError | sqlite3.OperationalError, now: float) -> None:
        """Try again soon, and compare everything anew, since what a slice had noted is undone with it."""
        self._not_before = now + _BACK_OFF_SECONDS
        self._sweeping.want("a write failed")
        self._desk.condition.last_error = _describe(error)
        self._pause("write", f"cannot write: {_describe(error)}; tried again")


def _describe(error: OSError | sqlite3.OperationalError) -> str:
    if isinstance(error, OSError):
        name = errno.errorcode.get(error.errno or 0, "error")
        return f"{name}: {error.strerror or error}" + (f" ({error.filename})" if error.filename else "")
    return f"state store: {error}"
