"""What becomes of a valid unit: remembered, kept in the history, indexed (contract [Q-5], [INDEX-4])."""

from __future__ import annotations

import shlex
from typing import Final

from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Outcome, Stamp, Verdict, printable
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.quarantine import Incident
from atomic_agents.store.versions import Version
from atomic_agents.units import read

_SMALL_BYTES: Final = 1024
"""A body up to this size may shrink without a word, unless nothing is left of it."""

_SHRUNK: Final = 5
"""A body of less than one part in so many of the former has lost over 80 %."""


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
        former = None if is_same else self._bench.store.versions.last_good(place.path)
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
        self._tell_shrunk(verdict, data, former)
        self._accepted[place.path] = verdict.sha256

    def _outcome(self, verdict: Verdict, known: FileRecord | None) -> Outcome:
        facts = {
            "agent": verdict.place.agent,
            "layer": verdict.place.layer,
            "problems": [problem.as_json() for problem in verdict.problems],
            "change": "new" if known is None else "changed",
        }
        return Outcome(Event.UNIT_INDEXED, verdict.place.path, facts=facts)

    def solve(self) -> list[Incident]:
        """Close the incidents of the paths that were mended since the last call, and return them."""
        accepted, self._accepted = self._accepted, {}
        solved = self._bench.incidents.solve(accepted) if accepted else []
        for incident in solved:
            self._bench.log.info(Event.UNIT_SOLVED, path=incident.path, incident=incident.id)
        return solved

    def _tell_shrunk(self, verdict: Verdict, data: bytes, former: Version | None) -> None:
        """Tell the operator of a write that left little of a body, with the way back (contract `shrunk`)."""
        assert verdict.unit is not None
        if former is None or len(data) >= former.size:
            return
        now = verdict.unit.body_bytes
        before = read(self._bench.store.versions.content(former.sha256)).body_bytes
        is_emptied = before > 0 == len(data[len(data) - now :].strip())
        if not is_emptied and (before <= _SMALL_BYTES or now * _SHRUNK >= before):
            return
        self._bench.log.warning(
            Event.UNIT_SHRUNK,
            agent=verdict.place.agent,
            layer=verdict.place.layer,
            path=verdict.place.path,
            body_bytes=now,
            former_body_bytes=before,
            hint=f"`atomicd restore {shlex.quote(printable(verdict.place.path))} --version {former.version}`",
        )
