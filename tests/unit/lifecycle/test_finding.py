"""Which services are installed, and which manager this machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomic_agents.lifecycle import finding
from atomic_agents.lifecycle.finding import installed, service_of, this_manager
from atomic_agents.lifecycle.launchd import Launchd
from atomic_agents.lifecycle.linger import linger_command, lingers
from atomic_agents.lifecycle.manager import NoManagerError
from atomic_agents.lifecycle.rim import Done
from atomic_agents.lifecycle.systemd import Systemd
from fakes.plans import plan
from fakes.rims import PlayedRim


@pytest.fixture(params=[Systemd, Launchd])
def manager(request: pytest.FixtureRequest, tmp_path: Path):
    return request.param(PlayedRim(), "user", folder=tmp_path)


def put(manager, name: str, vault: str) -> None:
    manager.file(name).write_bytes(manager.render(plan(name=name, vault=vault)))


def test_services_are_found_by_their_files(manager) -> None:
    put(manager, "", "/a")
    put(manager, "work", "/b")
    assert [(one.name, one.plan.vault) for one in installed(manager)] == [("work", "/b"), ("", "/a")] or [
        (one.name, one.plan.vault) for one in installed(manager)
    ] == [("", "/a"), ("work", "/b")]


def test_other_files_are_no_services(manager) -> None:
    for name in (
        "atomicd.service.former",
        "ssh.service",
        "atomicd.conf",
        "io.atomic-agents.atomicd.plist.former",
    ):
        (manager.file("").parent / name).write_text("x")
    assert installed(manager) == ()


def test_a_file_that_cannot_be_read_as_a_plan_is_a_service_still(manager) -> None:
    manager.file("").write_text("mine")
    assert [one.plan for one in installed(manager)] == [None]


def test_without_the_folder_there_are_none(tmp_path: Path) -> None:
    assert installed(Systemd(PlayedRim(), "user", folder=tmp_path / "none")) == ()


def test_the_service_of_a_vault_is_found_behind_links(manager, tmp_path: Path) -> None:
    vault, link = tmp_path / "vault", tmp_path / "link"
    vault.mkdir()
    link.symlink_to(vault)
    put(manager, "work", str(link))
    assert service_of(manager, vault).name == "work"
    assert service_of(manager, tmp_path) is None


def test_a_mac_has_launchd_and_linux_has_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding.shutil, "which", lambda _name: "/usr/bin/systemctl")
    assert isinstance(this_manager(PlayedRim(), "user", platform="darwin"), Launchd)
    assert isinstance(this_manager(PlayedRim(), "user", platform="linux"), Systemd)


def test_a_machine_with_neither_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding.shutil, "which", lambda _name: None)
    with pytest.raises(NoManagerError, match="neither"):
        this_manager(PlayedRim(), "user", platform="linux")


@pytest.mark.parametrize(("word", "expected"), [("yes", True), ("no", False)])
def test_linger_is_what_logind_says(tmp_path: Path, word: str, expected: bool) -> None:
    rim = PlayedRim(loginctl=lambda _words: Done(0, out=word))
    assert lingers(rim, "ada", tmp_path) is expected


def test_without_logind_linger_is_what_is_noted_on_the_disk(tmp_path: Path) -> None:
    assert lingers(PlayedRim(), "ada", tmp_path) is False
    (tmp_path / "ada").touch()
    assert lingers(PlayedRim(), "ada", tmp_path) is True
    assert linger_command("ada") == "loginctl enable-linger ada"
