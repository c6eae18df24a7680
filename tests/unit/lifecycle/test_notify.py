"""What the service manager is told, and when (sd_notify(3))."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from atomic_agents.daemon.notify import ServiceManager, sentence, service_manager
from atomic_agents.daemon.status import Status
from fakes.clock import FakeClock

SWEPT = "2026-12-01T10:00:00.000+00:00"
STARTING = Status("starting", "/v")
RUNNING = Status("running", "/v", units=7, last_sweep=SWEPT)


class Told:
    """Keeps the messages; `is_there` is whether somebody takes them."""

    def __init__(self, *, watchdog: float | None = 60.0) -> None:
        self.messages: list[str] = []
        self.clock = FakeClock()
        self.is_there = True
        self.manager = ServiceManager(self._send, self.clock, watchdog_seconds=watchdog)

    def _send(self, text: str) -> bool:
        self.messages.append(text)
        return self.is_there

    def take(self) -> list[str]:
        found, self.messages[:] = list(self.messages), []
        return found


def test_ready_comes_once_after_the_first_sweep() -> None:
    told = Told()
    told.manager.hear(STARTING)
    told.manager.hear(RUNNING)
    told.manager.hear(RUNNING)
    assert [("READY=1" in message) for message in told.take()] == [False, True, False]


def test_a_paused_start_is_not_ready() -> None:
    told = Told()
    told.manager.hear(Status("paused", "/v", ("not there",)))
    assert told.take() == ["STATUS=paused: 0 units, 0 quarantined, 0 held, 0 waiting; not there"]


def test_a_degraded_daemon_is_ready_too() -> None:
    told = Told()
    told.manager.hear(Status("degraded", "/v", ("why",), last_sweep=SWEPT))
    assert "READY=1" in told.take()[0]


def test_ready_is_said_again_until_it_got_through() -> None:
    told = Told()
    told.is_there = False
    told.manager.hear(RUNNING)
    told.is_there = True
    told.manager.hear(RUNNING)
    told.manager.hear(RUNNING)
    assert [("READY=1" in message) for message in told.take()] == [True, True, False]


def test_a_start_that_makes_progress_gets_more_time() -> None:
    told = Told()
    told.manager.alive()
    assert told.take() == ["EXTEND_TIMEOUT_USEC=60000000"]


def test_the_watchdog_is_fed_by_steps_of_the_worker_and_by_nothing_else() -> None:
    told = Told()
    told.manager.hear(RUNNING)
    told.take()
    told.clock.advance(100)
    assert told.take() == []
    told.manager.alive()
    told.manager.alive()
    assert told.take() == ["WATCHDOG=1"]


def test_a_short_watchdog_is_fed_four_times_as_often() -> None:
    told = Told(watchdog=2.0)
    told.manager.hear(RUNNING)
    told.take()
    for _ in range(20):
        told.clock.advance(0.1)
        told.manager.alive()
    assert len(told.take()) == 4


def test_no_watchdog_is_fed_where_none_watches() -> None:
    told = Told(watchdog=None)
    told.manager.hear(RUNNING)
    told.take()
    told.clock.advance(100)
    told.manager.alive()
    assert told.take() == []


@pytest.mark.parametrize("state", ["stopped", "crashed"])
def test_the_end_is_told(state: str) -> None:
    told = Told()
    told.manager.hear(Status(state, "/v", last_sweep=SWEPT))
    assert told.take()[0].endswith("STOPPING=1")


def test_a_reload_is_told_with_its_time_and_ends_with_ready() -> None:
    told = Told()
    told.manager.hear(RUNNING)
    told.take()
    told.manager.reloading()
    told.manager.alive()
    told.manager.hear(RUNNING)
    assert told.take() == [
        f"RELOADING=1\nMONOTONIC_USEC={told.clock.monotonic() * 1_000_000:.0f}",
        "WATCHDOG=1",
        "STATUS=running: 7 units, 0 quarantined, 0 held, 0 waiting\nREADY=1",
    ]


def test_a_reload_before_ready_is_not_told() -> None:
    told = Told()
    told.manager.reloading()
    assert told.take() == []


def test_a_status_is_one_line_of_bounded_length() -> None:
    text = sentence(Status("degraded", "/v", ("a\nREADY=1", "x" * 1000)))
    assert "\n" not in text
    assert len(text) <= 401


@pytest.fixture
def listener(request: pytest.FixtureRequest, tmp_path: Path):
    address = str(tmp_path / "notify") if request.param == "path" else f"@atomicd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(address if request.param == "path" else f"\0{address[1:]}")
        channel.settimeout(5)
        yield channel, address


@pytest.mark.parametrize("listener", ["path", "abstract"], indirect=True)
def test_messages_arrive_at_sockets_of_both_kinds(listener: tuple[socket.socket, str]) -> None:
    channel, address = listener
    environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000", "HOME": "/h"}
    manager = service_manager(environment, FakeClock())
    manager.hear(RUNNING)
    assert channel.recv(4096).decode().endswith("READY=1")
    manager.alive()
    assert channel.recv(4096) == b"WATCHDOG=1"
    assert environment == {"HOME": "/h"}


def test_a_manager_that_is_gone_never_stops_the_work(tmp_path: Path) -> None:
    manager = service_manager({"NOTIFY_SOCKET": str(tmp_path / "gone")}, FakeClock())
    manager.hear(RUNNING)
    manager.alive()


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative"])
def test_without_a_socket_there_is_nobody_to_tell(address: str) -> None:
    assert service_manager({"NOTIFY_SOCKET": address}, FakeClock()) is None


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"WATCHDOG_USEC": "60000000"}, True),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, True),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, False),
        ({"WATCHDOG_USEC": "0"}, False),
        ({"WATCHDOG_USEC": "soon"}, False),
        ({}, False),
    ],
)
def test_the_watchdog_is_ours_only_if_it_says_so(variables: dict[str, str], expected: bool) -> None:
    manager = service_manager({"NOTIFY_SOCKET": "/nowhere", **variables}, FakeClock())
    assert manager._watched is expected
