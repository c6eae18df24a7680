"""The watcher where the system watches whole trees by itself (macOS): watchdog's observer, filtered here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from atomic_agents._io import make_folder
from atomic_agents.intake.canary import Canary
from atomic_agents.intake.changes import Changes
from atomic_agents.intake.events import Event, Lost, Overflow, Wake
from atomic_agents.intake.health import Condition, Health
from atomic_agents.intake.inbox import Died, Inbox, Spilled
from atomic_agents.intake.noticing import WANTED, CanaryHandler, Noticed, TreeHandler
from atomic_agents.intake.root_guard import RootGuard
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey

_JOIN_SECONDS: Final = 5.0


class _WholeTree:
    """Watches that need no keeping in step."""

    def is_watched(self, folder: str) -> bool:  # noqa: ARG002
        return False

    def watch(self, folder: str) -> None:
        """Do nothing: the system does."""

    def watch_again(self, folder: str) -> bool:  # noqa: ARG002
        return False

    def forget_below(self, folder: str) -> None:
        """Do nothing: the system does."""


class RecursiveWatcher:
    """Watches the whole tree at once; see `atomic_agents.intake.observer.Watcher`.

    Args:
        root: the vault's real path.
        canary: a folder of atomicd's own outside the vault, made if missing; a file in it is touched.
        mode: no difference here: file systems without events are not told apart on this system.
        observer: makes the observer.

    """

    def __init__(
        self,
        root: Path,
        canary: Path,
        *,
        mode: Literal["auto", "native"] = "auto",  # noqa: ARG002
        observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        self._root = root
        self._canary_file = canary / "canary"
        self._make_observer = observer
        self._inbox: Inbox[Noticed | Died] = Inbox()
        self._guard = RootGuard(root)
        self._layout = Layout()
        self._armings = 0
        self._changes = Changes(root, self._layout, _WholeTree())
        self._observer: BaseObserver | None = None
        self._canary = Canary()
        self._ear = CanaryHandler()
        self._heard = 0
        self._lost = ""
        self._resting = Health("poll", reason="not armed yet")

    def arm(self, layout: Layout) -> None:
        """Watch anew, with nothing left of former watches; a sweep has to follow."""
        self.stop()
        self._layout = layout
        self._changes = Changes(self._root, layout, _WholeTree())
        self._armings += 1
        self._guard.arm()
        self._inbox.reset()
        self._lost = ""
        self._canary, self._ear, self._heard = Canary(), CanaryHandler(), 0
        try:
            self._observer = self._start()
        except (OSError, RuntimeError) as error:
            reason = f"the vault cannot be watched: {error}; it is polled"
            self._resting = Health("poll", 0, Condition.LIMITED, reason)

    def stop(self) -> None:
        """End the observer; what was noticed and not taken is left to the next sweep."""
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(_JOIN_SECONDS)
            self._observer = None
        self._resting = Health("poll", reason="stopped")

    def wake(self) -> None:
        """End the worker's wait."""
        self._inbox.wake()

    def take(self, timeout: float) -> list[Event]:
        """Return what happened, each thing once; wait for the first."""
        return self._inbox.told(timeout, self._tell)

    def walk(self, survey: Survey) -> Iterator[Found]:
        """Walk the vault."""
        return self._guard.walk(self._layout, survey)

    def health(self, now: float) -> Health:
        """Say how the watching does."""
        mode: Literal["native", "poll"] = "native" if self._observer is not None else "poll"
        wrong_root = self._guard.check()
        if wrong_root is not None:
            return Health(mode, 0, *wrong_root)
        if self._observer is None:
            return self._resting
        if not self._lost:
            self._lost = self._check(self._observer, now)
        if self._lost:
            return Health(mode, 0, Condition.DEAF, self._lost)
        return Health(mode, 1)

    def _start(self) -> BaseObserver:
        make_folder(self._canary_file.parent)
        self._canary_file.touch()
        observer = self._make_observer()
        wanted = list(WANTED)
        try:
            handler = TreeHandler(self._root, self._inbox, self._armings)
            observer.schedule(handler, str(self._root), recursive=True, event_filter=wanted)
            observer.schedule(self._ear, str(self._canary_file.parent), event_filter=wanted)
            observer.start()
        except BaseException:
            observer.stop()
            raise
        return observer

    def _tell(self, item: Noticed | Died | Spilled | Wake) -> Iterator[Event]:
        if isinstance(item, Wake):
            yield item
        elif isinstance(item, Spilled):
            self.arm(self._layout)
            yield Overflow()
        elif item.arming != self._armings:
            return
        elif isinstance(item, Died):
            self._lost = item.reason
            yield Lost(item.reason)
        else:
            tell = self._changes.of_folder if item.is_folder else self._changes.of_file
            yield from tell(item.path, came=item.came, went=item.went)

    def _check(self, observer: BaseObserver, now: float) -> str:
        if not observer.is_alive() or not all(emitter.is_alive() for emitter in observer.emitters):
            return "a thread of the observer has ended"
        answer = self._canary.look(now, heard=self._ear.songs > self._heard)
        if answer == "deaf":
            return "a file was touched and the observer did not tell"
        if answer == "sing":
            self._heard = self._ear.songs
            return self._sing()
        return ""

    def _sing(self) -> str:
        try:
            os.utime(self._canary_file)
        except OSError as error:
            return f"{self._canary_file} cannot be touched: {error.strerror}"
        return ""
