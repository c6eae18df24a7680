"""Writers that repeat the same invalid bytes: after a few moves nobody fights them (contract [Q-1]); pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

MOST: Final = 5
"""So many moves of the same bytes within the window are a loop."""

WINDOW_SECONDS: Final = 60.0
MEMORY_SECONDS: Final = 3600.0
"""Without a further move for so long, a loop is forgotten."""


@dataclass(frozen=True, slots=True)
class _Trail:
    sha256: str
    moves: tuple[float, ...]

    @property
    def is_loop(self) -> bool:
        return len(self.moves) >= MOST and self.moves[-1] - self.moves[-MOST] <= WINDOW_SECONDS


@dataclass(frozen=True, slots=True)
class Loops:
    """What was moved lately, by path: the hash of the bytes and when (wall times, seconds)."""

    trails: Mapping[str, _Trail] = field(default_factory=dict)

    def record(self, path: str, sha256: str, now: float) -> Loops:
        """Return it with one more move.

        Args:
            path: relative to the vault.
            sha256: the hash of the bytes, in hex.
            now: wall time, seconds.

        """
        kept = {
            name: trail
            for name, trail in self.trails.items()
            if name != path and 0 <= now - trail.moves[-1] <= MEMORY_SECONDS
        }
        old = self.trails.get(path)
        former = old.moves if old is not None and old.sha256 == sha256 else ()
        moves = (*(moment for moment in former if moment <= now), now)[-MOST:]
        return replace(self, trails={**kept, path: _Trail(sha256, moves)})

    def is_loop(self, path: str, sha256: str, now: float) -> bool:
        """Whether these bytes were moved away from this path so often that they are left there now.

        Args:
            path: relative to the vault.
            sha256: the hash of the bytes, in hex.
            now: wall time, seconds.

        """
        trail = self.trails.get(path)
        if trail is None or trail.sha256 != sha256 or not trail.is_loop:
            return False
        return 0 <= now - trail.moves[-1] <= MEMORY_SECONDS

    def forget(self, path: str) -> Loops:
        """Return it without a path, whose writer mended it."""
        if path not in self.trails:
            return self
        return replace(self, trails={name: trail for name, trail in self.trails.items() if name != path})

    def as_json(self) -> dict[str, Any]:
        """Return the value that the store keeps."""
        return {path: [trail.sha256, *trail.moves] for path, trail in self.trails.items()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Self:
        """Return what the store kept; None is nothing."""
        return cls({path: _Trail(kept[0], tuple(kept[1:])) for path, kept in (value or {}).items()})
