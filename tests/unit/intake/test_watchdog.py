"""What is relied on of watchdog's inner parts: an update that changes it fails here first."""

import inspect
import os
import sys
import threading
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("inotify is for Linux", allow_module_level=True)

from watchdog.observers import inotify_c
from watchdog.observers.inotify_c import InotifyConstants, InotifyFD


class Ear:
    def __init__(self) -> None:
        self.events: list[inotify_c.InotifyEvent] = []
        self.deleted: list[int] = []
        self.came = threading.Event()

    def on_event(self, event: inotify_c.InotifyEvent) -> None:
        self.events.append(event)
        self.came.set()

    def on_watch_deleted(self, wd: int) -> None:
        self.deleted.append(wd)
        self.came.set()

    def on_queue_overflow(self) -> None:
        self.events.clear()
        self.came.set()


def test_the_signatures_are_as_they_were() -> None:
    assert list(inspect.signature(InotifyFD.add_callback).parameters) == [
        "self",
        "path",
        "mask",
        "callback",
        "id_",
    ]
    assert list(inspect.signature(InotifyFD.remove_callbacks).parameters) == ["self", "callbacks"]
    methods = {name for name in vars(inotify_c.WatchCallback) if name.startswith("on_")}
    assert methods == {"on_event", "on_watch_deleted", "on_queue_overflow"}


def test_one_thread_reads_and_a_callback_gets_descriptor_mask_and_name(tmp_path: Path) -> None:
    ear, reader = Ear(), InotifyFD()
    before = threading.active_count()
    reader.start()
    watch = reader.add_callback(os.fsencode(tmp_path), InotifyConstants.IN_CREATE, ear, 1)
    (tmp_path / "x").touch()
    assert ear.came.wait(5)
    assert threading.active_count() == before + 1
    event = ear.events[0]
    assert (event.wd, event.mask, event.name) == (watch, InotifyConstants.IN_CREATE, b"x")
    reader.stop()
    reader.join(5)
    assert not reader.is_alive()
    assert ear.deleted == [watch]


def test_an_overflow_is_a_call_and_not_only_a_line_in_the_log(tmp_path: Path) -> None:
    ear, reader = Ear(), InotifyFD()
    reader.add_callback(os.fsencode(tmp_path), InotifyConstants.IN_CREATE, ear, 1)
    reader.handle_event(inotify_c.InotifyEvent(-1, InotifyConstants.IN_Q_OVERFLOW, 0, b""))
    assert ear.came.is_set()
    reader._is_reading = False
    reader.close()


def test_a_folder_that_may_not_be_read_gets_minus_one_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> int:
        inotify_c.ctypes.set_errno(13)
        return -1

    reader = InotifyFD()
    monkeypatch.setattr(inotify_c, "inotify_add_watch", refuse)
    assert reader.add_callback(b"/x", InotifyConstants.IN_CREATE, Ear(), 1) == -1
    reader.remove_callbacks([(-1, 1)])
    reader._is_reading = False
    reader.close()


def test_handles_are_given_back_by_close_when_nobody_reads() -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    reader = InotifyFD()
    assert len(list(Path("/dev/fd").iterdir())) == before + 3
    reader._is_reading = False
    reader.close()
    assert len(list(Path("/dev/fd").iterdir())) == before
