"""A vault that is really watched, and waiting for what the watcher says with a limit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

from atomic_agents.intake.events import Event, Touched, Wake
from atomic_agents.intake.observer import Watcher
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.root import read_layout
from atomic_agents.vault.walk import Survey

LIMIT_SECONDS = 10.0
_MARKERS = "zz/memory/marker_"
_numbers = itertools.count()


class Watched:
    """A vault with an armed watcher; events are collected until they show what is waited for.

    Args:
        root: the vault.
        watcher: not armed yet.

    """

    def __init__(self, root: Path, watcher: Watcher) -> None:
        self.root = root
        self.watcher = watcher
        self.events: list[Event] = []
        (root / "zz" / "memory").mkdir(parents=True, exist_ok=True)
        self.sweep(read_layout(root))

    def sweep(self, layout: Layout | None = None) -> list[str]:
        """Arm, walk, and return the paths that were found."""
        self.watcher.arm(layout if layout is not None else read_layout(self.root))
        return sorted(found.place.path for found in self.watcher.walk(Survey()))

    def kernel_watches(self) -> int:
        """Return how many inotify watches the kernel holds for the native watcher, and check watchdog's books."""
        reader = self.watcher._arming.watches._reader
        assert all(len(watch.callbacks) == 1 for watch in reader._watch_for_wd.values())
        info = Path(f"/proc/self/fdinfo/{reader._inotify_fd}").read_text()
        number = info.count("inotify wd:")
        assert len(reader._watch_for_wd) == len(reader._callbacks) == number
        return number

    def make(self, path: str, text: str = "text") -> Path:
        """Write a file in place, with its folders."""
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)
        return full

    def until(self, holds: Callable[[list[Event]], bool]) -> list[Event]:
        """Collect until it holds, and return what came since the last time."""
        end = time.monotonic() + LIMIT_SECONDS
        events: list[Event] = []
        while not holds(events):
            assert time.monotonic() < end, f"not told in time; told was {events}"
            events += self.watcher.take(0.05)
        return events

    def told(self) -> list[Event]:
        """Return everything that was told of what happened up to now: a last write comes after it.

        A wake is left out: the canary of `health` makes some.
        """
        marker = f"{_MARKERS}{next(_numbers)}.md"
        self.make(marker)
        events = self.until(lambda events: Touched(marker) in events)
        return [
            event
            for event in events
            if not isinstance(event, Wake) and not getattr(event, "path", "").startswith(_MARKERS)
        ]

    def touched(self) -> set[str]:
        """Return the paths that were told to be touched up to now."""
        return {event.path for event in self.told() if isinstance(event, Touched)}
