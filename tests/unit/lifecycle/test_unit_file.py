"""The units of `service/` (contract section 11; LC04)."""

from __future__ import annotations

import configparser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.lifecycle.plan import Plan
from atomic_agents.lifecycle.unit_file import parse_unit, render_unit, unit_name
from fakes.plans import plan

_path = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).map(
    lambda text: f"/{text.strip()}x"
)


def read(unit: bytes) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str
    parser.read_string(unit.decode())
    return parser


@given(
    interpreter=_path,
    vault=_path,
    state_dir=_path,
    log_dir=_path,
    home=_path,
    config=st.none() | _path,
    sandbox=st.booleans(),
    private_tmp=st.booleans(),
)
def test_a_user_unit_is_read_back_as_the_plan_it_was_made_from(**values: object) -> None:
    made = plan(name="work", **values)
    if not made.sandbox:
        made = plan(name="work", **(values | {"private_tmp": True}))
    assert parse_unit(render_unit(made), "work") == made


def test_a_system_unit_is_read_back_as_the_plan_it_was_made_from() -> None:
    made = plan(scope="system", run_as="agents", home="/", state_dir="/var/lib/atomicd", private_tmp=False)
    assert parse_unit(render_unit(made), "") == made


@pytest.mark.parametrize("made", [plan(sandbox=True), plan(), plan(scope="system", run_as="agents")])
def test_every_directive_stands_under_a_comment_that_gives_its_reason(made: Plan) -> None:
    is_explained = False
    for line in render_unit(made).decode().splitlines():
        if line.startswith("#"):
            is_explained = True
        elif not line:
            is_explained = False
        elif line.startswith("["):
            is_explained = line in {"[Install]", "[Unit]"}
        assert is_explained or not line or line.startswith("["), line


@pytest.mark.parametrize("made", [plan(sandbox=True), plan(), plan(scope="system", run_as="agents")])
def test_the_contract_holds_in_every_unit(made: Plan) -> None:
    unit = read(render_unit(made))
    service = unit["Service"]
    assert service["Type"] == "notify"
    assert service["WatchdogSec"] == "60"
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == "64 66 78"
    assert service["UMask"] == "0077"
    assert service["ExecReload"].lstrip("+") == "kill -HUP $MAINPID"
    assert {"StartLimitIntervalSec", "StartLimitBurst"} <= set(unit["Unit"])
    assert not any(key.startswith("StartLimit") for key in service)
    assert "~/" not in render_unit(made).decode()
    assert "=~\n" not in render_unit(made).decode()


def test_a_stop_has_longer_than_the_daemon_needs() -> None:
    assert int(read(render_unit(plan()))["Service"]["TimeoutStopSec"]) > 10


def test_the_command_starts_the_interpreter_by_its_full_path_without_environment_and_working_folder() -> None:
    command = read(render_unit(plan()))["Service"]["ExecStart"]
    assert (
        command == ":/opt/atomicd/bin/python -E -P -m atomic_agents run --wait --vault /home/ada/docs/agents"
    )


def test_a_configuration_is_named_in_the_command() -> None:
    command = read(render_unit(plan(config="/home/ada/a b.toml")))["Service"]["ExecStart"]
    assert command.endswith('--config "/home/ada/a b.toml"')


def test_the_system_unit_is_closed_but_for_the_vault() -> None:
    service = read(render_unit(plan(scope="system", run_as="agents")))["Service"]
    assert service["ProtectSystem"] == "strict"
    assert service["ReadWritePaths"] == "-/home/ada/docs/agents"
    assert service["PrivateNetwork"] == "yes"
    assert service["User"] == "agents"
    assert service["CapabilityBoundingSet"] == ""


def test_without_namespaces_nothing_is_in_a_user_unit_that_needs_them() -> None:
    text = render_unit(plan()).decode()
    assert not {"PrivateUsers", "ProtectSystem", "PrivateTmp", "CapabilityBoundingSet"} & {
        line.split("=")[0] for line in text.splitlines()
    }


def test_the_sandbox_lets_vault_state_and_log_be_written() -> None:
    service = read(render_unit(plan(sandbox=True)))["Service"]
    assert service["ReadWritePaths"].split() == [
        "-/home/ada/docs/agents", "-/home/ada/.local/state/atomicd", "-/home/ada/.local/state/atomicd/log",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "[Service]\nExecStart=/bin/true\n", "[Service]\nExecStart=:/p -E -P -m atomic_agents run\n"]
)
def test_a_foreign_unit_is_no_plan(text: str) -> None:
    with pytest.raises(ValueError):
        parse_unit(text.encode(), "")


def test_a_unit_that_is_no_text_is_no_plan() -> None:
    with pytest.raises(ValueError):
        parse_unit(b"\xff", "")


def test_a_named_service_has_a_unit_of_its_own() -> None:
    assert (unit_name(""), unit_name("work")) == ("atomicd.service", "atomicd-work.service")
