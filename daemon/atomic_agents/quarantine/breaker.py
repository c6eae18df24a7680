"""The guard against mass quarantine (contract [Q-6]): pure, its state is a value that the store keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self

WINDOW_SECONDS: Final = 600.0
"""Moves within this time count together."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """What the breaker remembers.

    Args:
        moves: wall times (seconds since the epoch) of the moves in the window.
        opened_at: when it opened, or None while it is closed.

    """

    moves: tuple[float, ...] = ()
    opened_at: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing more is moved."""
        return self.opened_at is not None

    def count(self, now: float) -> int:
        """Return the number of moves within the window before `now` (wall time, seconds)."""
        return sum(1 for moment in self.moves if now - WINDOW_SECONDS < moment <= now)

    def trips(self, *, waiting: int, units: int, limit: int, now: float) -> bool:
        """Whether moving all that waits would be mass quarantine.

        Args:
            waiting: files that would be moved now or when their grace time ends.
            units: units in the vault.
            limit: `quarantine.breaker` of the config.
            now: wall time, seconds.

        """
        return self.count(now) + waiting > max(limit, units / 10)

    def open(self, now: float) -> Breaker:
        """Return it opened at `now` (wall time, seconds)."""
        return self if self.is_open else replace(self, opened_at=now)

    def close(self) -> Breaker:
        """Return it closed, with an empty window: what the operator decided does not count again."""
        return Breaker()

    def record(self, now: float) -> Breaker:
        """Return it with one more move at `now` (wall time, seconds)."""
        kept = tuple(moment for moment in self.moves if now - WINDOW_SECONDS < moment <= now)
        return replace(self, moves=(*kept, now))

    def as_json(self) -> dict[str, Any]:
        """Return the value that the store keeps."""
        return {"moves": list(self.moves), "opened_at": self.opened_at}

    @classmethod
    def from_json(cls, value: dict[str, Any] | None) -> Self:
        """Return the breaker that the store kept; None is a new one."""
        return cls() if value is None else cls(tuple(value["moves"]), value["opened_at"])
