"""Whether the machine slept, stalled or had its clock set between two looks (contract [D-2])."""

from __future__ import annotations


class Drift:
    """Compares the wall clock and the monotonic clock from one tick to the next.

    Args:
        gap: seconds between two ticks that mean that the process did not run.
        skew: seconds by which the two clocks may differ over one tick.

    """

    def __init__(self, *, gap: float = 60.0, skew: float = 5.0) -> None:
        self._gap = gap
        self._skew = skew
        self._last: tuple[float, float] | None = None

    def tick(self, wall: float, monotonic: float) -> str | None:
        """Return why a sweep is due, or None.

        Args:
            wall: seconds since the epoch.
            monotonic: monotonic seconds.

        """
        last, self._last = self._last, (wall, monotonic)
        if last is None:
            return None
        passed, shown = monotonic - last[1], wall - last[0]
        if abs(shown - passed) > self._skew:
            return (
                f"the clock moved {shown - passed:+.0f} s against the time that passed: set, or after sleep"
            )
        if passed > self._gap:
            return f"nothing ran for {passed:.0f} s: the machine slept or the process was stopped"
        return None
