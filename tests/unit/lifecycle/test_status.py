"""Every state of `status`, told from the state folder (contract section 8)."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents.daemon.instance import Instance
from atomic_agents.daemon.status import (
    CHECK_CODES,
    FILE,
    Now,
    Status,
    read_status,
    record_failure,
    write_status,
)
from atomic_agents.exceptions import ConfigError
from atomic_agents.model import iso

VAULT = Path("/v")
START = 1_780_000_000.0
NOW = Now(START + 100, 1100.0)
LIVE = Status(
    "running", "/v", pid=os.getpid(), started=iso(START), heartbeat=iso(START + 98), beat_monotonic=1098.0
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    instance = Instance(tmp_path)
    instance.acquire(version="1.0", now=START)
    yield tmp_path
    instance.release()


def read(folder: Path, now: Now = NOW) -> Status:
    return read_status(folder, VAULT, now)


def test_a_vault_that_no_daemon_ever_saw_is_not_installed(tmp_path: Path) -> None:
    assert read(tmp_path / "none").state == "not-installed"
    assert CHECK_CODES["not-installed"] == 3


def test_a_daemon_that_ended_as_asked_is_stopped(tmp_path: Path) -> None:
    write_status(tmp_path, dataclasses.replace(LIVE, state="stopped", reasons=("old",)))
    told = read(tmp_path)
    assert (told.state, told.pid, told.reasons) == ("stopped", None, ())


def test_a_daemon_that_said_nothing_yet_is_starting(running: Path) -> None:
    told = read(running, Now(START + 1, 1001.0))
    assert (told.state, told.pid, told.version) == ("starting", os.getpid(), "1.0")


def test_a_daemon_that_never_says_anything_is_stale(running: Path) -> None:
    told = read(running)
    assert told.state == "stale"
    assert "started 100 s ago and said nothing" in told.reasons[0]


@pytest.mark.parametrize("state", ["running", "degraded", "paused", "starting"])
def test_a_fresh_heartbeat_is_believed(running: Path, state: str) -> None:
    write_status(running, dataclasses.replace(LIVE, state=state, reasons=("why",)))
    assert read(running).state == state
    assert read(running).reasons == ("why",)


def test_an_old_heartbeat_of_a_living_process_is_stale(running: Path) -> None:
    write_status(running, dataclasses.replace(LIVE, reasons=("why",)))
    told = read(running, Now(START + 200, 1200.0))
    assert told.state == "stale"
    assert told.reasons == ("the worker said nothing for 102 s, expected a sign every 5 s", "why")
    assert CHECK_CODES["stale"] == 1


@pytest.mark.parametrize("jump", [-7200.0, 7200.0])
def test_a_wall_clock_that_was_set_makes_no_heartbeat_older_or_younger(running: Path, jump: float) -> None:
    write_status(running, LIVE)
    assert read(running, Now(START + 100 + jump, 1100.0)).state == "running"
    assert read(running, Now(START + 100 + jump, 1200.0)).state == "stale"


def test_a_heartbeat_without_a_monotonic_time_is_judged_by_its_file(running: Path) -> None:
    write_status(running, dataclasses.replace(LIVE, beat_monotonic=None))
    os.utime(running / FILE, (START, START))
    assert read(running, Now(START + 10, 0.0)).state == "running"
    assert read(running, Now(START + 40, 0.0)).state == "stale"


def test_a_killed_daemon_has_crashed(tmp_path: Path) -> None:
    write_status(tmp_path, LIVE)
    told = read(tmp_path)
    assert (told.state, told.pid) == ("crashed", None)
    assert told.reasons == ("it was killed, or the machine went down",)
    assert CHECK_CODES["crashed"] == 2


def test_an_old_error_is_not_taken_for_the_cause_of_a_kill(tmp_path: Path) -> None:
    write_status(tmp_path, dataclasses.replace(LIVE, last_error="ENOSPC hours ago"))
    assert read(tmp_path).reasons == ("it was killed, or the machine went down",)


def test_a_crash_tells_its_error(tmp_path: Path) -> None:
    write_status(tmp_path, dataclasses.replace(LIVE, state="crashed", last_error="KeyError: 'x'"))
    assert read(tmp_path).reasons == ("KeyError: 'x'",)


def test_the_status_of_a_former_daemon_is_not_taken_for_the_new_one(running: Path) -> None:
    write_status(running, dataclasses.replace(LIVE, pid=1, state="degraded"))
    assert read(running, Now(START + 1, 1001.0)).state == "starting"


def test_a_pid_that_comes_again_is_told_by_the_start(running: Path) -> None:
    write_status(running, dataclasses.replace(LIVE, started=iso(START - 500), state="stopped"))
    assert read(running, Now(START + 1, 1001.0)).state == "starting"


def test_a_daemon_about_to_leave_is_not_taken_for_one_that_starts(running: Path) -> None:
    write_status(running, dataclasses.replace(LIVE, state="stopped"))
    assert read(running).state == "stopped"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', "null"])
def test_a_status_file_that_makes_no_sense_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert read(tmp_path).state == "not-installed"


def test_fields_of_a_newer_version_are_left_out(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"state": "stopped", "vault": "/v", "colour": "red"}')
    assert read(tmp_path).state == "stopped"


def test_a_failed_start_is_remembered_with_its_hint_and_the_counts_stay(tmp_path: Path) -> None:
    write_status(tmp_path, dataclasses.replace(LIVE, state="stopped", units=7))
    record_failure(tmp_path, VAULT, ConfigError("no TOML", hint="compare it"))
    told = read(tmp_path)
    assert (told.state, told.last_error, told.units) == ("crashed", "no TOML (compare it)", 7)


def test_a_failed_start_makes_no_state_for_a_vault_that_has_none(tmp_path: Path) -> None:
    record_failure(tmp_path / "none", VAULT, ConfigError("no TOML"))
    assert not (tmp_path / "none").exists()


def test_a_first_start_that_fails_on_a_vault_that_is_there_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    record_failure(tmp_path / "none", tmp_path / "vault", ConfigError("no TOML"))
    assert read(tmp_path / "none").last_error == "no TOML"


def test_a_failed_second_start_says_nothing_of_the_first(running: Path) -> None:
    write_status(running, LIVE)
    record_failure(running, VAULT, ConfigError("no TOML"))
    assert read(running).state == "running"


def test_a_failed_first_start_is_remembered_too(tmp_path: Path) -> None:
    record_failure(tmp_path, VAULT, ConfigError("no TOML"))
    assert read(tmp_path).state == "crashed"


def test_every_state_has_an_exit_code() -> None:
    assert set(CHECK_CODES) == {
        "running", "starting", "paused", "degraded", "stale", "stopped", "crashed", "not-installed",
    }  # fmt: skip
