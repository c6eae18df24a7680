"""The queue between the watching thread and the worker."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable
from typing import Final, Generic, NamedTuple, TypeVar

from atomic_agents.intake.events import Event, Wake

Heard = TypeVar("Heard")

CAP: Final = 65_536
"""More unhandled events than this are forgotten for a sweep."""


class Died(NamedTuple):
    """What listens in an arming hears nothing any more."""

    arming: int
    reason: str


class Spilled:
    """The queue was full: events were lost."""


class Inbox(Generic[Heard]):
    """What was heard and not handled yet. One thread puts, one takes; anybody wakes.

    Args:
        cap: most events that are kept.

    """

    def __init__(self, cap: int = CAP) -> None:
        self._queue: queue.SimpleQueue[Heard | Spilled | Wake] = queue.SimpleQueue()
        self._cap = cap
        self._spilled = False

    def put(self, heard: Heard) -> None:
        """Keep an event, or say once that there were too many."""
        if self._spilled:
            return
        if self._queue.qsize() >= self._cap:
            self.spill()
        else:
            self._queue.put(heard)

    def spill(self) -> None:
        """Say that events were lost; further ones are dropped until `reset`."""
        self._spilled = True
        self._queue.put(Spilled())

    def reset(self) -> None:
        """Take events again."""
        self._spilled = False

    def wake(self) -> None:
        """End the worker's wait; safe in a signal handler and from any thread."""
        if self._queue.empty():
            self._queue.put(Wake())

    def told(self, timeout: float, tell: Callable[[Heard | Spilled | Wake], Iterable[Event]]) -> list[Event]:
        """Return what everything there is means, each thing once, in order.

        Args:
            timeout: seconds to wait for the first at most.
            tell: says what one item means.

        """
        events: dict[Event, None] = {}
        for item in self.drain(timeout):
            events.update(dict.fromkeys(tell(item)))
        return list(events)

    def drain(self, timeout: float) -> list[Heard | Spilled | Wake]:
        """Return what there is, in order, and wait for the first if there is nothing.

        Args:
            timeout: seconds to wait at most.

        """
        items: list[Heard | Spilled | Wake] = []
        try:
            items.append(
                self._queue.get(timeout=max(timeout, 0)) if timeout > 0 else self._queue.get_nowait()
            )
            while len(items) < self._cap:
                items.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        return items
