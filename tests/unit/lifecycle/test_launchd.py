"""The order and the arguments of `launchctl`, against one that keeps state as documented (issue: launchd)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import TemporaryError
from atomic_agents.lifecycle.install import Seen, install, uninstall
from atomic_agents.lifecycle.launchd import Launchd
from atomic_agents.lifecycle.manager import DidNotComeUpError, NoManagerError
from atomic_agents.lifecycle.plan import Plan
from atomic_agents.lifecycle.rim import Done
from fakes.launchctl import Launchctl
from fakes.plans import plan
from fakes.rims import PlayedRim

LABEL = "io.atomic-agents.atomicd"
UP = Seen("up")


class Mac:
    """A folder, a launchd and a manager."""

    def __init__(self, folder: Path, scope: str = "user", **launchctl: Any) -> None:
        self.launchctl = Launchctl(**launchctl)
        self.rim = PlayedRim(launchctl=self.launchctl)
        self.manager = Launchd(self.rim, scope, folder=folder / "LaunchAgents", uid=501)
        self.folder = folder

    def plan(self, **values: Any) -> Plan:
        return plan(state_dir=str(self.folder / "state"), log_dir=str(self.folder / "log"), **values)

    def install(self, *, see: Any = lambda: UP, is_current: bool = False, **values: Any) -> Any:
        return install(self.rim, self.manager, self.plan(**values), see=see, is_current=is_current)

    def changes(self) -> list[tuple[str, ...]]:
        found = self.launchctl.changes()
        self.launchctl.calls.clear()
        return found

    @property
    def file(self) -> Path:
        return self.manager.file("")


@pytest.fixture
def mac(tmp_path: Path) -> Mac:
    return Mac(tmp_path)


def test_an_installation_enables_and_bootstraps_into_the_session_at_the_screen(mac: Mac) -> None:
    assert mac.install().change == "new"
    assert mac.changes() == [("enable", f"gui/501/{LABEL}"), ("bootstrap", "gui/501", str(mac.file))]
    assert mac.launchctl.job(LABEL).pid is not None


def test_nothing_is_ever_loaded_the_old_way(mac: Mac) -> None:
    mac.install()
    mac.install()
    mac.manager.stop("")
    mac.manager.start("")
    uninstall(mac.rim, mac.manager, "")
    assert not {"load", "unload", "start", "stop"} & {call[0] for call in mac.launchctl.calls}


def test_the_log_folder_is_there_before_launchd_needs_it_and_private(mac: Mac) -> None:
    mac.install()
    assert (mac.folder / "log").stat().st_mode & 0o777 == 0o700


def test_a_second_installation_of_the_same_changes_nothing(mac: Mac) -> None:
    mac.install()
    mac.changes()
    assert mac.install(is_current=True).change == "none"
    assert mac.changes() == [("enable", f"gui/501/{LABEL}")]


def test_a_reinstallation_boots_out_before_it_bootstraps(mac: Mac) -> None:
    mac.install()
    mac.changes()
    assert mac.install(vault="/elsewhere").change == "updated"
    assert mac.changes() == [
        ("enable", f"gui/501/{LABEL}"),
        ("bootout", f"gui/501/{LABEL}"),
        ("bootstrap", "gui/501", str(mac.file)),
    ]


def test_another_version_of_atomicd_restarts_the_same_property_list(mac: Mac) -> None:
    mac.install()
    assert mac.install(is_current=False).change == "restarted"


def test_a_job_that_takes_its_time_to_leave_is_waited_for(tmp_path: Path) -> None:
    mac = Mac(tmp_path, slow_exit=5)
    mac.install()
    mac.manager.restart("")
    assert [call[0] for call in mac.changes()] == ["enable", "bootstrap", "bootout", "bootstrap"]
    assert mac.rim.paused > 0


def test_a_bootstrap_that_comes_too_early_is_tried_again(mac: Mac) -> None:
    mac.install()
    mac.launchctl.job(LABEL).leaving = 4
    mac.manager._bootstrap("gui/501", "")
    assert [call[0] for call in mac.changes()].count("bootstrap") >= 2


def test_a_bootstrap_that_never_works_is_given_up(mac: Mac) -> None:
    mac.file.parent.mkdir()
    mac.file.write_bytes(b"no property list")
    with pytest.raises(DidNotComeUpError, match="bootstrap gui/501: 5: Bootstrap failed"):
        mac.manager.start("")
    assert len(mac.changes()) == 5


def test_a_daemon_that_ends_takes_the_first_installation_with_it(mac: Mac) -> None:
    with pytest.raises(DidNotComeUpError, match="vault is broken") as caught:
        mac.install(see=lambda: Seen("down", "vault is broken"))
    assert "nothing was left installed" in caught.value.hint
    assert not mac.file.exists()
    assert mac.launchctl.job(LABEL) is None


def test_a_failed_update_brings_the_former_property_list_back_and_runs_it(mac: Mac) -> None:
    mac.install()
    former = mac.file.read_bytes()
    mac.changes()
    with pytest.raises(DidNotComeUpError) as caught:
        mac.install(vault="/elsewhere", see=lambda: Seen("down", "no"))
    assert "the former service is back" in caught.value.hint
    assert mac.file.read_bytes() == former
    assert mac.launchctl.job(LABEL).plist["ProgramArguments"][-1] == "/home/ada/docs/agents"
    assert [call[0] for call in mac.changes()] == ["enable", "bootout", "bootstrap"] * 2


def test_a_failed_update_of_a_stopped_service_leaves_it_stopped(mac: Mac) -> None:
    mac.install()
    mac.manager.stop("")
    with pytest.raises(DidNotComeUpError):
        mac.install(vault="/elsewhere", see=lambda: Seen("down", "no"))
    assert mac.launchctl.job(LABEL) is None


def test_when_the_former_one_does_not_come_back_either_that_is_said(mac: Mac) -> None:
    mac.install()
    mac.file.write_bytes(b"broken meanwhile")
    with pytest.raises(DidNotComeUpError, match="neither the new nor the former"):
        mac.install(see=lambda: Seen("down", "no"))


def test_the_former_property_list_is_kept_where_launchd_does_not_read_it(mac: Mac) -> None:
    mac.install()
    former = mac.file.read_bytes()
    mac.install(vault="/elsewhere")
    assert mac.file.with_name(f"{LABEL}.plist.former").read_bytes() == former


def test_a_stop_unloads_so_that_nothing_starts_it_again(mac: Mac) -> None:
    mac.install()
    mac.changes()
    mac.manager.stop("")
    assert mac.changes() == [("bootout", f"gui/501/{LABEL}")]
    assert mac.launchctl.job(LABEL) is None


def test_a_stop_of_what_does_not_run_does_nothing(mac: Mac) -> None:
    mac.manager.stop("")
    assert mac.changes() == []


def test_a_stopped_service_is_bootstrapped_again(mac: Mac) -> None:
    mac.install()
    mac.manager.stop("")
    mac.changes()
    mac.manager.start("")
    assert mac.changes() == [("bootstrap", "gui/501", str(mac.file))]


def test_a_loaded_service_whose_process_ended_is_kickstarted(mac: Mac) -> None:
    mac.install()
    mac.launchctl.crash(LABEL, 0)
    mac.changes()
    mac.manager.start("")
    assert mac.changes() == [("kickstart", f"gui/501/{LABEL}")]
    assert mac.launchctl.job(LABEL).pid is not None


def test_a_kickstart_that_is_refused_is_told(mac: Mac) -> None:
    with pytest.raises(DidNotComeUpError, match="kickstart: 113"):
        mac.manager._kick("gui/501", "")


def test_an_uninstallation_boots_out_and_removes_the_file(mac: Mac) -> None:
    mac.install()
    mac.install(vault="/elsewhere")
    mac.changes()
    assert uninstall(mac.rim, mac.manager, "")
    assert mac.changes() == [("bootout", f"gui/501/{LABEL}")]
    assert list(mac.file.parent.iterdir()) == []
    assert not uninstall(mac.rim, mac.manager, "")


def test_without_a_session_at_the_screen_the_background_session_is_used(tmp_path: Path) -> None:
    mac = Mac(tmp_path, logged_in=False)
    mac.install()
    assert mac.changes() == [("enable", f"user/501/{LABEL}"), ("bootstrap", "user/501", str(mac.file))]


def test_a_system_service_lives_in_the_system_domain(tmp_path: Path) -> None:
    mac = Mac(tmp_path, scope="system")
    mac.install(scope="system", run_as="_agents")
    assert mac.changes() == [("enable", f"system/{LABEL}"), ("bootstrap", "system", str(mac.file))]


def test_a_service_that_was_disabled_is_enabled_first(mac: Mac) -> None:
    mac.launchctl(("launchctl", "disable", f"gui/501/{LABEL}"))
    mac.install()
    assert mac.launchctl.job(LABEL) is not None


def test_a_disabled_service_is_seen(mac: Mac) -> None:
    mac.install()
    assert mac.manager.look("").is_enabled
    mac.launchctl(("launchctl", "disable", f"gui/501/{LABEL}"))
    assert not mac.manager.look("").is_enabled


def test_a_running_service_is_seen_with_its_process(mac: Mac) -> None:
    mac.install()
    seen = mac.manager.look("")
    assert (seen.is_loaded, seen.is_active, seen.is_failed) == (True, True, False)
    assert seen.pid == mac.launchctl.job(LABEL).pid
    assert seen.said == "running"


def test_a_crashed_service_is_seen_with_its_last_exit(mac: Mac) -> None:
    mac.install()
    mac.launchctl.crash(LABEL, 75)
    seen = mac.manager.look("")
    assert (seen.is_loaded, seen.is_active, seen.is_failed) == (True, False, True)
    assert seen.said == "not running, last exit code 75"


def test_a_service_that_was_never_loaded_is_told_apart(mac: Mac) -> None:
    mac.file.parent.mkdir()
    mac.file.write_bytes(mac.manager.render(mac.plan()))
    seen = mac.manager.look("")
    assert (seen.is_loaded, seen.said) == (False, "not loaded")


def test_a_bootout_that_is_refused_is_told(tmp_path: Path) -> None:
    mac = Mac(tmp_path)
    mac.install()
    mac.launchctl._bootout = lambda _target: Done(1, err="Operation not permitted")
    with pytest.raises(TemporaryError, match="Operation not permitted"):
        mac.manager.stop("")


def test_an_enable_that_is_refused_is_told(mac: Mac) -> None:
    mac.launchctl._enable = lambda _target: Done(1, err="Operation not permitted")
    with pytest.raises(DidNotComeUpError, match="enable"):
        mac.manager.adopt("")


def test_a_machine_without_launchctl_has_no_manager(tmp_path: Path) -> None:
    manager = Launchd(PlayedRim(), "user", folder=tmp_path, uid=501)
    with pytest.raises(NoManagerError):
        manager.look("")


def test_the_usual_folders_are_those_of_launchd() -> None:
    rim = PlayedRim()
    assert (
        Launchd(rim, "user").file("work")
        == Path("~/Library/LaunchAgents").expanduser() / f"{LABEL}.work.plist"
    )
    assert Launchd(rim, "system").file("") == Path(f"/Library/LaunchDaemons/{LABEL}.plist")
    assert Launchd(rim, "user").kind == "launchd user"
    assert Launchd(rim, "user").words("") == ""
