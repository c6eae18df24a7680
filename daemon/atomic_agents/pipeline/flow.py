"""The pipeline itself: what happens to each path, in the order of the diagram in ARCHITECTURE.md."""

from __future__ import annotations

from atomic_agents._io import TEMPORARY, Reading, remove_leftover
from atomic_agents.log import Event
from atomic_agents.model import FileState, Kind, Outcome, Place
from atomic_agents.pipeline.absence import Absences
from atomic_agents.pipeline.accepting import Accepting
from atomic_agents.pipeline.bench import AT_ONCE, Bench
from atomic_agents.pipeline.blocking import Blocking
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.pipeline.judging import Judging
from atomic_agents.pipeline.looking import Huge, Missing, Odd, Refused, look
from atomic_agents.pipeline.moving import Moving
from atomic_agents.pipeline.notices import Notices
from atomic_agents.pipeline.notifying import Notifying
from atomic_agents.pipeline.retrying import Retries
from atomic_agents.pipeline.tidying import Tidying
from atomic_agents.pipeline.twins import is_second_name
from atomic_agents.pipeline.upgrading import Upgrading
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import stamp_of


class Pipeline:
    """Takes one path at a time; owned by the worker, which holds the vault's lock around each call.

    Args:
        bench: the vault and the tools.
        second_look: seconds that pass before a mass disappearance is believed (contract [INDEX-4]).

    """

    def __init__(self, bench: Bench, *, second_look: float = 30.0) -> None:
        self._bench = bench
        self._retries = Retries()
        self._judging = Judging(bench)
        self._upgrading = Upgrading(bench)
        self.indexing = Indexing(bench)
        self.accepting = Accepting(bench, self.indexing)
        self.notices = Notices(bench)
        self.notifying = Notifying(bench)
        self.tidying = Tidying(bench)
        self._moving = Moving(bench, self._judging, self.indexing, self.notices, self.notifying)
        self.blocking = Blocking(bench, self._moving, self.notifying)
        self.absences = Absences(bench, self.indexing, second_look=second_look)

    def take(self, path: str) -> None:
        """Bring everything up to date with what one path holds now.

        Args:
            path: relative to the vault.

        """
        place = self._bench.layout.place(path)
        if place.kind is Kind.INDEX:
            self.indexing.look_at(place)
        elif place.kind.is_unit:
            self._take_unit(place)
        elif TEMPORARY.match(path.rpartition("/")[2]):
            self._take_leftover(place)
        else:
            self._forget_ignored(place)

    def finish(self, *, settled: bool, restless: bool = False) -> list[str]:
        """Do what is due besides changes and return the paths that have to be taken again.

        Args:
            settled: whether no change waits, so that absences can be believed and INDEX files written.
            restless: whether paths still settle, so that what is missing may be about to get a new name.

        """
        if not settled:
            self.indexing.flush(settled=False)
            return []
        self.absences.settle(restless=restless)
        for incident in self.accepting.solve():
            self._moving.forget_loop(incident.path)
            self.notices.mark(incident.agent)
        again = self.blocking.release()
        self.indexing.flush(settled=not again)
        self.notices.settle()
        return again + self._retries.due(self._bench.clock.monotonic())

    def resume(self) -> list[str]:
        """Return the paths that a former run left in their grace time, and plan what it left unwritten."""
        self.indexing.resume()
        self.notices.mark_all()
        return [record.path for record in self._bench.store.files.in_state(FileState.HELD)]

    def next_due(self) -> float | None:
        """Return the monotonic time at which `finish` has something to do, or None."""
        parts = (self._retries, self.absences, self.blocking, self.indexing)
        times = [part.next_due() for part in parts]
        if not self.notices.is_clean():
            times.append(AT_ONCE)
        return min((moment for moment in times if moment is not None), default=None)

    def is_written(self) -> bool:
        """Whether every INDEX and every `QUARANTINED.md` says what is known."""
        return self.indexing.is_clean() and self.notices.is_clean()

    def is_reading(self) -> bool:
        """Whether a path that could not be read just now may soon be readable."""
        return self._retries.is_hopeful()

    def after_sweep(self) -> None:
        """Plan what is looked after when the whole vault was compared."""
        self.notices.mark_all()
        self.tidying.want()

    def tend(self) -> None:
        """Look after what needs no lock of the vault: the operator's program, the age of former versions."""
        self.notifying.tend()
        self.tidying.tend()

    def tend_due(self) -> float | None:
        """Return the monotonic time at which `tend` has something to do, or None."""
        times = (self.notifying.next_due(), self.tidying.next_due())
        return min((moment for moment in times if moment is not None), default=None)

    def finish_tending(self) -> None:
        """Do all of that now; a program gets its time and no more."""
        while self.tidying.is_running():
            self.tidying.tend()
        self.notifying.finish()

    def close(self) -> None:
        """End what runs beside the pipeline."""
        self.notifying.close()

    def _take_leftover(self, place: Place) -> None:
        """Remove a temporary file whose writer was killed (contract [D-5])."""
        if remove_leftover(self._bench.root / place.path, self._bench.clock.wall()):
            reason = "its writer was killed; removed"
            self._bench.log.info(Event.SWEEP_LEFTOVER, path=place.path, reason=reason)

    def _forget_ignored(self, place: Place) -> None:
        """Forget a unit that an ignore pattern names by now; the file is left alone."""
        known = self._bench.store.files.get(place.path)
        if known is None:
            return
        former = Layout(root_is_agent=self._bench.layout.root_is_agent).place(place.path)
        self.blocking.forget(place.path)
        self._retries.forget(place.path)
        self._bench.trouble.pop(place.path, None)
        outcome = Outcome(Event.UNIT_REMOVED, place.path, facts={"reason": "ignored by now"})
        with self._bench.store.transaction():
            self._bench.store.files.remove(place.path)
            if former.layer and self._bench.layout.place(f"{former.layer_dir}/INDEX.md").kind is Kind.INDEX:
                self.indexing.mark(former.layer_dir, outcome)

    def _take_unit(self, place: Place) -> None:
        seen = look(self._bench.root, place.path, self._bench.config.quarantine.max_note_bytes)
        if isinstance(seen, Refused):
            self._refuse(place, seen)
            return
        self._retries.forget(place.path)
        self._bench.trouble.pop(place.path, None)
        if isinstance(seen, Missing):
            self.absences.note(place)
            self.blocking.forget(place.path)
        elif isinstance(seen, Odd):
            self._note_odd(place, seen)
        elif not is_second_name(self._bench, place.path, seen.status):
            self._judge(place, seen)

    def _judge(self, place: Place, seen: Reading | Huge) -> None:
        known = self._bench.store.files.get(place.path)
        verdict = self._judging.judge(place, seen, known)
        stamp = stamp_of(seen.status)
        if self._upgrading.upgrade(verdict):
            self._take_unit(place)
        elif verdict.unit is not None and isinstance(seen, Reading):
            hold = self.blocking.forget(place.path)
            self.accepting.accept(verdict, seen.data, stamp, known, was_held=hold is not None)
        else:
            self.blocking.block(verdict, seen.status, stamp)
            self.indexing.mark(place.layer_dir)

    def _refuse(self, place: Place, seen: Refused) -> None:
        """Leave everything as it was: what cannot be read is not gone (contract section 12)."""
        due = self._retries.add(place.path, self._bench.clock.monotonic())
        if self._bench.trouble.get(place.path) != seen.reason:
            self._bench.trouble[place.path] = seen.reason
            seconds = round(due - self._bench.clock.monotonic(), 1)
            facts = {"agent": place.agent, "layer": place.layer, "path": place.path}
            self._bench.log.warning(Event.UNIT_UNREADABLE, **facts, reason=seen.reason, seconds=seconds)

    def _note_odd(self, place: Place, seen: Odd) -> None:
        """Leave alone what is no regular file; a unit that it replaced is gone, one in the cloud is not."""
        if seen.what == "in the cloud only":
            self._bench.trouble[place.path] = seen.what
        else:
            self.absences.note_replaced(place)
            self.blocking.forget(place.path)
        self._bench.log.warning(Event.SWEEP_ODD, path=place.path, reason=f"{seen.what}; left alone")
