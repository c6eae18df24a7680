"""When a path has settled: after a quiet time, at the latest after the longest wait (contract [D-1])."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Due:
    """What has settled: paths in the order in which they first came, or everything."""

    paths: tuple[str, ...] = ()
    sweep: bool = False


@dataclass(frozen=True, slots=True)
class _Span:
    first: float
    last: float


class Settle:
    """Paths with fresh events. It has no thread and no clock; times are monotonic seconds.

    Args:
        quiet_ms: a path is due so long after its last event.
        max_wait_ms: or so long after its first one, whatever comes.
        max_paths: more paths than this become one sweep, due by the same two limits.

    """

    def __init__(self, *, quiet_ms: int, max_wait_ms: int, max_paths: int) -> None:
        self._quiet = quiet_ms / 1000
        self._longest = max_wait_ms / 1000
        self._cap = max_paths
        self._pending: dict[str, _Span] = {}
        self._sweep: _Span | None = None

    def __len__(self) -> int:
        """How many paths are pending; none while a sweep is."""
        return len(self._pending)

    def __contains__(self, path: str) -> bool:
        """Whether a path is pending, by itself or within a sweep."""
        return path in self._pending or self._sweep is not None

    def add(self, path: str, now: float) -> None:
        """Note an event; while a sweep is pending it only waits longer for quiet."""
        if self._sweep is not None:
            self._sweep = _Span(self._sweep.first, now)
            return
        self._pending[path] = _Span(self._pending.get(path, _Span(now, now)).first, now)
        if len(self._pending) > self._cap:
            self.add_sweep(now)

    def add_sweep(self, now: float) -> None:
        """Ask for a sweep instead of all that is pending."""
        earliest = self._sweep or next(iter(self._pending.values()), _Span(now, now))
        self._sweep = _Span(earliest.first, now)
        self._pending.clear()

    def due(self, now: float) -> Due:
        """Return what has settled, once: it is no longer pending."""
        if self._sweep is not None:
            if self._is_due(self._sweep, now):
                self._sweep = None
                return Due(sweep=True)
            return Due()
        paths = tuple(path for path, span in self._pending.items() if self._is_due(span, now))
        for path in paths:
            del self._pending[path]
        return Due(paths)

    def next_due(self) -> float | None:
        """Return the earliest time at which `due` has something, if no further event comes."""
        if self._sweep is not None:
            return self._end(self._sweep)
        return min(map(self._end, self._pending.values()), default=None)

    def _is_due(self, span: _Span, now: float) -> bool:
        return now >= self._end(span)

    def _end(self, span: _Span) -> float:
        return min(span.last + self._quiet, span.first + self._longest)
