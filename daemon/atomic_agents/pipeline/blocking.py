"""What becomes of an invalid unit: adopted, left, held, or moved aside (contract [Q-1], [Q-2], [Q-6])."""

from __future__ import annotations

import contextlib
import os
from typing import Final

from atomic_agents.exceptions import FileChangedError
from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Place, Stamp, Verdict
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.pipeline.judging import Judging
from atomic_agents.quarantine import Breaker, Hold, Holds, take
from atomic_agents.quarantine.taking import Good
from atomic_agents.vault.ignore import edited_name

BREAKER: Final = "breaker"
"""Fact: the breaker's memory."""

_TRACE_SECONDS: Final = 24 * 3600.0
"""An editor's file that did not change for so long was left behind by a crash."""


class Blocking:
    """Holds invalid units for the grace time and moves them to quarantine after it.

    Args:
        bench: the vault and the tools.
        judging: judges the version that would be put back.
        indexing: told of what goes.

    """

    def __init__(self, bench: Bench, judging: Judging, indexing: Indexing) -> None:
        self._bench = bench
        self._judging = judging
        self._indexing = indexing
        self.holds = Holds()
        self.breaker = Breaker.from_json(bench.store.facts.get(BREAKER))

    def block(self, verdict: Verdict, status: os.stat_result, stamp: Stamp) -> None:
        """Decide what becomes of a unit with an error; nothing is moved yet."""
        state = self._state(verdict, stamp)
        known = self._bench.store.files.get(verdict.place.path)
        with self._bench.store.transaction():
            self._bench.remember(verdict.place, state, stamp, verdict.sha256, problems=verdict.problems)
        if state is FileState.HELD:
            self._hold(verdict, status)
        elif known is None or (known.state, known.sha256) != (state, verdict.sha256):
            self._log_left(verdict, state)

    def forget(self, path: str) -> Hold | None:
        """Hold a path no longer, because it is valid, gone or moved."""
        return self.holds.drop(path)

    def reopen_grace(self, path: str) -> None:
        """Start the grace time of a held file again: it was touched, or an editor has it open."""
        now = self._bench.clock.monotonic()
        self.holds.postpone(path, now + self._grace, "was touched just now")

    def release(self) -> list[str]:
        """Move what was held long enough and return the paths to take again."""
        self._mind_breaker()
        due = self.holds.due(self._bench.clock.monotonic())
        if not due or self.breaker.is_open:
            return []
        if self._trips():
            self._open_breaker()
            return []
        return [hold.path for hold in due if self._release_one(hold)]

    def next_due(self) -> float | None:
        """Return the monotonic time at which the next grace time ends; none while the breaker is open."""
        return None if self.breaker.is_open else self.holds.next_due()

    @property
    def _grace(self) -> float:
        return self._bench.config.quarantine.grace_seconds

    def _state(self, verdict: Verdict, stamp: Stamp) -> FileState:
        if verdict.left_in_place:
            return FileState.LEFT
        return FileState.ADOPTED if self._is_adopted(verdict, stamp) else FileState.HELD

    def _is_adopted(self, verdict: Verdict, stamp: Stamp) -> bool:
        """Whether these bytes are no new write: there first, moved here, or released by the operator."""
        path, sha256 = verdict.place.path, verdict.sha256
        known = self._bench.store.files.get(path)
        if known is not None and known.sha256 == sha256 and known.state is not FileState.VALID:
            return known.state is FileState.ADOPTED
        adopted_at = self._bench.adopted_at
        if adopted_at is None or (known is None and stamp.ctime_ns < adopted_at * 1e9):
            return True
        if self._bench.incidents.is_released(path, sha256):
            return True
        same = self._bench.store.files.of_content(sha256)
        return any(o.state is FileState.ADOPTED and not self._exists(o.path) for o in same)

    def _exists(self, path: str) -> bool:
        return os.path.lexists(self._bench.root / path)

    def _hold(self, verdict: Verdict, status: os.stat_result) -> None:
        path = verdict.place.path
        clock = self._bench.clock
        age = min(max(clock.wall() - max(status.st_mtime, status.st_ctime), 0.0), self._grace)
        if self.holds.put(Hold(path, verdict.sha256, clock.monotonic() + self._grace - age)):
            self._bench.log.warning(
                Event.UNIT_HELD,
                **_where(verdict.place),
                problems=[problem.as_json() for problem in verdict.errors],
                seconds=round(self._grace - age, 1),
            )
        else:
            self.reopen_grace(path)

    def _log_left(self, verdict: Verdict, state: FileState) -> None:
        event = Event.UNIT_LEFT if state is FileState.LEFT else Event.UNIT_ADOPTED
        problems = [problem.as_json() for problem in verdict.errors]
        self._bench.log.warning(event, **_where(verdict.place), problems=problems)

    def _trips(self) -> bool:
        units = self._bench.store.files.count(*FileState)
        return self.breaker.trips(
            waiting=len(self.holds),
            units=units,
            limit=self._bench.config.quarantine.breaker,
            now=self._bench.clock.wall(),
        )

    def _open_breaker(self) -> None:
        self._set_breaker(self.breaker.open(self._bench.clock.wall()))
        self._bench.log.error(
            Event.BREAKER_OPENED,
            waiting=len(self.holds),
            reason="so many invalid files at once look like a tool at work; nothing is moved",
            hint="see `atomicd quarantine breaker`",
        )

    def _mind_breaker(self) -> None:
        if self.breaker.is_open and not len(self.holds):
            self._set_breaker(self.breaker.close())
            self._bench.log.info(Event.BREAKER_CLOSED, reason="nothing waits any more")

    def _set_breaker(self, breaker: Breaker) -> None:
        self.breaker = breaker
        with self._bench.store.transaction():
            self._bench.store.facts.put(BREAKER, breaker.as_json())

    def _release_one(self, hold: Hold) -> bool:
        """Move one file, unless an editor has it open; return whether the path must be taken again."""
        trace = self._trace_beside(hold.path)
        if trace:
            until = self._bench.clock.monotonic() + self._grace
            self.holds.postpone(hold.path, until, f"open in an editor ({trace})")
            return False
        record = self._bench.store.files.get(hold.path)
        self.holds.drop(hold.path)
        if record is None or record.sha256 != hold.sha256:
            return True
        with contextlib.suppress(FileNotFoundError, FileChangedError):
            self._quarantine(record)
        return True

    def _quarantine(self, record: FileRecord) -> None:
        place = self._bench.layout.place(record.path)
        verdict = Verdict(place, record.sha256, record.problems)
        wall = self._bench.clock.wall()
        taken = take(self._bench.incidents, self._bench.root, verdict, self._good(place), wall)
        self._set_breaker(self.breaker.record(wall))
        with self._bench.store.transaction():
            self._bench.store.files.remove(record.path)
            self._indexing.mark(place.layer_dir)
        incident = taken.incident
        self._bench.log.error(
            Event.UNIT_QUARANTINED,
            **_where(place),
            problems=[problem.as_json() for problem in verdict.errors],
            incident=incident.id,
            occurrences=incident.occurrences,
        )
        if incident.restored:
            self._bench.log.info(Event.UNIT_RESTORED, **_where(place), sha256=incident.restored)

    def _good(self, place: Place) -> Good | None:
        version = self._bench.store.versions.last_good(place.path)
        if version is None:
            return None
        data = self._bench.store.versions.content(version.sha256)
        return Good(data, version.sha256) if self._judging.is_valid(place, data) else None

    def _trace_beside(self, path: str) -> str | None:
        folder, _, name = path.rpartition("/")
        try:
            with os.scandir(self._bench.root / folder) as entries:
                traces = [entry for entry in entries if edited_name(entry.name) == name]
        except OSError:
            return None
        fresh = (entry.name for entry in traces if self._is_fresh(entry))
        return next(fresh, None)

    def _is_fresh(self, entry: os.DirEntry[str]) -> bool:
        try:
            changed = entry.stat(follow_symlinks=False).st_mtime
        except OSError:
            return False
        return self._bench.clock.wall() - changed < _TRACE_SECONDS


def _where(place: Place) -> dict[str, str | None]:
    return {"agent": place.agent, "layer": place.layer, "path": place.path}
