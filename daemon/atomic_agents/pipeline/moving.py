"""Moving one invalid unit to quarantine, with the books that go with it (contract [Q-1], [Q-2])."""

from __future__ import annotations

import contextlib
import itertools
from typing import Final

from atomic_agents.log import Event
from atomic_agents.model import FileRecord, Place, Verdict
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.pipeline.judging import Judging
from atomic_agents.pipeline.notices import Notices
from atomic_agents.pipeline.notifying import Notifying
from atomic_agents.quarantine import Good, Loops, Taken, is_unfinished, recover, take

LOOPS: Final = "loops"
"""Fact: which bytes were moved lately, and how often."""

_MOST_TRIED: Final = 20
"""So many former versions are looked at for one that is valid today."""


class Moving:
    """Moves files, puts their last good versions back, and tells of it.

    Args:
        bench: the vault and the tools.
        judging: judges the version that would be put back.
        indexing: told of what goes.
        notices: tells the agent.
        notifying: tells the operator.

    """

    def __init__(
        self, bench: Bench, judging: Judging, indexing: Indexing, notices: Notices, notifying: Notifying
    ) -> None:
        self._bench = bench
        self._judging = judging
        self._indexing = indexing
        self._notices = notices
        self._notifying = notifying
        self._loops = Loops.from_json(bench.store.facts.get(LOOPS))

    def move(self, record: FileRecord) -> None:
        """Move a file that was held long enough.

        Args:
            record: the file as it was judged.

        Raises:
            FileChangedError, FileNotFoundError, NotRegularFileError: it is not what was judged any more.
            OSError: the system refuses; see `finish`.

        """
        bench = self._bench
        place = bench.layout.place(record.path)
        verdict = Verdict(place, record.sha256, record.problems)
        wall = bench.clock.wall()
        taken = take(bench.incidents, bench.root, verdict, self.good(place), wall)
        self._set_loops(self._loops.record(record.path, record.sha256, wall))
        with bench.store.transaction():
            bench.store.files.remove(record.path)
            self._indexing.mark(place.layer_dir)
        self._tell(place, taken)

    def finish(self) -> None:
        """Finish what a refusal of the system left half done; what is refused again waits for the next."""
        bench, now = self._bench, self._bench.clock.wall()
        with contextlib.suppress(OSError):
            if is_unfinished(bench.incidents, now):
                for incident in recover(bench.incidents, bench.root, self._good_at, now):
                    self._notices.mark(incident.agent)

    def is_loop(self, path: str, sha256: str) -> bool:
        """Whether a writer repeats these bytes so often that they are left where they are."""
        return self._loops.is_loop(path, sha256, self._bench.clock.wall())

    def forget_loop(self, path: str) -> None:
        """Take a path for a new one, since its writer mended it."""
        loops = self._loops.forget(path)
        if loops is not self._loops:
            self._set_loops(loops)

    def good(self, place: Place) -> Good | None:
        """Return the newest former version that is valid today, or None."""
        versions = self._bench.store.versions
        for version in itertools.islice(versions.good(place.path), _MOST_TRIED):
            data = versions.content(version.sha256)
            if self._judging.is_valid(place, data):
                return Good(data, version.sha256)
        return None

    def _good_at(self, path: str) -> Good | None:
        place = self._bench.layout.place(path)
        return self.good(place) if place.kind.is_unit else None

    def _set_loops(self, loops: Loops) -> None:
        self._loops = loops
        with self._bench.store.transaction():
            self._bench.store.facts.put(LOOPS, loops.as_json())

    def _tell(self, place: Place, taken: Taken) -> None:
        incident = taken.incident
        where = {"agent": place.agent, "layer": place.layer, "path": place.path}
        self._bench.log.error(
            Event.UNIT_QUARANTINED,
            **where,
            problems=[problem.as_json() for problem in incident.problems],
            incident=incident.id,
            occurrences=incident.occurrences,
        )
        if taken.is_back:
            self._bench.log.info(Event.UNIT_RESTORED, **where, sha256=incident.restored)
        self._notices.mark(incident.agent)
        if not taken.repeated:
            self._notifying.tell("quarantined", incident=incident.as_json())
