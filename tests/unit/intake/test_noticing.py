"""What is kept of the events of an observer that watches the whole tree."""

from pathlib import Path

import pytest
from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedNoWriteEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
    FileSystemEvent,
)

from atomic_agents.intake.inbox import Died, Inbox
from atomic_agents.intake.noticing import WANTED, Noticed, TreeHandler

ROOT = Path("/vault")


def kept(event: FileSystemEvent) -> list[object]:
    inbox: Inbox[Noticed | Died] = Inbox()
    TreeHandler(ROOT, inbox, 7).dispatch(event)
    return inbox.drain(0)


@pytest.mark.parametrize(
    ("event", "noticed"),
    [
        (FileModifiedEvent("/vault/a/x.md"), [("a/x.md", False, False, False)]),
        (FileCreatedEvent("/vault/a/x.md"), [("a/x.md", False, True, False)]),
        (FileDeletedEvent("/vault/a/x.md"), [("a/x.md", False, False, True)]),
        (
            FileMovedEvent("/vault/a/x.tmp", "/vault/a/x.md"),
            [("a/x.tmp", False, False, True), ("a/x.md", False, True, False)],
        ),
        (FileMovedEvent("/elsewhere/x", "/vault/x.md"), [("x.md", False, True, False)]),
        (FileMovedEvent("/vault/x.md", "/elsewhere/x"), [("x.md", False, False, True)]),
        (DirCreatedEvent("/vault/a"), [("a", True, True, False)]),
        (DirDeletedEvent("/vault/a"), [("a", True, False, True)]),
        (DirMovedEvent("/vault/a", "/vault/b"), [("a", True, False, True), ("b", True, True, False)]),
        (FileModifiedEvent(b"/vault/caf\xe9.md"), [("caf\udce9.md", False, False, False)]),
        (FileModifiedEvent("/vault/.git/objects/x"), []),
        (FileModifiedEvent("/vault/a/_old/x.md"), []),
        (FileModifiedEvent("/vaults/x.md"), []),
        (DirCreatedEvent("/vault"), []),
    ],
)
def test_each_path_of_an_event_is_kept_for_itself(
    event: FileSystemEvent, noticed: list[tuple[object, ...]]
) -> None:
    assert kept(event) == [Noticed(7, *values) for values in noticed]


@pytest.mark.parametrize("event", [DirDeletedEvent("/vault"), DirMovedEvent("/vault", "/elsewhere")])
def test_the_end_of_the_root_is_the_end_of_hearing(event: FileSystemEvent) -> None:
    assert kept(event) == [Died(7, "the vault's root was moved, deleted or unmounted")]


@pytest.mark.parametrize("kind", [FileOpenedEvent, FileClosedNoWriteEvent])
def test_reads_are_not_asked_for(kind: type[FileSystemEvent]) -> None:
    assert not issubclass(kind, WANTED)
