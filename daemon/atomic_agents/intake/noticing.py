"""What watchdog's observer says of a whole tree: filtered and enqueued, nothing else (contract [D-1])."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final, NamedTuple

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)

from atomic_agents.intake.inbox import Died, Inbox
from atomic_agents.vault.ignore import is_content_folder

WANTED: Final[tuple[type[FileSystemEvent], ...]] = (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
)
"""Reads and opens are not among them: the daemon itself reads."""

_log = logging.getLogger(__name__)


class Noticed(NamedTuple):
    """A path that came, went or changed; `arming` tells which observer said so."""

    arming: int
    path: str
    is_folder: bool
    came: bool
    went: bool


class TreeHandler(FileSystemEventHandler):
    """Called by the observer's thread: it filters and enqueues, and never raises."""

    def __init__(self, root: Path, inbox: Inbox[Noticed | Died], arming: int) -> None:
        self._prefix = f"{str(root).rstrip('/')}/"
        self._inbox = inbox
        self._arming = arming

    def dispatch(self, event: FileSystemEvent) -> None:
        """Keep an event; a move is a path that went and one that came, each for itself."""
        try:
            self._notice(event)
        except Exception as error:  # noqa: BLE001 - the top of a thread
            _log.exception("the handler of the observer failed")
            self._inbox.put(Died(self._arming, f"the handler of the observer failed: {error!r}"))

    def _notice(self, event: FileSystemEvent) -> None:
        went = isinstance(event, DirDeletedEvent | FileDeletedEvent | DirMovedEvent | FileMovedEvent)
        came = isinstance(event, DirCreatedEvent | FileCreatedEvent)
        self._put(event.src_path, is_folder=event.is_directory, came=came, went=went)
        if event.dest_path:
            self._put(event.dest_path, is_folder=event.is_directory, came=True, went=False)

    def _put(self, raw: str | bytes, *, is_folder: bool, came: bool, went: bool) -> None:
        full = os.fsdecode(raw)
        if full + "/" == self._prefix:
            if went:
                self._inbox.put(Died(self._arming, "the vault's root was moved, deleted or unmounted"))
        elif full.startswith(self._prefix):
            path = full[len(self._prefix) :]
            if all(map(is_content_folder, path.split("/")[:-1])):
                self._inbox.put(Noticed(self._arming, path, is_folder, came, went))


class CanaryHandler(FileSystemEventHandler):
    """Counts what is heard of the canary."""

    def __init__(self) -> None:
        self.songs = 0
        """How often the canary was heard."""

    def dispatch(self, event: FileSystemEvent) -> None:  # noqa: ARG002
        """Count any event."""
        self.songs += 1
