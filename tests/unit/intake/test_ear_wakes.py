"""Opening the canary's folder wakes the worker: how a command's request is noticed at once."""

from __future__ import annotations

import sys

import pytest

from atomic_agents.intake.events import Wake
from atomic_agents.intake.inbox import Inbox

if sys.platform != "linux":
    pytest.skip("inotify is Linux's", allow_module_level=True)

from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent

from atomic_agents.intake.ear import Ear


def test_a_song_of_the_canary_wakes_the_worker():
    inbox = Inbox()
    ear = Ear(inbox, 1)
    ear.on_event(InotifyEvent(1, InotifyConstants.IN_OPEN | InotifyConstants.IN_ISDIR, 0, b""))
    assert ear.songs == 1
    assert [type(item) for item in inbox.drain(0)] == [Wake]
