"""From the watcher to the paths that have settled (contract [D-1], [D-2])."""

from __future__ import annotations

from typing import Final

from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.sweeping import Sweeping
from atomic_agents.intake.drift import Drift
from atomic_agents.intake.events import (
    Editing,
    FolderGone,
    LayoutChanged,
    Lost,
    Overflow,
    SweepWanted,
    Touched,
)
from atomic_agents.intake.events import Event as Told
from atomic_agents.intake.health import Condition, Health
from atomic_agents.log import Event

CHECK_SECONDS: Final = 2.0
"""How often the health of the watching is looked at."""

_REARM_SECONDS: Final = 5.0


class Hearing:
    """Listens, minds the watcher's health, and hands on what has settled.

    Args:
        desk: the worker's tools.
        sweeping: asked where only a sweep helps.

    """

    def __init__(self, desk: Desk, sweeping: Sweeping) -> None:
        self._desk = desk
        self._sweeping = sweeping
        self._drift = Drift()
        self._checked = float("-inf")
        self._armed = float("-inf")
        self._last: Health | None = None

    def arm(self) -> None:
        """Watch the vault anew; a sweep follows."""
        self._armed = self._desk.bench.clock.monotonic()
        self._sweeping.read_layout()
        self._desk.watcher.arm(self._desk.bench.layout)
        self._sweeping.want("start" if self._last is None else "watches armed again")

    def listen(self, patience: float) -> None:
        """Wait for events for up to `patience` seconds and take what there is."""
        for told in self._desk.watcher.take(patience):
            self._hear(told)

    def mind(self) -> None:
        """Look after the watcher, the root and the clocks, every now and then."""
        clock = self._desk.bench.clock
        reason = self._drift.tick(clock.wall(), clock.monotonic())
        if reason is not None:
            self._sweeping.want(reason)
        if clock.monotonic() - self._checked >= CHECK_SECONDS:
            self._checked = clock.monotonic()
            self._check()

    def collect(self) -> None:
        """Hand on what has settled."""
        due = self._desk.settle.due(self._desk.bench.clock.monotonic())
        if due.sweep:
            self._sweeping.want("too many paths at once")
        self._desk.pending.update(dict.fromkeys(due.paths))

    def _hear(self, told: Told) -> None:
        match told:
            case Touched(path) | Editing(path) | FolderGone(path):
                self._hear_path(told, path)
            case SweepWanted(reason):
                self._sweeping.want(reason)
            case LayoutChanged():
                self.arm()
            case Overflow() | Lost():
                self._hear_loss(told)
            case _:
                """A wake only ends the wait."""

    def _hear_path(self, told: Told, path: str) -> None:
        now = self._desk.bench.clock.monotonic()
        if isinstance(told, FolderGone):
            for record in self._desk.bench.store.files.below(path):
                self._desk.settle.add(record.path, now)
            return
        self._desk.pipeline.blocking.reopen_grace(path)
        if isinstance(told, Touched):
            self._desk.settle.add(path, now)

    def _hear_loss(self, told: Overflow | Lost) -> None:
        if isinstance(told, Lost):
            self._checked = float("-inf")
            self._desk.bench.log.warning(Event.WATCH_LOST, reason=told.reason)
            return
        self._desk.bench.log.warning(Event.WATCH_OVERFLOW, reason="events were lost; a sweep follows")
        self._sweeping.want("events were lost")

    def _check(self) -> None:
        health = self._desk.watcher.health(self._desk.bench.clock.monotonic())
        self._tell(health)
        condition = self._desk.condition
        condition.mode, condition.watches = health.mode, health.watches
        self._sweeping.polls = health.polls
        if health.condition is Condition.ROOT_MISSING:
            condition.pauses["root"] = health.reason
        else:
            condition.pauses.pop("root", None)
        if self._is_to_rearm(health):
            self.arm()
            self._desk.bench.log.warning(Event.WATCH_REARMED, reason=health.reason)
        self._last = health

    def _is_to_rearm(self, health: Health) -> bool:
        """Whether to watch anew: at once for another root, not too often for a watcher that goes deaf."""
        if health.condition is Condition.ROOT_CHANGED:
            return True
        is_due = self._desk.bench.clock.monotonic() - self._armed >= _REARM_SECONDS
        return health.condition is Condition.DEAF and is_due

    def _tell(self, health: Health) -> None:
        """Log a change of condition, once."""
        former = self._last.condition if self._last is not None else Condition.GOOD
        degraded = self._desk.condition.degraded
        if health.ok:
            degraded.pop("watch", None)
        else:
            degraded["watch"] = health.reason
        if health.condition is former:
            return
        if health.condition is Condition.LIMITED:
            self._desk.bench.log.warning(Event.WATCH_DEGRADED, reason=health.reason)
        elif not health.ok:
            self._desk.bench.log.error(Event.WATCH_LOST, reason=health.reason)
