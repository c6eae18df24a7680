"""A clock that goes only when told."""

from __future__ import annotations


class FakeClock:
    """Wall and monotonic time, moved by hand."""

    def __init__(self, wall: float = 1_780_000_000.0) -> None:
        self._wall = wall
        self._monotonic = 1000.0

    def wall(self) -> float:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._wall += seconds
        self._monotonic += seconds

    def jump(self, seconds: float) -> None:
        """Move the wall clock alone, as a time server or a person does."""
        self._wall += seconds
