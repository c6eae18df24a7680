"""What the watcher says to the worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Touched:
    """A unit or an INDEX was made, written, moved or deleted: look at this path when it has settled."""

    path: str


@dataclass(frozen=True, slots=True)
class FolderGone:
    """A folder was deleted or moved: look again at everything that is known below it."""

    path: str


@dataclass(frozen=True, slots=True)
class Editing:
    """An editor's trace beside a unit came, changed or went: its grace time starts again (contract [Q-1])."""

    path: str


@dataclass(frozen=True, slots=True)
class LayoutChanged:
    """`.atomicdignore` changed, or the root became or ceased to be an agent: read the layout, arm, sweep."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """Events were lost, and the watches are armed anew: sweep."""


@dataclass(frozen=True, slots=True)
class SweepWanted:
    """Something happened that only a sweep can sort out."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The watcher hears nothing any more: ask its health, arm it, sweep."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wake:
    """Somebody wants the worker: a signal, a request."""


Event: TypeAlias = Touched | FolderGone | Editing | LayoutChanged | Overflow | SweepWanted | Lost | Wake
