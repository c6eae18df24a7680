"""What differs between a service as it should be and as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from atomic_agents.lifecycle.drift import Drift, Facts, find_drift
from atomic_agents.lifecycle.manager import Loaded
from atomic_agents.lifecycle.systemd import Systemd
from fakes.plans import plan
from fakes.rims import PlayedRim

HERE = "/opt/atomicd/bin/python"
GOOD = Facts(HERE, is_executable=True, installed_version="1.2", running_version="1.2")
RUNNING = Loaded(is_loaded=True, is_enabled=True, is_active=True, pid=1)
MANAGER = Systemd(PlayedRim(), "user", folder=Path("/units"))
UNIT = MANAGER.render(plan(name="work"))


def drift(data: bytes | None = UNIT, loaded: Loaded = RUNNING, facts: Facts = GOOD) -> tuple[Drift, ...]:
    return find_drift(MANAGER, "work", data, loaded, facts)


def only(found: tuple[Drift, ...]) -> tuple[str, str]:
    assert len(found) == 1, found
    return found[0].code, found[0].fix


def test_a_service_as_it_should_be_has_none() -> None:
    assert drift() == ()


def test_no_service_at_all_is_no_drift() -> None:
    assert drift(None, Loaded()) == ()


def test_a_running_service_whose_unit_was_removed_is_named() -> None:
    assert only(drift(None)) == ("unit-missing", "atomicd service install --name work")


def test_a_unit_that_somebody_else_wrote_is_named() -> None:
    assert only(drift(b"[Service]\nExecStart=/bin/true\n")) == (
        "unit-foreign",
        "atomicd service install --name work",
    )


def test_an_edited_unit_is_named() -> None:
    assert only(drift(UNIT + b"# mine\n")) == ("unit-differs", "atomicd service install --name work")


def test_an_interpreter_that_is_gone_is_named() -> None:
    gone = Facts("/new/python", is_executable=False, installed_version="1.2")
    assert only(drift(facts=gone)) == ("interpreter-missing", "atomicd service install --name work")


def test_an_interpreter_of_another_environment_is_named() -> None:
    other = Facts("/new/python", is_executable=True, installed_version="1.2")
    (found,) = drift(facts=other)
    assert (found.code, found.found, found.expected) == ("interpreter-differs", HERE, "/new/python")


def test_a_daemon_of_a_former_version_is_to_be_restarted() -> None:
    old = Facts(HERE, is_executable=True, installed_version="1.3", running_version="1.2")
    assert only(drift(facts=old)) == ("version-differs", "atomicd service restart --name work")


def test_a_unit_that_was_never_started_is_named() -> None:
    found = drift(loaded=Loaded(is_loaded=True, is_enabled=True, said="inactive (dead)"))
    assert only(found) == ("not-running", "atomicd service start --name work")


def test_a_unit_that_does_not_start_by_itself_is_named() -> None:
    assert only(drift(loaded=Loaded(is_loaded=True, is_active=True)))[0] == "not-enabled"


def test_a_unit_that_the_manager_has_not_read_is_named() -> None:
    loaded = Loaded(is_loaded=True, is_enabled=True, is_active=True, needs_reload=True)
    assert only(drift(loaded=loaded))[0] == "reload-needed"


@pytest.mark.parametrize(
    ("scope", "command"), [("user", "atomicd service start"), ("system", "atomicd service start --system")]
)
def test_the_command_that_mends_it_names_the_scope(scope: str, command: str) -> None:
    manager = Systemd(PlayedRim(), scope, folder=Path("/units"))
    made = plan() if scope == "user" else plan(scope="system", run_as="agents", home="/")
    (found,) = find_drift(manager, "", manager.render(made), Loaded(is_enabled=True), GOOD)
    assert found.as_json()["fix"] == command
