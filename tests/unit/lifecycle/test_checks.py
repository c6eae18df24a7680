"""The rows of `doctor`: pass, warn, fail, and the command that mends it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from atomic_agents.intake.mounts import Mount
from atomic_agents.lifecycle import machine_checks as machine
from atomic_agents.lifecycle import vault_checks
from atomic_agents.lifecycle.vault_checks import check_mount, check_vault, check_watches


class _Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_this_interpreter_is_good() -> None:
    assert machine.this_python().grade == "pass"


def test_an_old_interpreter_fails() -> None:
    check = machine.check_python("/usr/bin/python3", (3, 9, 2))
    assert (check.grade, check.said) == ("fail", "3.9.2 at /usr/bin/python3")
    assert "3.11" in check.mend


def test_an_interpreter_that_is_gone_fails() -> None:
    assert machine.check_python("/nowhere/python", (3, 12, 0)).grade == "fail"


def test_our_package_alone_is_good() -> None:
    assert machine.check_packages(machine.providers(), origin="/x").grade == "pass"


@pytest.mark.parametrize("other", ["atomic-agents-stack", "atomic-agents"])
def test_another_distribution_of_the_same_package_fails(other: str) -> None:
    check = machine.check_packages([other, "atomicd"], origin="/x/atomic_agents")
    assert check.grade == "fail"
    assert other in check.said
    assert check.mend.startswith("pipx install atomicd")


@pytest.mark.parametrize(("free", "grade"), [(1 << 34, "pass"), (1 << 28, "warn"), (1 << 20, "fail")])
def test_the_disk_is_judged_by_what_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, grade: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: _Usage(1 << 40, 0, free))
    check = machine.check_disk("state", tmp_path / "not" / "there")
    assert check.grade == grade
    assert str(tmp_path) in check.said


def test_a_clock_that_was_never_set_fails() -> None:
    assert machine.check_clock(0.0, None).grade == "fail"


def test_a_clock_behind_our_own_files_is_warned_about() -> None:
    assert machine.check_clock(1_780_000_000.0, 1_780_000_100.0).grade == "warn"
    assert machine.check_clock(1_780_000_000.0, 1_780_000_030.0).grade == "pass"


def test_a_folder_that_will_be_made_is_good(tmp_path: Path) -> None:
    assert machine.check_folder("state folder", tmp_path / "a" / "b").grade == "pass"


def test_a_file_in_the_place_of_a_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    check = machine.check_folder("state folder", tmp_path / "a" / "b")
    assert (check.grade, check.mend) == ("fail", f"mv {tmp_path}/a {tmp_path}/a.aside")


def test_a_folder_that_refuses_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "access", lambda *_: False)
    assert machine.check_folder("log folder", tmp_path).grade == "fail"


def test_variables_that_matter_are_told() -> None:
    assert machine.check_environment({}).said == "nothing is overridden"
    assert machine.check_environment({"ATOMICD_STATE_DIR": "/s"}).said == "ATOMICD_STATE_DIR=/s"
    assert machine.check_environment({"PYTHONPATH": "/p"}).grade == "warn"


def test_a_good_vault_is_good(tmp_path: Path) -> None:
    assert check_vault(tmp_path).grade == "pass"


def test_a_missing_vault_fails(tmp_path: Path) -> None:
    assert check_vault(tmp_path / "none").grade == "fail"


def test_a_vault_that_cannot_be_read_fails_with_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> None:
        raise vault_checks.VaultRefusedError("cannot be read", hint="allow it")

    monkeypatch.setattr(vault_checks, "check_readable", refuse)
    assert (check_vault(tmp_path).grade, check_vault(tmp_path).mend) == ("fail", "allow it")


def test_a_vault_that_cannot_be_written_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault_checks.os, "access", lambda *_: False)
    assert check_vault(tmp_path).said.endswith("cannot be written")


def test_the_innermost_file_system_is_named() -> None:
    check = check_mount(Path("/home/ada/v"), (Mount("/", "ext4"), Mount("/home", "btrfs")))
    assert (check.grade, check.said) == ("pass", "btrfs on /home")


@pytest.mark.parametrize("point", ["/home", "/home/ada/v/team"])
def test_a_network_file_system_is_warned_about(point: str) -> None:
    check = check_mount(Path("/home/ada/v"), (Mount("/", "ext4"), Mount(point, "nfs4")))
    assert check.grade == "warn"
    assert "polled" in check.said


def test_a_system_that_does_not_tell_its_mounts_is_taken_as_it_is() -> None:
    assert check_mount(Path("/v"), ()).grade == "pass"


@pytest.mark.parametrize(("allowed", "grade"), [("100", "pass"), ("5", "warn"), ("2", "warn")])
def test_the_watch_limit_is_compared_with_the_folders(tmp_path: Path, allowed: str, grade: str) -> None:
    for name in ("a", "b", ".git", "_quarantine"):
        (tmp_path / name / "x").mkdir(parents=True)
    limit = tmp_path / "limit"
    limit.write_text(f"{allowed}\n")
    check = check_watches(tmp_path, limit)
    assert check.grade == grade
    assert grade == "pass" or check.mend == "sudo sysctl fs.inotify.max_user_watches=524288"


def test_a_system_without_a_watch_limit_is_good(tmp_path: Path) -> None:
    assert check_watches(tmp_path, tmp_path / "none").grade == "pass"
