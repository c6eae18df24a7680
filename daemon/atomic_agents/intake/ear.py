"""The thread that reads inotify: it filters and enqueues, nothing else (contract [D-1])."""

from __future__ import annotations

import errno
import itertools
import logging
import os
from typing import Final, NamedTuple

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

from atomic_agents.intake.inbox import Died, Inbox
from atomic_agents.intake.telling import says_something
from atomic_agents.vault.ignore import is_content_file

IN_CAME: Final = InotifyConstants.IN_CREATE | InotifyConstants.IN_MOVED_TO
IN_WENT: Final = InotifyConstants.IN_DELETE | InotifyConstants.IN_MOVED_FROM
IN_CHANGED: Final = InotifyConstants.IN_MODIFY | InotifyConstants.IN_CLOSE_WRITE | InotifyConstants.IN_ATTRIB
IN_SELF: Final = InotifyConstants.IN_DELETE_SELF | InotifyConstants.IN_MOVE_SELF
IN_ENDED: Final = IN_SELF | InotifyConstants.IN_UNMOUNT | InotifyConstants.IN_IGNORED
FOLDER: Final = (
    IN_CAME | IN_WENT | IN_CHANGED | IN_SELF | InotifyConstants.IN_ONLYDIR | InotifyConstants.IN_EXCL_UNLINK
)
"""What is asked of a folder: no opens and reads, which the daemon itself makes."""

CANARY: Final = InotifyConstants.IN_OPEN | InotifyConstants.IN_ONLYDIR
"""What is asked of the canary's folder: opening it sings, wakes the worker, and writes nothing."""

_JOIN_SECONDS: Final = 5.0
_log = logging.getLogger(__name__)


class Heard(NamedTuple):
    """One event as the kernel gave it; `arming` tells which set of watches `watch` belongs to."""

    arming: int
    watch: int
    mask: int
    name: str


class Ear:
    """Called by the reading thread for each event.

    Args:
        inbox: where events go.
        arming: the number of this set of watches.

    """

    def __init__(self, inbox: Inbox[Heard | Died], arming: int) -> None:
        self._inbox = inbox
        self._arming = arming
        self.songs = 0
        """How often the canary was heard."""
        self.is_shut = False

    def on_event(self, event: InotifyEvent) -> None:
        """Keep an event if it can matter."""
        if event.mask & InotifyConstants.IN_OPEN:
            self.songs += 1
            self._inbox.wake()
            return
        name = os.fsdecode(event.name)
        if not name or event.mask & InotifyConstants.IN_ISDIR or self._is_wanted(name, event.mask):
            self._inbox.put(Heard(self._arming, event.wd, event.mask, name))

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Keep that the kernel ended a watch."""
        if not self.is_shut:
            self._inbox.put(Heard(self._arming, wd, InotifyConstants.IN_IGNORED, ""))

    def on_queue_overflow(self) -> None:
        """Keep that the kernel dropped events."""
        self._inbox.spill()

    def died(self, reason: str) -> None:
        """Keep that nothing will be heard any more."""
        self._inbox.put(Died(self._arming, reason))

    def _is_wanted(self, name: str, mask: int) -> bool:
        """Whether a name says something; one that came or went may be a link to a folder."""
        return says_something(name) or (not mask & IN_CHANGED and is_content_file(name))


class Reader(InotifyFD):
    """One inotify instance with its thread.

    Args:
        ear: called for each event.

    Raises:
        OSError: there are no more inotify instances.

    """

    def __init__(self, ear: Ear) -> None:
        super().__init__()
        os.set_inheritable(self._inotify_fd, False)  # noqa: FBT003
        self.name = "atomicd-inotify"
        self._ear = ear
        self._is_reading = False  # so that `close` gives the handles back if the thread never starts
        self._numbers = itertools.count()
        self._callbacks: dict[WatchDescriptor, CallbackId] = {}

    def run(self) -> None:
        """Read until told to stop; an error ends the thread and is told."""
        try:
            super().run()
        except Exception as error:  # noqa: BLE001 - the top of a thread
            _log.exception("the thread that reads inotify ended")
            self._is_reading = False  # nobody reads, so `close` has to give the handles back itself
            self._ear.died(f"the thread that reads inotify ended: {error!r}")

    def listen(self, path: bytes, mask: int) -> int:
        """Watch a folder and return its watch; one that is watched already keeps it.

        A callback number of its own for each call keeps watchdog from warning about a second one for the
        same folder, and a warning turned into an error from ending the thread.

        Raises:
            OSError: the kernel refuses.

        """
        number = CallbackId(next(self._numbers))
        watch = self.add_callback(path, Mask(mask), self._ear, number)
        former = self._callbacks.pop(watch, None)
        if former is not None:
            self.remove_callbacks([(watch, former)])
        if watch == -1:
            self.remove_callbacks([(watch, number)])
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fsdecode(path))
        self._callbacks[watch] = number
        return watch

    def unlisten(self, watch: int) -> None:
        """End a watch, also one that the kernel has ended already."""
        descriptor = WatchDescriptor(watch)
        number = self._callbacks.pop(descriptor, None)
        if number is not None:
            self.remove_callbacks([(descriptor, number)])

    def shut(self) -> None:
        """End the thread and all watches, and give the handles back."""
        self._ear.is_shut = True
        self.stop()
        if self.ident is not None:
            self.join(_JOIN_SECONDS)
