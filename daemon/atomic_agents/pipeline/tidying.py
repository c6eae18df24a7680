"""Letting old versions go, a little at a time, at most once an hour (contract [Q-5])."""

from __future__ import annotations

from typing import Final

from atomic_agents.log import Event
from atomic_agents.pipeline.bench import AT_ONCE, Bench
from atomic_agents.store.retention import DAY_SECONDS, Ages, superfluous
from atomic_agents.store.versions import Aged, Versions

TIDIED_AT: Final = "tidied_at"
"""Fact: wall time of the last whole pass, seconds since the epoch."""

EVERY_SECONDS: Final = 3600.0
SLICE_SECONDS: Final = 0.05
"""Longest time that one slice of a pass takes; the worker does other things in between."""

_PATHS: Final = 50
_VERSIONS: Final = 200


class Tidying:
    """Thins the history by age, and then by size.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._after: str | None = None
        self._oldest: Aged | None = None
        self._is_by_size = False
        self._dropped = 0

    def want(self) -> None:
        """Begin a pass if the last one is an hour ago; a clock that was set back does not stop it."""
        wall = self._bench.clock.wall()
        last = self._bench.store.facts.get(TIDIED_AT, 0.0)
        if not self.is_running() and not 0 <= wall - last < EVERY_SECONDS:
            self._after, self._oldest, self._dropped = "", None, 0

    def is_running(self) -> bool:
        """Whether a pass is not done yet."""
        return self._after is not None or self._is_by_size

    def next_due(self) -> float | None:
        """Return the monotonic time of the next slice."""
        return AT_ONCE if self.is_running() else None

    def tend(self) -> None:
        """Do a slice of a pass."""
        until = self._bench.clock.monotonic() + SLICE_SECONDS
        while self.is_running():
            with self._bench.store.transaction():
                self._step()
            if self._bench.clock.monotonic() >= until:
                return

    def _step(self) -> None:
        if self._after is not None:
            self._after = self._thin(self._after)
            self._is_by_size = self._after is None
            return
        self._is_by_size = self._shorten()
        if not self._is_by_size:
            self._finish()

    def _thin(self, after: str) -> str | None:
        """Thin some paths by age; return the last of them, None when none is left."""
        wall, settings = self._bench.clock.wall(), self._bench.config.history
        ages = Ages(settings.all_days, settings.daily_days)
        versions = self._bench.store.versions
        paths = versions.paths_with_old(after, wall - ages.all_days * DAY_SECONDS, _PATHS)
        for path in paths:
            self._dropped += thin(versions, path, wall, ages)
        return paths[-1] if paths else None

    def _shorten(self) -> bool:
        """Let the oldest versions go while all are too large; return whether to go on."""
        versions, most = self._bench.store.versions, self._bench.config.history.max_bytes
        oldest = versions.by_age(self._oldest, _VERSIONS) if versions.packed_bytes() > most else []
        for version in oldest:
            self._oldest = version
            if versions.may_go(version):
                versions.drop(version)
                self._dropped += 1
                if versions.packed_bytes() <= most:
                    return False
        return bool(oldest)

    def _finish(self) -> None:
        store = self._bench.store
        store.facts.put(TIDIED_AT, self._bench.clock.wall())
        if self._dropped:
            size = store.versions.packed_bytes()
            self._bench.log.info(Event.HISTORY_THINNED, versions=self._dropped, bytes=size)


def thin(versions: Versions, path: str, now: float, ages: Ages) -> int:
    """Drop the versions of one path that are superfluous, and return how many.

    Args:
        versions: the kept ones; the caller holds the transaction.
        path: relative to the vault.
        now: wall time, seconds since the epoch.
        ages: the steps of the retention.

    """
    kept = versions.ages(path)
    good = [position for position, (_version, is_good) in enumerate(kept) if is_good]
    gone = superfluous([version.recorded for version, _is_good in kept], now, ages, keep=good[-1:])
    for position in gone:
        versions.drop(kept[position][0])
    return len(gone)
