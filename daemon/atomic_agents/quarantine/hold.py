"""The grace time of invalid files (contract [Q-1]): no thread, no clock, time is passed in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hold:
    """An invalid file that is left in place for now.

    Args:
        path: relative to the vault.
        sha256: the hash of the bytes that were judged, in hex.
        until: monotonic seconds at which it may be moved; infinite for one that waits for a change.
        reason: why it is still there, for `status`.
        cleared: the operator said that it is to be moved though the breaker is open.

    """

    path: str
    sha256: str
    until: float
    reason: str = "waits for the writer to mend it"
    cleared: bool = False

    @property
    def is_endless(self) -> bool:
        """Whether only a change ends it."""
        return math.isinf(self.until)


class Holds:
    """All files in their grace time."""

    def __init__(self) -> None:
        self._holds: dict[str, Hold] = {}

    def __len__(self) -> int:
        """Return how many files are held."""
        return len(self._holds)

    def __iter__(self) -> Iterator[Hold]:
        """Yield the holds in path order."""
        return iter(sorted(self._holds.values(), key=lambda hold: hold.path))

    def __contains__(self, path: str) -> bool:
        """Whether a path is held."""
        return path in self._holds

    def put(self, hold: Hold) -> bool:
        """Begin to hold a file, or begin again where its bytes changed.

        Returns:
            Whether these bytes were not held yet.

        """
        old = self._holds.get(hold.path)
        if old is not None and old.sha256 == hold.sha256:
            return False
        self._holds[hold.path] = hold
        return True

    def postpone(self, path: str, until: float, reason: str) -> None:
        """Move the end of a grace time; a path that is not held, or waits for a change, is left alone.

        Args:
            path: relative to the vault.
            until: monotonic seconds; an earlier time than the present one changes nothing but the reason.
            reason: for `status`.

        """
        old = self._holds.get(path)
        if old is not None and not old.is_endless:
            self._holds[path] = replace(old, until=max(old.until, until), reason=reason)

    def clear(self, path: str, now: float) -> None:
        """Let a held file be moved whatever else holds it back, once its grace time is over.

        Args:
            path: relative to the vault.
            now: monotonic seconds: a file that waits for a change waits no longer.

        """
        old = self._holds.get(path)
        if old is not None:
            self._holds[path] = replace(old, cleared=True, until=now if old.is_endless else old.until)

    def drop(self, path: str) -> Hold | None:
        """Hold a file no longer and return what was held."""
        return self._holds.pop(path, None)

    def due(self, now: float) -> list[Hold]:
        """Return the holds whose grace time is over, in path order."""
        return [hold for hold in self if hold.until <= now]

    def next_due(self, *, cleared_only: bool = False) -> float | None:
        """Return the monotonic time at which the next grace time ends.

        Args:
            cleared_only: whether only the files count that the operator cleared.

        """
        holds = (hold for hold in self._holds.values() if hold.cleared or not cleared_only)
        return min((hold.until for hold in holds if not hold.is_endless), default=None)

    def count_waiting(self) -> int:
        """Return how many files would be moved once their grace time is over, the operator's orders aside."""
        return sum(1 for hold in self._holds.values() if not hold.is_endless and not hold.cleared)
