"""Bringing INDEX files up to date: one write per batch and layer (contract [INDEX-4], [D-3])."""

from __future__ import annotations

import errno
import os
from typing import Final

from atomic_agents.index.merge import Notice
from atomic_agents.index.writer import Updated
from atomic_agents.log import Event
from atomic_agents.model import Outcome, Place
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.intentions import settle_intentions
from atomic_agents.pipeline.layerwork import LayerWork
from atomic_agents.pipeline.layerwriting import LayerWriting
from atomic_agents.pipeline.looking import Refused, glance
from atomic_agents.vault.walk import stamp_of

DIRTY: Final = "dirty_layers"
"""Fact: layers whose INDEX does not say yet what the store knows."""

LONGEST_SECONDS: Final = 2.0
"""While changes go on, an INDEX is written this often."""

_RETRY_SECONDS: Final = 1.0
_LONGEST_RETRY_SECONDS: Final = 60.0
_HOPE: Final = 2
"""After so many failures nobody waits for a layer any more; it is still tried."""

_EVERYWHERE: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""Refusals that hold for the whole vault, not for one layer."""


class Indexing:
    """Knows which layers are behind and writes them.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._writing = LayerWriting(bench)
        self._work: dict[str, LayerWork] = {}
        self._written: set[str] = set()
        self._told: dict[str, frozenset[Notice]] = {}

    def resume(self) -> None:
        """Plan the layers that a former run left behind, and remember what it wrote and could not note."""
        for layer_dir, intended in self._bench.store.entries.intended().items():
            settle_intentions(self._bench, layer_dir, intended)
            self._of(layer_dir)
        for layer_dir in self._bench.store.facts.get(DIRTY, []):
            self._of(layer_dir)

    def mark(self, layer_dir: str, outcome: Outcome | None = None, *, fresh: str | None = None) -> None:
        """Plan a layer; what is told with it is logged once the INDEX says it.

        Args:
            layer_dir: relative to the vault.
            outcome: what became of a unit.
            fresh: the path of a unit that was written just now.

        """
        work = self._of(layer_dir)
        if outcome is not None:
            work.outcomes.append(outcome)
        if fresh is not None:
            work.fresh.add(fresh)

    def rebuild(self) -> None:
        """Plan every layer, files with conflict markers included (contract [INDEX-7])."""
        for layer_dir in self._bench.store.files.layers():
            self._of(layer_dir).repairs = True

    def rename(self, layer_dir: str, old: str, new: str) -> None:
        """Plan that an entry gets a new target, if both names are in the layer."""
        prefix = f"{layer_dir}/"
        if old.startswith(prefix) and new.startswith(prefix):
            self._of(layer_dir).renames[old.removeprefix(prefix)] = new.removeprefix(prefix)

    def is_fresh(self, path: str) -> bool:
        """Whether a unit was written since its layer's INDEX was."""
        return any(path in work.fresh for work in self._work.values())

    def look_at(self, place: Place) -> None:
        """Plan a layer whose index file was changed, made or removed by somebody else."""
        seen = glance(self._bench.root, place.path)
        if isinstance(seen, Refused):
            self._bench.trouble[place.path] = seen.reason
            return
        known = self._bench.store.files.get(place.path)
        if isinstance(seen, os.stat_result) and known is not None and known.stamp == stamp_of(seen):
            return
        self.mark(place.layer_dir)

    def flush(self, *, settled: bool) -> None:
        """Write what is behind.

        Args:
            settled: whether no change waits; else only layers that waited for long are written.

        """
        now = self._bench.clock.monotonic()
        for layer_dir, work in sorted(self._work.items(), key=lambda item: self._is_gone(item[0])):
            if work.not_before <= now and (settled or now - work.since >= LONGEST_SECONDS):
                self._try(layer_dir, work)

    def next_due(self) -> float | None:
        """Return the monotonic time at which a layer is to be written, if nothing else comes."""
        return min((max(work.not_before, work.since) for work in self._work.values()), default=None)

    def is_clean(self) -> bool:
        """Whether no layer is behind but those that the system does not let us write."""
        return all(work.failures > _HOPE for work in self._work.values())

    def take_written(self) -> set[str]:
        """Return the index files that were written since the last call."""
        written, self._written = self._written, set()
        return written

    def _of(self, layer_dir: str) -> LayerWork:
        work = self._work.get(layer_dir)
        if work is None:
            work = self._work[layer_dir] = LayerWork(self._bench.clock.monotonic())
            self._remember_dirty()
        return work

    def _remember_dirty(self) -> None:
        with self._bench.store.transaction():
            self._bench.store.facts.put(DIRTY, sorted(self._work))

    def _is_gone(self, layer_dir: str) -> bool:
        """Whether the layer's folder is not there; such come last: a renamed one takes its entries first."""
        return not (self._bench.root / layer_dir).is_dir()

    def _try(self, layer_dir: str, work: LayerWork) -> None:
        """Write a layer; what the system refuses for one layer does not hold up the others."""
        try:
            self._write(layer_dir, work)
        except OSError as error:
            if error.errno in _EVERYWHERE:
                raise
            self._put_off(
                layer_dir, work, f"{errno.errorcode.get(error.errno or 0, 'error')}: {error.strerror}"
            )

    def _put_off(self, layer_dir: str, work: LayerWork, reason: str) -> None:
        wait = min(_RETRY_SECONDS * float(1 << min(work.failures, 6)), _LONGEST_RETRY_SECONDS)
        work.failures += 1
        work.not_before = self._bench.clock.monotonic() + wait
        self._complain(layer_dir, reason)

    def _yield_to_writer(self, layer_dir: str, work: LayerWork) -> None:
        """Try again soon after somebody who writes the INDEX all the time; that is no refusal."""
        work.not_before = self._bench.clock.monotonic() + _RETRY_SECONDS
        self._complain(layer_dir, "somebody writes it all the time")

    def _complain(self, layer_dir: str, reason: str) -> None:
        if self._bench.trouble.get(layer_dir) != reason:
            self._bench.trouble[layer_dir] = reason
            self._bench.log.error(Event.INDEX_FAILED, path=layer_dir, reason=f"{reason}; tried again")

    def _write(self, layer_dir: str, work: LayerWork) -> None:
        if self._is_gone(layer_dir):
            self._writing.forget_files(layer_dir)
        else:
            updated = self._writing.update(layer_dir, work)
            if updated.gave_up:
                self._yield_to_writer(layer_dir, work)
                return
            self._written |= {written.path for written in updated.written}
            self._tell(layer_dir, updated)
        self._bench.trouble.pop(layer_dir, None)
        for outcome in work.outcomes:
            self._log(outcome)
        del self._work[layer_dir]
        self._remember_dirty()

    def _tell(self, layer_dir: str, updated: Updated) -> None:
        place = self._bench.layout.place(f"{layer_dir}/INDEX.md")
        for written in updated.written:
            self._bench.log.info(
                Event.INDEX_WRITTEN,
                agent=place.agent,
                layer=place.layer,
                path=written.path,
                bytes=len(written.data),
            )
        for path in updated.split:
            self._bench.log.info(Event.INDEX_SPLIT, agent=place.agent, layer=place.layer, path=path)
        notices = frozenset(updated.notices)
        for notice in sorted(
            notices - self._told.get(layer_dir, frozenset()), key=lambda one: (one.file, one.what)
        ):
            self._log_notice(f"{layer_dir}/{notice.file}", notice)
        self._told[layer_dir] = notices

    def _log_notice(self, path: str, notice: Notice) -> None:
        if notice.what in {"hook", "title"}:
            facts = {"what": notice.what, "stands": notice.stands, "unit": notice.unit}
            self._bench.log.info(Event.INDEX_HOOK_DIFFERS, path=path, **facts)
        else:
            self._bench.log.warning(Event.INDEX_NOTICE, path=path, what=notice.what, reason=notice.stands)

    def _log(self, outcome: Outcome) -> None:
        getattr(self._bench.log, outcome.level)(outcome.event, path=outcome.path, **outcome.facts)
