"""What becomes of a valid unit: remembered, kept in the history, indexed (contract [Q-5], [INDEX-4])."""

from __future__ import annotations

from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Outcome, Stamp, Verdict
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.indexing import Indexing


class Accepting:
    """Takes valid units in.

    Args:
        bench: the vault and the tools.
        indexing: told of what is new.

    """

    def __init__(self, bench: Bench, indexing: Indexing) -> None:
        self._bench = bench
        self._indexing = indexing
        self._accepted: dict[str, str] = {}

    def accept(
        self, verdict: Verdict, data: bytes, stamp: Stamp, known: FileRecord | None, *, was_held: bool
    ) -> None:
        """Write a valid unit down; the INDEX follows with the next flush.

        Args:
            verdict: on these bytes.
            data: the bytes.
            stamp: how the file looked when they were read.
            known: what was remembered of the path.
            was_held: whether an invalid version of it was in its grace time.

        """
        place = verdict.place
        is_same = known is not None and known.state is FileState.VALID and known.sha256 == verdict.sha256
        with self._bench.store.transaction():
            self._bench.store.versions.record(place.path, data, verdict.sha256, self._bench.clock.wall())
            self._bench.remember(
                place, FileState.VALID, stamp, verdict.sha256, unit=verdict.unit, problems=verdict.problems
            )
            if not is_same:
                self._indexing.mark(place.layer_dir, self._outcome(verdict, known), fresh=place.path)
        if is_same:
            self._bench.log.debug(Event.UNIT_UNCHANGED, path=place.path)
            return
        if was_held:
            self._bench.log.info(Event.UNIT_RELEASED, path=place.path, reason="valid within its grace time")
        self._accepted[place.path] = verdict.sha256

    def _outcome(self, verdict: Verdict, known: FileRecord | None) -> Outcome:
        facts = {
            "agent": verdict.place.agent,
            "layer": verdict.place.layer,
            "problems": [problem.as_json() for problem in verdict.problems],
            "change": "new" if known is None else "changed",
        }
        return Outcome(Event.UNIT_INDEXED, verdict.place.path, facts=facts)

    def solve(self) -> None:
        """Close the incidents of the paths that were mended since the last call."""
        accepted, self._accepted = self._accepted, {}
        if accepted:
            for incident in self._bench.incidents.solve(accepted):
                self._bench.log.info(Event.UNIT_SOLVED, path=incident.path, incident=incident.id)
