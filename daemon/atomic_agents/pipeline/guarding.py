"""The breaker at work: it opens before a mass quarantine and closes when nothing waits (contract [Q-6])."""

from __future__ import annotations

from typing import Final

from atomic_agents.log import Event
from atomic_agents.model import FileState, printable
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.notifying import Notifying
from atomic_agents.quarantine import Breaker, Holds

BREAKER: Final = "breaker"
"""Fact: the breaker's memory."""

_MOST_NAMED: Final = 10


class Guard:
    """Owns the breaker's state, which the store keeps over a restart.

    Args:
        bench: the vault and the tools.
        holds: what waits.
        notifying: tells the operator.

    """

    def __init__(self, bench: Bench, holds: Holds, notifying: Notifying) -> None:
        self._bench = bench
        self._holds = holds
        self._notifying = notifying
        self.breaker = Breaker.from_json(bench.store.facts.get(BREAKER))

    @property
    def is_open(self) -> bool:
        """Whether only what the operator orders is moved."""
        return self.breaker.is_open

    def close_if_done(self) -> None:
        """Close the breaker when nothing waits any more."""
        if self.is_open and not self._holds.count_waiting():
            self._set(self.breaker.close())
            self._bench.log.info(Event.BREAKER_CLOSED, reason="nothing waits any more")

    def open_if_many(self) -> None:
        """Open the breaker when moving all that waits would be mass quarantine."""
        waiting = self._holds.count_waiting()
        if not self.is_open and self._trips(waiting):
            self._open(waiting)

    def record(self) -> None:
        """Count a move that nobody ordered."""
        self._set(self.breaker.record(self._bench.clock.wall()))

    def _trips(self, waiting: int) -> bool:
        return self.breaker.trips(
            waiting=waiting,
            units=self._bench.store.files.count(*FileState),
            limit=self._bench.config.quarantine.breaker,
            now=self._bench.clock.wall(),
        )

    def _open(self, waiting: int) -> None:
        self._set(self.breaker.open(self._bench.clock.wall()))
        reason = "so many invalid files at once look like a tool at work; nothing is moved"
        hint = "see `atomicd quarantine breaker`"
        self._bench.log.error(Event.BREAKER_OPENED, waiting=waiting, reason=reason, hint=hint)
        some = [printable(hold.path) for hold in self._holds][:_MOST_NAMED]
        self._notifying.tell("breaker", waiting=waiting, reason=reason, hint=hint, paths=some)

    def _set(self, breaker: Breaker) -> None:
        self.breaker = breaker
        with self._bench.store.transaction():
            self._bench.store.facts.put(BREAKER, breaker.as_json())
