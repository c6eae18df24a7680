"""The sweep: the directory walk against the store, which is the truth (contract [D-2])."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.migrations import Migrations
from atomic_agents.exceptions import ConfigError, VaultMissingError
from atomic_agents.intake.sweep import Difference, compare, is_hot
from atomic_agents.log import Event
from atomic_agents.model import FileState
from atomic_agents.pipeline import ADOPTED_AT
from atomic_agents.vault.walk import Found, Survey, read_layout

_ROOT: Final = "root_inode"
"""Fact: the inode of the root at the last sweep that found content."""

_EMPTY_SECONDS: Final = 5.0
_STRIDE: Final = 256
"""Files of a walk between two signs of life."""


class Sweeping:
    """Decides when to sweep, sweeps, and knows when all that it found is worked off.

    Args:
        desk: the worker's tools.
        migrations: reads the vault's schemas again before each sweep.

    """

    def __init__(self, desk: Desk, migrations: Migrations) -> None:
        self._desk = desk
        self._migrations = migrations
        self._reasons: list[str] = []
        self._last = float("-inf")
        self._running: dict[str, object] | None = None
        self._began = 0.0
        self._odd: dict[str, str] = {}
        self._hot: set[str] = set()
        self.polls = False
        self.count = 0

    def want(self, reason: str) -> None:
        """Ask for a sweep at the next turn.

        Args:
            reason: why, for the log.

        """
        if reason not in self._reasons:
            self._reasons.append(reason)

    def is_wanted(self) -> bool:
        """Whether a sweep is asked for or not worked off yet."""
        return bool(self._reasons) or self._running is not None

    def next_due(self) -> float | None:
        """Return the monotonic time of the next sweep by interval."""
        return self._last + self._interval() if self._running is None else None

    def sweep_if_due(self) -> None:
        """Walk the vault if somebody asked, or the interval is over; the paths found become pending."""
        now = self._desk.bench.clock.monotonic()
        if not self._reasons and now - self._last >= self._interval():
            self.want("interval")
        if self._reasons and self._running is None and self._may_sweep(now):
            self._sweep()

    def finish_if_done(self) -> None:
        """Close the books on a sweep when all that it found is worked off."""
        if self._running is None or self._is_working():
            return
        facts, self._running = self._running, None
        bench = self._desk.bench
        if bench.adopted_at is None:
            self._adopt()
        self._desk.condition.last_sweep = bench.clock.wall()
        duration = round((time.monotonic() - self._began) * 1000)
        bench.log.info(Event.SWEEP_FINISHED, duration_ms=duration, **facts)
        self._desk.pipeline.after_sweep()
        if self._desk.condition.state == "starting":
            self._get_ready()

    def _is_working(self) -> bool:
        """Whether something that the sweep found still has to settle, or to be taken."""
        self._hot = {path for path in self._hot if path in self._desk.settle}
        return bool(self._hot or self._desk.pending or self._desk.is_blocked())

    def read_layout(self) -> bool:
        """Read how the vault's paths are to be read; return whether that changed."""
        bench = self._desk.bench
        try:
            layout = read_layout(bench.root, bench.config.vault.ignore)
        except ConfigError as error:
            self._complain(str(error))
            return False
        self._desk.condition.degraded.pop("layout", None)
        changed = layout != bench.layout
        bench.layout = layout
        return changed

    def _complain(self, reason: str) -> None:
        """Tell once that the layout cannot be read; the one in force stays."""
        if self._desk.condition.degraded.get("layout") != reason:
            self._desk.bench.log.error(Event.CONFIG_REFUSED, reason=reason)
        self._desk.condition.degraded["layout"] = reason

    def _interval(self) -> float:
        config = self._desk.bench.config
        return config.watch.poll_seconds if self.polls else config.sweep.interval_seconds

    def _sweep(self) -> None:
        bench = self._desk.bench
        reasons, self._reasons = self._reasons, []
        self._last, self._began = bench.clock.monotonic(), time.monotonic()
        survey = Survey()
        self._migrations.recover()
        self._migrations.follow()
        try:
            if self.read_layout():
                self._desk.watcher.arm(bench.layout)
            difference = compare(self._walk(survey), bench.store.files.stamps(), survey)
        except VaultMissingError as error:
            self._desk.condition.pauses["root"] = str(error)
            self._reasons = reasons
            return
        if "" in survey.unreadable:
            self._reasons = reasons
            return
        if self._is_unmounted(difference, survey):
            return
        self._hand_on(difference)
        self._tell_odd(survey)
        self._running = {
            "reason": "; ".join(reasons),
            "changed": len(difference.changed),
            "vanished": len(difference.vanished),
            "unknown": len(difference.unknown),
        }

    def _walk(self, survey: Survey) -> Iterator[Found]:
        """Walk the vault; a long walk is progress too, and says so."""
        for number, found in enumerate(self._desk.watcher.walk(survey)):
            if number % _STRIDE == 0:
                self._desk.beat()
            yield found

    def _hand_on(self, difference: Difference) -> None:
        bench, now = self._desk.bench, self._desk.bench.clock.monotonic()
        quiet = bench.config.settle.quiet_ms / 1000
        for found in difference.changed:
            if is_hot(found.stamp, bench.clock.wall(), quiet):
                self._desk.settle.add(found.place.path, now)
                self._hot.add(found.place.path)
            else:
                self._desk.pending[found.place.path] = None
        self._desk.pending.update(dict.fromkeys(difference.vanished))
        self._desk.pending.update(dict.fromkeys(difference.leftovers))

    def _is_unmounted(self, difference: Difference, survey: Survey) -> bool:
        """Whether an empty folder stands where a vault with units was: then nothing is believed gone."""
        bench = self._desk.bench
        known = bench.store.files.count(*FileState)
        inode = bench.root.stat().st_ino
        is_empty = len(difference.vanished) >= known > 0 and not difference.changed and not survey.unreadable
        if is_empty and bench.store.facts.get(_ROOT, inode) != inode:
            self._pause_empty(known)
            return True
        self._desk.condition.pauses.pop("empty", None)
        if not is_empty and bench.store.facts.get(_ROOT) != inode:
            with bench.store.transaction():
                bench.store.facts.put(_ROOT, inode)
        return False

    def _pause_empty(self, known: int) -> None:
        reason = f"found an empty folder, expected {known} units; is it mounted?"
        if "empty" not in self._desk.condition.pauses:
            self._desk.bench.log.error(Event.DAEMON_PAUSED, reason=reason)
        self._desk.condition.pauses["empty"] = f"vault {self._desk.bench.root}: {reason}"
        self.want("the vault was empty")

    def _may_sweep(self, now: float) -> bool:
        """Whether nothing stands in the way; an empty vault is looked at again every few seconds."""
        pauses = set(self._desk.condition.pauses)
        return not pauses or (pauses == {"empty"} and now - self._last >= _EMPTY_SECONDS)

    def _tell_odd(self, survey: Survey) -> None:
        """Log what was met besides files, each thing once."""
        met = dict(survey.odd)
        met |= {path: f"cannot be listed: {error.strerror}" for path, error in survey.unreadable.items()}
        for path, what in met.items():
            if self._odd.get(path) != what:
                self._desk.bench.log.warning(Event.SWEEP_ODD, path=path, reason=f"{what}; left alone")
        self._odd = met

    def _adopt(self) -> None:
        bench = self._desk.bench
        with bench.store.transaction():
            bench.store.facts.put(ADOPTED_AT, bench.clock.wall())
        adopted = bench.store.files.count(FileState.ADOPTED)
        units = bench.store.files.count(*FileState)
        hint = "`atomicd lint` lists what is invalid; it stays until it is written again" if adopted else ""
        bench.log.info(Event.VAULT_ADOPTED, units=units, adopted=adopted, **({"hint": hint} if hint else {}))

    def _get_ready(self) -> None:
        bench, condition = self._desk.bench, self._desk.condition
        condition.state = "running"
        units = bench.store.files.count(*FileState)
        bench.log.info(Event.DAEMON_READY, units=units, mode=condition.mode, watches=condition.watches)
        self._desk.heartbeat.beat(force=True)
