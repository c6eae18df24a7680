"""What is made of the answers of `systemctl`; the real one is asked in tests/e2e."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomic_agents.exceptions import TemporaryError
from atomic_agents.lifecycle.manager import DidNotComeUpError, NoManagerError
from atomic_agents.lifecycle.rim import Done
from atomic_agents.lifecycle.systemd import Systemd
from atomic_agents.lifecycle.unit_file import render_unit
from fakes.plans import plan
from fakes.rims import PlayedRim

RUNNING = """LoadState=loaded
ActiveState=active
SubState=running
Result=success
ExecMainStatus=0
MainPID=42
UnitFileState=enabled
NeedDaemonReload=no
NRestarts=3"""


class Programs:
    """Answers of `systemctl` by its verb, and what was asked."""

    def __init__(self, **answers: Done) -> None:
        self.answers = answers
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, words: tuple[str, ...]) -> Done:
        self.calls.append(words)
        verb = next(word for word in words[1:] if not word.startswith("-"))
        return self.answers.get(verb.replace("-", "_"), Done(0))


def manager(programs: Programs, scope: str = "user", **more: Programs) -> Systemd:
    return Systemd(PlayedRim(systemctl=programs, **more), scope, folder=Path("/units"))


def test_a_running_service_is_seen() -> None:
    seen = manager(Programs(show=Done(0, out=RUNNING))).look("")
    assert (seen.is_loaded, seen.is_enabled, seen.is_active, seen.is_failed) == (True, True, True, False)
    assert (seen.pid, seen.restarts, seen.needs_reload, seen.said) == (42, 3, False, "active (running)")


def test_a_failed_service_is_seen_with_its_exit_status() -> None:
    answer = (
        RUNNING.replace("active\n", "failed\n")
        .replace("success", "exit-code")
        .replace("ExecMainStatus=0", "ExecMainStatus=78")
    )
    seen = manager(Programs(show=Done(0, out=answer.replace("MainPID=42", "MainPID=0")))).look("")
    assert (seen.is_active, seen.is_failed, seen.pid) == (False, True, None)
    assert seen.said == "failed (running), exit-code, exit status 78"


def test_a_unit_that_was_written_but_not_read_is_noticed() -> None:
    assert (
        manager(Programs(show=Done(0, out=RUNNING.replace("NeedDaemonReload=no", "NeedDaemonReload=yes"))))
        .look("")
        .needs_reload
    )


def test_no_answer_is_no_manager_and_says_what_to_do() -> None:
    with pytest.raises(NoManagerError, match="Failed to connect to bus") as caught:
        manager(Programs(show=Done(1, err="Failed to connect to bus: No medium found"))).look("")
    assert "--system" in caught.value.hint
    with pytest.raises(NoManagerError) as caught:
        manager(Programs(show=Done(1)), "system").look("")
    assert "foreground" in caught.value.hint


def test_a_start_forgets_former_failures_first() -> None:
    programs = Programs()
    manager(programs).start("work")
    manager(programs).restart("work")
    assert [call[4:] for call in programs.calls] == [
        ("reset-failed", "atomicd-work.service"), ("start", "atomicd-work.service"),
        ("reset-failed", "atomicd-work.service"), ("restart", "atomicd-work.service"),
    ]  # fmt: skip
    assert programs.calls[0][:4] == ("systemctl", "--user", "--no-pager", "--no-ask-password")


def test_adoption_reads_the_unit_and_enables_it() -> None:
    programs = Programs()
    manager(programs, "system").adopt("")
    assert [call[4:] for call in programs.calls] == [("daemon-reload",), ("enable", "atomicd.service")]
    assert programs.calls[0][1] == "--system"


def test_a_start_that_fails_is_told() -> None:
    with pytest.raises(DidNotComeUpError, match=r"restart atomicd\.service: Job failed"):
        manager(Programs(restart=Done(1, err="Job\nfailed"))).restart("")


def test_a_stop_that_fails_is_told() -> None:
    with pytest.raises(TemporaryError, match="timed out"):
        manager(Programs(stop=Done(1, err="timed out"))).stop("")
    manager(Programs()).stop("")


def test_forgetting_disables_stops_and_lets_the_manager_notice() -> None:
    programs = Programs()
    own = manager(programs)
    own.forget("")
    own.forgotten("")
    assert [call[4:] for call in programs.calls] == [
        ("disable", "--now", "atomicd.service"), ("daemon-reload",), ("reset-failed", "atomicd.service"),
    ]  # fmt: skip


def test_the_last_words_are_those_of_the_journal() -> None:
    journal = Programs()
    journal.answers = {}
    own = Systemd(PlayedRim(journalctl=lambda words: Done(0, out=" ".join(words))), "user")
    assert own.words("work").endswith("--user-unit atomicd-work.service")
    own = Systemd(PlayedRim(journalctl=lambda words: Done(0, out=" ".join(words))), "system")
    assert own.words("").endswith("--unit atomicd.service")


def test_namespaces_are_tried_and_only_for_a_user() -> None:
    tried = PlayedRim(systemd_run=lambda words: Done(0 if "--user" in words else 1))
    assert Systemd(tried, "user").can_sandbox()
    assert not Systemd(tried, "system").can_sandbox()
    assert not Systemd(PlayedRim(), "user").can_sandbox()


def test_units_lie_where_systemd_looks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/cfg")
    assert Systemd(PlayedRim(), "user").file("work") == Path("/cfg/systemd/user/atomicd-work.service")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert (
        Systemd(PlayedRim(), "user").file("") == Path("~/.config/systemd/user/atomicd.service").expanduser()
    )
    assert Systemd(PlayedRim(), "system").file("") == Path("/etc/systemd/system/atomicd.service")


def test_it_renders_and_parses_units() -> None:
    own = manager(Programs())
    made = plan()
    assert own.render(made) == render_unit(made)
    assert own.parse(render_unit(made), "") == made
    assert own.kind == "systemd user"
