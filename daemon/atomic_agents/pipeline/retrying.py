"""Paths that could not be read now: tried again with back-off, told once (contract [PATH-2], section 12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 60.0
_HOPE: Final = 4


@dataclass(frozen=True, slots=True)
class _Try:
    attempts: int
    due: float


class Retries:
    """When to look again; times are monotonic seconds."""

    def __init__(self) -> None:
        self._tries: dict[str, _Try] = {}

    def add(self, path: str, now: float) -> float:
        """Plan another look and return its time; each further one waits twice as long, up to a minute."""
        attempts = self._tries[path].attempts + 1 if path in self._tries else 0
        due = now + min(FIRST_SECONDS * float(1 << attempts), LONGEST_SECONDS)
        self._tries[path] = _Try(min(attempts, 16), due)
        return due

    def forget(self, path: str) -> None:
        """Plan no further look."""
        self._tries.pop(path, None)

    def due(self, now: float) -> list[str]:
        """Return the paths whose time has come; they stay planned until they are forgotten."""
        return [path for path, attempt in self._tries.items() if attempt.due <= now]

    def is_hopeful(self) -> bool:
        """Whether a path was tried only a few times yet, so that it may just be in the middle of a write."""
        return any(attempt.attempts < _HOPE for attempt in self._tries.values())

    def next_due(self) -> float | None:
        """Return the next time a path is due."""
        return min((attempt.due for attempt in self._tries.values()), default=None)
