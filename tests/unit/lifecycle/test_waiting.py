"""Waiting for a vault that is not there yet (LC09)."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from atomic_agents.daemon import waiting
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.status import Status
from atomic_agents.daemon.waiting import wait_for_vault
from atomic_agents.store import state_folder


class Listener:
    def __init__(self, act) -> None:
        self.heard: list[Status] = []
        self.lives = 0
        self._act = act

    def alive(self) -> None:
        self.lives += 1

    def hear(self, status: Status) -> None:
        self.heard.append(status)
        if len(self.heard) == 2:
            self._act()

    def reloading(self) -> None:
        raise AssertionError("nothing is reloaded while waiting")


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple[str, dict]] = []

    def warning(self, event: str, **facts: object) -> None:
        self.lines.append((event, facts))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(waiting, "_FIRST_SECONDS", 0.01)
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def orders():
    made = Orders(lambda: None)
    yield made
    made.ignore_signals()


def test_it_waits_until_the_vault_is_there_and_makes_none(tmp_path: Path, orders: Orders) -> None:
    root, log = tmp_path / "vault", Log()
    listener = Listener(root.mkdir)
    assert wait_for_vault(root, log, orders, listener)
    assert {status.state for status in listener.heard} == {"paused"}
    assert listener.heard[0].reasons == (f"vault {root}: not there; waiting for it",)
    assert listener.lives >= 2
    assert [event for event, _ in log.lines] == ["daemon.paused"]


def test_a_signal_ends_the_waiting(tmp_path: Path, orders: Orders) -> None:
    listener = Listener(lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert not wait_for_vault(tmp_path / "vault", Log(), orders, listener)
    assert listener.heard[-1].state == "stopped"
    assert not (tmp_path / "vault").exists()


def test_a_status_that_cannot_be_written_does_not_end_it(
    tmp_path: Path, orders: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(waiting, "write_status", refuse)
    log = Log()
    assert wait_for_vault(tmp_path / "vault", log, orders, Listener((tmp_path / "vault").mkdir))
    assert ("daemon.failed", {"reason": "status file: No space left on device"}) in log.lines


def test_nobody_needs_to_listen(tmp_path: Path, orders: Orders) -> None:
    root = tmp_path / "vault"
    timer = threading.Timer(0.05, root.mkdir)
    timer.start()
    assert wait_for_vault(root, Log(), orders)
    timer.join()


def test_two_do_not_wait_for_one_vault(tmp_path: Path, orders: Orders) -> None:
    root = tmp_path / "vault"

    def look() -> None:
        assert (state_folder(root) / "status.json").exists()
        with pytest.raises(Exception, match="runs on this vault already"):
            wait_for_vault(root, Log(), Orders(lambda: None))
        root.mkdir()

    assert wait_for_vault(root, Log(), orders, Listener(look))
