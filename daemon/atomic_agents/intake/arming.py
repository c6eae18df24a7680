"""One arming of the inotify watcher: it hears until something is lost, and is then replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from watchdog.observers.inotify_c import InotifyConstants

from atomic_agents.intake.canary import Canary
from atomic_agents.intake.changes import Changes
from atomic_agents.intake.ear import IN_CAME, IN_ENDED, IN_SELF, IN_WENT, Ear, Heard
from atomic_agents.intake.events import Event, Lost, SweepWanted
from atomic_agents.intake.inbox import Died, Inbox
from atomic_agents.intake.watches import Watches
from atomic_agents.vault.kinds import Layout


class Arming:
    """The watches of one arming with what is known of their state.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        inbox: where the reading thread puts what it hears.
        number: tells what this arming hears from what former ones heard.
        canary: a folder outside the vault that is opened to hear whether anything is heard.

    Raises:
        OSError: there is no inotify instance to be had.

    """

    def __init__(
        self, root: Path, layout: Layout, inbox: Inbox[Heard | Died], *, number: int, canary: Path
    ) -> None:
        self._number = number
        self._folder = canary
        self._ear = Ear(inbox, number)
        self._heard = 0
        self.watches = Watches(root, layout, self._ear)
        self._canary = Canary() if self.watches.watch_canary(canary) else None
        self.watches.watch("")
        self._changes = Changes(root, layout, self.watches)
        self.lost = ""
        """Why nothing is heard any more; empty as long as all is well."""

    @property
    def has_heard(self) -> bool:
        """Whether the canary was ever heard."""
        return self._ear.songs > 0

    def close(self) -> None:
        """End the thread and all watches."""
        self.watches.close()

    def tell(self, item: Heard | Died) -> Iterator[Event]:
        """Yield what was heard means; nothing if a former arming heard it."""
        if item.arming != self._number:
            return
        for event in self._tell(item):
            if isinstance(event, Lost):
                self.lost = event.reason
            yield event

    def check(self, now: float) -> None:
        """Find out whether it still hears; `lost` says it then.

        Args:
            now: monotonic seconds.

        """
        if self.lost:
            return
        if not self.watches.is_alive():
            self.lost = "the thread that reads inotify has ended"
        elif self._canary is not None:
            self._ask(self._canary, now)

    def _tell(self, item: Heard | Died) -> Iterator[Event]:
        if isinstance(item, Died):
            yield Lost(item.reason)
            return
        folder = self.watches.folder(item.watch)
        if folder is None:
            return
        if not item.name:
            yield from self._tell_itself(folder, item)
            return
        path = f"{folder}/{item.name}" if folder else item.name
        came, went = bool(item.mask & IN_CAME), bool(item.mask & IN_WENT)
        if item.mask & InotifyConstants.IN_ISDIR:
            yield from self._changes.of_folder(path, came=came, went=went)
        else:
            yield from self._changes.of_file(path, came=came, went=went)

    def _tell_itself(self, folder: str, item: Heard) -> Iterator[Event]:
        if not item.mask & IN_ENDED:
            return
        if not folder:
            yield Lost("the vault's root was moved, deleted or unmounted")
        elif item.mask & IN_SELF:
            yield from self._changes.gone(folder)
        else:
            self.watches.forget(item.watch)
            yield SweepWanted("the system ended the watch of a folder: unmounted, or deleted unseen")

    def _ask(self, canary: Canary, now: float) -> None:
        answer = canary.look(now, heard=self._ear.songs > self._heard)
        if answer == "sing":
            self._heard = self._ear.songs
            self._sing()
        elif answer == "deaf":
            self.lost = "a folder was opened and inotify did not tell"

    def _sing(self) -> None:
        try:
            os.close(os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError as error:
            self.lost = f"the folder {self._folder} cannot be opened: {error.strerror}"
