"""What `status` adds to the heartbeat, and how it looks."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from atomic_agents.cli import showing
from atomic_agents.cli.showing import render, span, watch
from atomic_agents.cli.status import with_service
from atomic_agents.daemon.instance import Instance
from atomic_agents.daemon.report import Report, read_report
from atomic_agents.daemon.status import Now, Status, write_status
from atomic_agents.lifecycle.finding import Service
from atomic_agents.model import FileRecord, FileState, Kind, Problem, Stamp, iso
from atomic_agents.store import open_store
from atomic_agents.vault.kinds import Layout

START = 1_780_000_000.0
NOW = Now(START + 100_000, 1100.0)
RUNNING = Status("running", "/v", pid=5, version="1.0", units=3, started=iso(START), beat_monotonic=1099.0)


def remember(folder: Path, path: str, state: FileState, *severities: str) -> None:
    store = open_store(folder, now=START)
    problems = tuple(Problem(path, "x", severity, "f", "e", "fix") for severity in severities)
    record = FileRecord(path, Kind.NOTE, state, Stamp(1, 2, 3, 4, 5), "00" * 32, START, None, problems)
    with store.transaction():
        store.files.put(record, Layout().place(path), basename=path.rsplit("/", 1)[-1], name_key=None)
    store.close()


def text(report: Report) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    return out.getvalue()


def test_problems_are_counted_by_agent(tmp_path: Path) -> None:
    remember(tmp_path, "alpha/memory/feedback_a_b.md", FileState.ADOPTED, "error", "warning")
    remember(tmp_path, "alpha/memory/feedback_c_d.md", FileState.VALID, "warning")
    remember(tmp_path, "alpha/memory/feedback_e_f.md", FileState.VALID)
    remember(tmp_path, "beta/wiki/page.md", FileState.HELD, "error")
    write_status(tmp_path, dataclasses.replace(RUNNING, quarantined_by_agent={"gamma": 2}))
    agents = read_report(tmp_path, Path("/v"), NOW).as_json()["agents"]
    assert agents == {
        "alpha": {"errors": 1, "warnings": 2, "held": 0, "adopted": 1, "quarantined": 0},
        "beta": {"errors": 1, "warnings": 0, "held": 1, "adopted": 0, "quarantined": 0},
        "gamma": {"errors": 0, "warnings": 0, "held": 0, "adopted": 0, "quarantined": 2},
    }


def test_a_store_that_is_broken_tells_nothing_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite3").write_bytes(b"no database at all, but long enough to be looked at" * 20)
    assert read_report(tmp_path, Path("/v"), NOW).agents == {}


def test_uptime_locks_and_disk_are_told(tmp_path: Path) -> None:
    instance = Instance(tmp_path)
    instance.acquire(version="1.0", now=START)
    try:
        report = read_report(tmp_path, tmp_path, Now(START + 5, 1.0))
    finally:
        instance.release()
    values = report.as_json()
    assert values["uptime_seconds"] == 5
    assert values["locks"]["instance"] == report.status.pid
    assert values["locks"]["vault"] is None
    assert values["disk"]["state_free"] > 0


def test_a_vault_that_is_not_mounted_has_no_disk(tmp_path: Path) -> None:
    report = read_report(tmp_path / "none", tmp_path / "gone", NOW)
    assert (report.vault_free, report.state_free, report.uptime_seconds) == (None, None, None)
    assert "unknown vault" in text(report)


def test_the_contract_shape_is_kept(tmp_path: Path) -> None:
    values = read_report(tmp_path, Path("/v"), NOW).as_json()
    assert {
        "state", "reasons", "pid", "vault", "version", "heartbeat", "units", "quarantined", "held", "adopted",
        "queue", "last_sweep", "watch", "last_error",
    } <= set(values)  # fmt: skip
    assert set(values["watch"]) == {"mode", "watches"}


def test_people_see_state_reasons_holds_and_advice() -> None:
    told = dataclasses.replace(
        RUNNING,
        state="stale",
        reasons=("said nothing",),
        adopted=2,
        quarantined=1,
        holds=({"path": "a.md", "reason": "breaker"},),
        last_error="ENOSPC",
    )
    shown = text(
        Report(
            told,
            uptime_seconds=90_061,
            vault_lock_pid=9,
            agents={"": dict.fromkeys(("errors", "warnings", "held", "adopted", "quarantined"), 4)},
        )
    )
    for part in (
        "atomicd is stale",
        "said nothing",
        "5, up 1 d 1 h",
        "process 9",
        "ENOSPC",
        "(the vault)",
        "held: a.md (breaker)",
        "atomicd lint",
        "atomicd quarantine list",
        "service restart",
    ):
        assert part in shown, part


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3600, "1 h"),
        (3661, "1 h 1 min"),
        (90_061, "1 d 1 h"),
        (86_461, "1 d 1 min"),
    ],
)
def test_lengths_of_time_are_told_in_two_units(seconds: int, words: str) -> None:
    assert span(seconds) == words


class _Wait:
    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, seconds: float) -> None:
        assert seconds == 1.0
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_watching_as_json_gives_a_line_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    watch(lambda: Report(RUNNING), every=1.0, as_json=True, wait=_Wait(3))
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["running"] * 3


def test_watching_shows_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(showing, "console", lambda: Console(file=out, force_terminal=True, width=120))
    reports = iter([Report(RUNNING), Report(dataclasses.replace(RUNNING, state="degraded")), Report(RUNNING)])
    watch(lambda: next(reports), every=1.0, as_json=False, wait=_Wait(3))
    assert "atomicd is running" in out.getvalue()
    assert "atomicd is degraded" in out.getvalue()


def test_a_service_that_was_never_started_is_stopped_and_not_missing() -> None:
    service = Service("work", Path("/units/atomicd-work.service"), None)
    told = with_service(Status("not-installed", "/v"), service)
    assert told.state == "stopped"
    assert told.reasons == (
        "atomicd-work.service is installed and was never started: `atomicd service start --name work`",
    )


def test_a_stopped_service_names_the_command_that_starts_it() -> None:
    told = with_service(Status("stopped", "/v"), Service("", Path("/u/atomicd.service"), None))
    assert told.reasons == ("atomicd.service is installed and not running: `atomicd service start`",)


@pytest.mark.parametrize("state", ["running", "crashed", "paused"])
def test_other_states_are_left_as_they_are(state: str) -> None:
    told = Status(state, "/v")
    assert with_service(told, Service("", Path("/u/atomicd.service"), None)) is told
    assert with_service(told, None) is told
