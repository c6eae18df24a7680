"""What becomes of an invalid unit: adopted, left, held, or moved aside (contract [Q-1], [Q-2], [Q-6])."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import Any, Final, Literal

from atomic_agents.exceptions import FileChangedError, NotRegularFileError
from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Place, Stamp, Verdict
from atomic_agents.pipeline.bench import AT_ONCE, Bench
from atomic_agents.pipeline.guarding import Guard
from atomic_agents.pipeline.moving import Moving
from atomic_agents.pipeline.notifying import Notifying
from atomic_agents.pipeline.traces import trace_beside
from atomic_agents.quarantine import Hold, Holds
from atomic_agents.quarantine.breaker import Breaker
from atomic_agents.vault.ignore import Ignore

SLICE_SECONDS: Final = 0.2
"""Longest time that files are moved at once: the vault's lock is held meanwhile (contract [D-4])."""

_REFUSED_SECONDS: Final = 30.0
_LOOPING: Final = "the same invalid bytes come back again and again; it waits for a change"

ORDERS: Final = "breaker_orders"
"""Fact: what the operator decided while no daemon ran: decisions with their patterns."""

Decision = Literal["move", "adopt"]


class Blocking:
    """Holds invalid units for the grace time and moves them to quarantine after it.

    Args:
        bench: the vault and the tools.
        moving: moves them.
        notifying: tells the operator.

    """

    def __init__(self, bench: Bench, moving: Moving, notifying: Notifying) -> None:
        self._bench = bench
        self._moving = moving
        self._notifying = notifying
        self.holds = Holds()
        self._guard = Guard(bench, self.holds, notifying)
        self._is_unfinished = False
        self._orders = bench.store.facts.get(ORDERS, [])

    @property
    def breaker(self) -> Breaker:
        """The breaker's state."""
        return self._guard.breaker

    def block(self, verdict: Verdict, status: os.stat_result, stamp: Stamp) -> None:
        """Decide what becomes of a unit with an error; nothing is moved yet."""
        state = self._state(verdict, stamp)
        known = self._bench.store.files.get(verdict.place.path)
        with self._bench.store.transaction():
            self._bench.remember(verdict.place, state, stamp, verdict.sha256, problems=verdict.problems)
        if state is FileState.HELD:
            self._hold(verdict, status)
            return
        self.holds.drop(verdict.place.path)
        if known is None or (known.state, known.sha256) != (state, verdict.sha256):
            self._log_left(verdict, state)

    def forget(self, path: str) -> Hold | None:
        """Hold a path no longer, because it is valid, gone or moved."""
        return self.holds.drop(path)

    def reopen_grace(self, path: str) -> None:
        """Start the grace time of a held file again: it was touched, or an editor has it open."""
        now = self._bench.clock.monotonic()
        self.holds.postpone(path, now + self._grace, "was touched just now")

    def release(self) -> list[str]:
        """Move what was held long enough, for a short while, and return the paths to take again."""
        self._obey()
        self._guard.close_if_done()
        if self._is_unfinished:
            self._is_unfinished = False
            self._moving.finish()
        begin = self._bench.clock.monotonic()
        again = []
        for hold in self._due(begin):
            if self._bench.clock.monotonic() - begin >= SLICE_SECONDS:
                break
            if self._release_one(hold):
                again.append(hold.path)
        return again

    def next_due(self) -> float | None:
        """Return the monotonic time at which a file may be moved; while the breaker is open, few may."""
        if self._guard.is_open and not self.holds.count_waiting():
            return AT_ONCE
        return self.holds.next_due(cleared_only=self._guard.is_open)

    def decide(self, decision: Decision, patterns: Iterable[str]) -> int:
        """Do what the operator says with files that wait.

        Args:
            decision: `move` them whatever the breaker says, or `adopt` them: leave them as they are.
            patterns: which, in gitignore syntax; none means all.

        Returns:
            How many it is about.

        """
        named = tuple(patterns)
        ignore = Ignore(named)
        chosen = [hold for hold in self.holds if not named or hold.path in ignore]
        now = self._bench.clock.monotonic()
        for hold in chosen:
            if decision == "move":
                self.holds.clear(hold.path, now)
            else:
                self._adopt(hold)
        self._bench.log.info(
            Event.BREAKER_DECIDED, decision=decision, files=len(chosen), waiting=self.holds.count_waiting()
        )
        return len(chosen)

    def _obey(self) -> None:
        """Do what the operator decided while no daemon ran; by now everything that waits is held again."""
        orders, self._orders = self._orders, []
        for decision, patterns in orders:
            self.decide(decision, patterns)
        if orders:
            with self._bench.store.transaction():
                self._bench.store.facts.put(ORDERS, [])

    @property
    def _grace(self) -> float:
        return self._bench.config.quarantine.grace_seconds

    def _due(self, now: float) -> list[Hold]:
        due = self.holds.due(now)
        if due:
            self._guard.open_if_many()
        return [hold for hold in due if hold.cleared or not self._guard.is_open]

    def _state(self, verdict: Verdict, stamp: Stamp) -> FileState:
        if verdict.left_in_place:
            return FileState.LEFT
        return FileState.ADOPTED if self._is_adopted(verdict, stamp) else FileState.HELD

    def _is_adopted(self, verdict: Verdict, stamp: Stamp) -> bool:
        """Whether these bytes are no new write: there first, moved here, or released by the operator."""
        path, sha256 = verdict.place.path, verdict.sha256
        adopted_at = self._bench.adopted_at
        known = self._bench.store.files.get(path)
        if adopted_at is None or (known is None and stamp.ctime_ns < adopted_at * 1e9):
            return True
        if known is not None and known.sha256 == sha256 and known.state is FileState.ADOPTED:
            return True
        return self._bench.incidents.is_released(path, sha256) or (
            (known is None or known.sha256 != sha256) and self._is_moved_here(sha256)
        )

    def _is_moved_here(self, sha256: str) -> bool:
        same = self._bench.store.files.of_content(sha256)
        return any(o.state is FileState.ADOPTED and not self._exists(o.path) for o in same)

    def _exists(self, path: str) -> bool:
        return os.path.lexists(self._bench.root / path)

    def _hold(self, verdict: Verdict, status: os.stat_result) -> None:
        path, clock = verdict.place.path, self._bench.clock
        if self._moving.is_loop(path, verdict.sha256):
            self._hold_loop(verdict)
            return
        age = min(max(clock.wall() - status.st_ctime, 0.0), self._grace)
        if self.holds.put(Hold(path, verdict.sha256, clock.monotonic() + self._grace - age)):
            self._bench.log.warning(
                Event.UNIT_HELD,
                **_where(verdict.place),
                problems=[problem.as_json() for problem in verdict.errors],
                seconds=round(self._grace - age, 1),
            )
        else:
            self.reopen_grace(path)

    def _hold_loop(self, verdict: Verdict) -> None:
        """Leave a file where its writer puts it again and again, until it changes."""
        place = verdict.place
        if not self.holds.put(Hold(place.path, verdict.sha256, math.inf, _LOOPING)):
            return
        problems = [problem.as_json() for problem in verdict.errors]
        self._bench.log.error(Event.UNIT_LOOPING, **_where(place), problems=problems, reason=_LOOPING)
        self._notifying.tell("looping", path=place.path, problems=problems, reason=_LOOPING)

    def _log_left(self, verdict: Verdict, state: FileState) -> None:
        event = Event.UNIT_LEFT if state is FileState.LEFT else Event.UNIT_ADOPTED
        problems = [problem.as_json() for problem in verdict.errors]
        self._bench.log.warning(event, **_where(verdict.place), problems=problems)

    def _adopt(self, hold: Hold) -> None:
        self.holds.drop(hold.path)
        record = self._bench.store.files.get(hold.path)
        if record is None or record.state is not FileState.HELD:
            return
        place = self._bench.layout.place(hold.path)
        with self._bench.store.transaction():
            self._bench.remember(
                place, FileState.ADOPTED, record.stamp, record.sha256, problems=record.problems
            )
        self._bench.log.warning(Event.UNIT_ADOPTED, **_where(place), reason="the operator said so")

    def _release_one(self, hold: Hold) -> bool:
        """Move one file, unless an editor has it open; return whether the path must be taken again."""
        trace = trace_beside(self._bench.root, hold.path, self._bench.clock.wall())
        if trace:
            until = self._bench.clock.monotonic() + self._grace
            self.holds.postpone(hold.path, until, f"open in an editor ({trace})")
            return False
        record = self._bench.store.files.get(hold.path)
        is_unit = self._bench.layout.place(hold.path).kind.is_unit
        if record is None or record.sha256 != hold.sha256 or not is_unit:
            self.holds.drop(hold.path)
            return True
        return self._move(hold, record)

    def _move(self, hold: Hold, record: FileRecord) -> bool:
        try:
            self._moving.move(record)
        except (FileNotFoundError, FileChangedError, NotRegularFileError):
            self.holds.drop(hold.path)
            return True
        except OSError as error:
            self._is_unfinished = True
            self._postpone(hold, error)
            return False
        if not hold.cleared:
            self._guard.record()
        self.holds.drop(hold.path)
        self._bench.trouble.pop(hold.path, None)
        return True

    def _postpone(self, hold: Hold, error: OSError) -> None:
        """Try one file again later: what the system refuses for it is no reason to stop for the others."""
        reason = f"cannot be moved to quarantine: {error.strerror or error}"
        now = self._bench.clock.monotonic()
        self.holds.postpone(hold.path, now + max(self._grace, _REFUSED_SECONDS), reason)
        if self._bench.trouble.get(hold.path) != reason:
            self._bench.trouble[hold.path] = reason
            place = self._bench.layout.place(hold.path)
            self._bench.log.error(Event.UNIT_HELD, **_where(place), reason=reason)


def _where(place: Place) -> dict[str, Any]:
    return {"agent": place.agent, "layer": place.layer, "path": place.path}
