"""`atomicd service` on a Mac that is played: what is checked, told and printed (contract section 11)."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import shutil
import sys

import pytest

from atomic_agents.cli import inspecting, installing, main
from atomic_agents.lifecycle import rim
from fakes.notes import note, put
from fakes.pages import DOCS, commands

LABEL = "io.atomic-agents.atomicd"


def test_an_installation_says_what_it_did(mac, run) -> None:
    done = run("service", "install", "--no-verify")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"Installed {mac.file} (launchd user).")
    assert plistlib.loads(mac.file.read_bytes())["ProgramArguments"][0] == sys.executable


def test_a_second_one_has_nothing_to_change(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("service", "install", "--no-verify")
    monkeypatch.setattr(installing, "_check_alone", lambda *_: None)
    assert run("service", "install", "--no-verify", "--json").json["change"] == "none"


def test_a_canary_that_fails_is_told_and_counts(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        installing, "_verify", lambda _root: {"ok": False, "error": "not indexed", "hint": ""}
    )
    done = run("service", "install")
    assert (done.status, "the canary failed: not indexed" in done.out) == (1, True)


def test_a_canary_that_comes_back_is_told(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_verify", lambda _root: {"ok": True, "indexed_ms": 5, "removed_ms": 6})
    done = run("service", "install")
    assert (done.status, "indexed after 5 ms" in done.out) == (0, True)


def test_a_dry_run_names_every_step_and_takes_none(mac, run) -> None:
    done = run("service", "install", "--dry-run")
    assert done.status == 0
    assert f"would: launchctl bootstrap gui/501 {mac.file}" in done.out
    assert not mac.file.exists()
    assert mac.launchctl.changes() == []


def test_a_daemon_that_crashes_leaves_nothing_and_tells_why(mac, run) -> None:
    mac.says = {
        "state": "crashed",
        "last_error": "vault: cannot be read: Operation not permitted (Full Disk Access)",
    }
    done = run("service", "install")
    assert done.status == 75
    assert "Full Disk Access" in done.err
    assert "nothing was left installed" in done.err
    assert not mac.file.exists()


def test_a_daemon_that_gives_no_sign_is_given_up(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    mac.says = {}
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(rim.RealRim, "monotonic", lambda _self: float(next(clock)))
    done = run("service", "install")
    assert (done.status, "no sign of the daemon" in done.err) == (75, True)


def test_a_long_first_sweep_is_told(mac, run, monkeypatch: pytest.MonkeyPatch) -> None:
    mac.says = {"state": "starting"}
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(rim.RealRim, "monotonic", lambda _self: float(next(clock)))
    monkeypatch.setattr(installing, "_check_alone", lambda *_: None)
    mac.hold()
    done = run("service", "install")
    assert (done.status, "first sweep still runs" in done.out) == (0, True)


def test_a_daemon_in_a_terminal_is_not_pushed_aside(mac, run) -> None:
    mac.hold()
    done = run("service", "install")
    assert (done.status, f"process {os.getpid()} runs on this vault outside" in done.err) == (69, True)


def test_a_vault_that_has_a_service_gets_no_second_one(mac, run) -> None:
    run("service", "install", "--no-verify")
    mac.stop()
    done = run("service", "install", "--name", "other")
    assert (done.status, "a service for this vault already" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--name", "No"), 64, "service name"),
        (("--run-as", "ada"), 64, "--run-as needs --system"),
        (("--system", "--run-as", "nobody-of-this-name"), 64, "not known"),
    ],
)
def test_what_makes_no_sense_is_refused(run, words: tuple[str, ...], code: int, said: str) -> None:
    done = run("service", "install", *words)
    assert (done.status, said in done.err) == (code, True)


def test_a_wrong_configuration_is_refused_before_anything_is_written(mac, run) -> None:
    config = mac.folder / "c.toml"
    config.write_text("[settle]\nquiet = 1\n")
    done = run("--config", str(config), "service", "install")
    assert (done.status, "settle.quiet" in done.err, mac.file.exists()) == (78, True, False)


def test_a_missing_vault_is_refused(mac, run) -> None:
    shutil.rmtree(mac.vault)
    assert run("service", "install").status == 66


def test_the_configuration_of_the_environment_is_named_in_the_service(
    mac, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = mac.folder / "c.toml"
    config.write_text("")
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    assert str(config) in run("service", "print").out


def test_print_shows_what_would_be_written(mac, run) -> None:
    plist = plistlib.loads(run("service", "print", "--name", "work").out.encode())
    assert plist["Label"] == f"{LABEL}.work"
    assert not mac.file.exists()


def test_a_system_service_keeps_its_state_where_systems_do(mac, run) -> None:
    plist = plistlib.loads(run("service", "print", "--system").out.encode())
    assert plist["EnvironmentVariables"]["ATOMICD_STATE_DIR"].endswith("/lib/atomicd")
    assert plist["UserName"] == "root" or plist["UserName"]


def test_start_stop_restart_are_told(mac, run) -> None:
    run("service", "install", "--no-verify")
    assert run("service", "stop").out == f"{mac.file.name}: stopped\n"
    assert mac.launchctl.job(LABEL) is None
    assert run("service", "start").out == f"{mac.file.name}: started\n"
    assert run("service", "restart", "--json").json == {
        "action": "restart",
        "name": "",
        "dry_run": False,
        "steps": [],
    }
    assert run("service", "stop", "--dry-run").out == f"  would: launchctl bootout gui/501/{LABEL}\n"
    assert mac.launchctl.job(LABEL) is not None


@pytest.mark.parametrize("action", ["start", "stop", "restart"])
def test_what_is_not_installed_cannot_be_started_or_stopped(run, action: str) -> None:
    done = run("service", action)
    assert (done.status, "not installed" in done.err) == (1, True)


def test_a_file_that_is_none_of_ours_is_not_acted_on(mac, run) -> None:
    mac.file.parent.mkdir()
    mac.file.write_text("mine")
    done = run("service", "start")
    assert (done.status, "no property list of atomicd" in done.err) == (1, True)


def test_the_status_of_a_good_service(mac, run) -> None:
    run("service", "install", "--no-verify")
    found = run("service", "status", "--json")
    assert found.status == 0
    values = found.json
    assert (values["installed"], values["enabled"], values["active"], values["daemon"]) == (
        True,
        True,
        True,
        "running",
    )
    assert values["drift"] == []
    assert "running" in run("service", "status").out


def test_the_status_of_a_service_that_is_not_there(mac, run) -> None:
    found = run("service", "status")
    assert (found.status, "not installed" in found.out) == (1, True)


def test_the_status_names_drift_and_what_mends_it(mac, run) -> None:
    run("service", "install", "--no-verify")
    run("service", "stop")
    found = run("service", "status")
    assert (found.status, "not-running" in found.out, "mend it: atomicd service start" in found.out) == (
        1,
        True,
        True,
    )


def test_the_status_of_a_foreign_file_is_told(mac, run) -> None:
    mac.file.parent.mkdir()
    mac.file.write_text("mine")
    assert [one["code"] for one in run("service", "status", "--json").json["drift"]] == ["unit-foreign"]


def test_an_uninstallation_names_what_stays(mac, run) -> None:
    run("service", "install", "--no-verify")
    dry = run("service", "uninstall", "--dry-run")
    assert f"would: rm {mac.file}" in dry.out
    assert mac.file.exists()
    done = run("service", "uninstall")
    assert f"Removed {mac.file}." in done.out
    assert f"Kept the state in {mac.folder / 'state'}" in done.out
    assert not mac.file.exists()
    assert "not installed" in run("service", "uninstall").out


def test_a_protected_folder_is_told_with_program_and_settings_page(
    mac, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mac.vault = mac.folder / "home" / "Documents" / "vault"
    put(mac.vault, "alpha/memory/feedback_a_rule.md", note())
    (hint,) = run("service", "install", "--no-verify", "--json").json["hints"]
    assert "Full Disk Access" in hint
    assert inspecting.interpreter_binary() in hint


def test_status_finds_the_vault_and_the_state_of_a_named_service(
    mac, run, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    run("service", "install", "--name", "work", "--no-verify")
    monkeypatch.setenv("ATOMICD_STATE_DIR", "/elsewhere")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["status", "--name", "work", "--json"])
    assert json.loads(capsys.readouterr().out)["vault"] == str(mac.vault)


def test_the_commands_of_the_page_for_macs_work_in_their_order(
    mac, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installing, "_verify", lambda _root: {"ok": True, "indexed_ms": 5, "removed_ms": 6})
    monkeypatch.setattr(installing, "_check_alone", lambda *_: None)
    work = mac.folder / "home" / "work-agents"
    put(work, "alpha/memory/feedback_a_rule.md", note())
    for line in commands("service-macos.md"):
        words = shlex.split(line.replace("~/", f"{mac.folder}/home/"))
        assert words[0] == "atomicd"
        done = run(*words[1:])
        assert done.status == 0 or words[1] == "doctor", (line, done.out, done.err)


def test_the_page_for_macs_lists_every_key_of_the_property_list(mac, run) -> None:
    text = (DOCS / "service-macos.md").read_text("utf-8")
    keys = plistlib.loads(run("service", "print").out.encode())
    assert [key for key in keys if f"`{key}`" not in text] == ["Label"]
