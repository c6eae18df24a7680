"""Whether the watching still hears: something is done that must be heard (contract [D-2])."""

from __future__ import annotations

from typing import Literal


class Canary:
    """Says when to sing, and whether a song was not heard; times are monotonic seconds.

    Args:
        period: seconds from one song to the next.
        patience: seconds after which a song that was not heard means that nothing is heard.

    """

    def __init__(self, *, period: float = 10.0, patience: float = 10.0) -> None:
        self._period = period
        self._patience = patience
        self._sang: float | None = None
        self._waiting = False
        self._looked = 0.0

    def look(self, now: float, *, heard: bool) -> Literal["sing", "wait", "deaf"]:
        """Return what to do now.

        A song is not judged at a look that comes late itself: the process was stopped, and so was its ear.

        Args:
            now: the time.
            heard: whether an event came since the last song.

        """
        is_late, self._looked = now - self._looked > self._patience, now
        if self._waiting and not heard:
            if self._sang is None or is_late:
                return self._sing(now)
            return "deaf" if now - self._sang > self._patience else "wait"
        self._waiting = False
        if self._sang is None or now - self._sang >= self._period:
            return self._sing(now)
        return "wait"

    def _sing(self, now: float) -> Literal["sing"]:
        self._sang, self._waiting = now, True
        return "sing"
