"""The pipeline itself: what happens to each path, in the order of the diagram in ARCHITECTURE.md."""

from __future__ import annotations

from atomic_agents._io import Reading
from atomic_agents.log import Event
from atomic_agents.model import FileState, Kind, Place
from atomic_agents.pipeline.absence import Absences
from atomic_agents.pipeline.accepting import Accepting
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.blocking import Blocking
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.pipeline.judging import Judging
from atomic_agents.pipeline.looking import Huge, Missing, Odd, Refused, look
from atomic_agents.pipeline.retrying import Retries
from atomic_agents.pipeline.twins import is_second_name
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
        self.indexing = Indexing(bench)
        self.accepting = Accepting(bench, self.indexing)
        self.blocking = Blocking(bench, self._judging, self.indexing)
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

    def finish(self, *, settled: bool) -> list[str]:
        """Do what is due besides changes and return the paths that have to be taken again.

        Args:
            settled: whether no change waits, so that absences can be believed and INDEX files written.

        """
        if not settled:
            self.indexing.flush(settled=False)
            return []
        self.absences.settle()
        self.accepting.solve()
        again = self.blocking.release()
        self.indexing.flush(settled=not again)
        return again + self._retries.due(self._bench.clock.monotonic())

    def resume(self) -> list[str]:
        """Return the paths that a former run left in their grace time, and plan its unwritten INDEX files."""
        self.indexing.resume()
        return [record.path for record in self._bench.store.files.in_state(FileState.HELD)]

    def next_due(self) -> float | None:
        """Return the monotonic time at which `finish` has something to do, or None."""
        parts = (self._retries, self.absences, self.blocking, self.indexing)
        times = [part.next_due() for part in parts]
        return min((moment for moment in times if moment is not None), default=None)

    def is_written(self) -> bool:
        """Whether every INDEX says what is known."""
        return self.indexing.is_clean()

    def is_reading(self) -> bool:
        """Whether a path that could not be read just now may soon be readable."""
        return self._retries.is_hopeful()

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
        if verdict.unit is not None and isinstance(seen, Reading):
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
