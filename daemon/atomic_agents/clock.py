"""The one place that reads the time; everything else takes it as an argument."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time, in seconds."""

    def wall(self) -> float:
        """Return seconds since the epoch; may jump."""

    def monotonic(self) -> float:
        """Return seconds that never go back; the origin means nothing."""


class SystemClock:
    """The machine's clocks."""

    def wall(self) -> float:
        """Return seconds since the epoch; may jump."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that never go back, counted through sleep where the system can."""
        return time.monotonic()
