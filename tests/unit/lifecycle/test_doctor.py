"""What `doctor` looks at around a vault and its service (contract section 8)."""

from __future__ import annotations

import os
from pathlib import Path

import filelock
import pytest

from atomic_agents.cli import examining, inspecting, located, planning, status
from atomic_agents.daemon.report import Report
from atomic_agents.daemon.status import Status
from atomic_agents.lifecycle import finding
from atomic_agents.lifecycle.manager import NoManagerError
from atomic_agents.lifecycle.rim import Done
from atomic_agents.lifecycle.systemd import Systemd
from atomic_agents.store import state_folder
from fakes.notes import note, put
from fakes.plans import plan
from fakes.rims import PlayedRim


def rows(run, *words: str) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    for check in run("doctor", "--json", *words).json["checks"]:
        found.setdefault(check["name"], []).append((check["grade"], check["said"], check["mend"]))
    return found


def test_the_doctor_finds_a_good_service_good(mac, run) -> None:
    run("service", "install", "--no-verify")
    found = rows(run)
    assert found["service"] == [("pass", f"{mac.file}: running", "")]
    assert found["daemon"][0][0] == "pass"
    assert found["locks"] == [("pass", f"daemon: process {os.getpid()}; vault lock: free", "")]


def test_the_doctor_names_what_mends_a_service(mac, run) -> None:
    assert rows(run)["service"] == [("warn", "none is installed for this vault", "atomicd service install")]
    run("service", "install", "--no-verify")
    run("service", "stop")
    mac.stop()
    found = rows(run)
    assert found["service"][0] == (
        "fail",
        "not-running: found not loaded, expected running",
        "atomicd service start",
    )
    assert found["daemon"][0][0] == "fail"


def test_the_doctor_looks_at_a_named_service(mac, run) -> None:
    run("service", "install", "--no-verify", "--name", "work")
    assert rows(run, "--name", "work")["service"][0][0] == "pass"


def test_the_doctor_tells_of_a_machine_without_a_manager(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise NoManagerError("neither systemd nor launchd", hint="run it in the foreground")

    monkeypatch.setattr(finding, "this_manager", none)
    assert rows(run)["service"] == [("warn", "neither systemd nor launchd", "run it in the foreground")]
    assert run("status").status == 0


def test_the_doctor_warns_of_a_protected_folder(mac, run) -> None:
    mac.vault = mac.folder / "home" / "Desktop" / "vault"
    put(mac.vault, "alpha/memory/feedback_a_rule.md", note())
    run("service", "install", "--no-verify")
    assert "Full Disk Access" in rows(run)["service"][1][1]


def test_a_state_that_this_user_may_not_read_is_told(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/state")

    monkeypatch.setattr(status, "read_report", refuse)
    done = run("status")
    assert (done.status, "ask as the user" in done.err) == (1, True)
    assert rows(run)["daemon"][0][:2] == ("fail", "/state: Permission denied")


def test_a_lock_that_somebody_else_holds_is_told() -> None:
    report = Report(Status("paused", "/v"), instance_pid=5, vault_lock_pid=9)
    check = examining.check_locks(report)
    assert (check.grade, check.mend) == ("warn", "ps -fp 9")


def test_a_log_that_cannot_be_read_or_holds_no_lines_is_told(tmp_path: Path) -> None:
    assert examining.check_errors(tmp_path / "none", "v").said == "no log yet"
    assert examining.check_errors(tmp_path, "v").grade == "warn"
    (tmp_path / "log").write_text('no json\n[1]\n{"level": "info"}\n')
    assert examining.check_errors(tmp_path / "log", "v").grade == "pass"


def test_a_notify_command_is_told_what_binds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Systemd(PlayedRim(), "user", folder=tmp_path)
    manager.file("").write_bytes(manager.render(plan(vault=str(tmp_path))))
    monkeypatch.setattr(located, "manager", lambda _scope: manager)
    monkeypatch.setattr(
        inspecting,
        "inspect",
        lambda *_: {"drift": [], "hints": [], "file": "f", "said": "s", "kind": "systemd user"},
    )
    found = list(examining.service(tmp_path, "", "user", has_notify=True))
    assert [check.name for check in found] == ["service", "notify command"]


@pytest.mark.parametrize(("linger", "told"), [("no", 1), ("yes", 0)])
def test_a_service_that_ends_at_the_logout_tells_the_command(linger: str, told: int) -> None:
    rims = PlayedRim(loginctl=lambda _words: Done(0, out=linger))
    found = inspecting.hints(rims, Systemd(rims, "user"), plan())
    assert len(found) == told
    assert all("loginctl enable-linger" in hint for hint in found)


@pytest.mark.parametrize(
    ("group", "wish", "expected"), [(0, None, True), (1, None, False), (1, True, True), (0, False, False)]
)
def test_namespaces_are_taken_where_they_work_and_the_group_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int, wish: bool | None, expected: bool
) -> None:
    monkeypatch.setattr(planning.os, "getegid", lambda: tmp_path.stat().st_gid + group)
    manager = Systemd(PlayedRim(systemd_run=lambda _words: Done(0)), "user")
    assert planning._sandbox(planning.Wish("", "user", sandbox=wish), manager, tmp_path) is expected
    assert not planning._sandbox(planning.Wish("", "system", sandbox=wish), manager, tmp_path)


def test_a_canary_waits_for_another_one_but_not_for_ever(mac, run) -> None:
    run("service", "install", "--no-verify")
    with filelock.FileLock(state_folder(mac.vault) / "verify.lock"):
        done = run("verify", "--timeout", "0.1")
    assert (done.status, "another check is under way" in done.err) == (1, True)
