"""The property list of `launchd/` (contract section 11; LC06)."""

from __future__ import annotations

import plistlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.lifecycle.property_list import label, output_path, parse_plist, render_plist
from fakes.plans import plan

_path = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), min_size=1
).map(lambda text: f"/{text}")


def read(**values: object) -> dict:
    return plistlib.loads(render_plist(plan(**values)))


@given(interpreter=_path, vault=_path, state_dir=_path, log_dir=_path, home=_path, config=st.none() | _path)
def test_a_property_list_is_read_back_as_the_plan_it_was_made_from(**values: object) -> None:
    made = plan(name="work", **values)
    assert parse_plist(render_plist(made), "work") == made


def test_it_has_these_keys_and_no_others() -> None:
    assert read() == {
        "Label": "io.atomic-agents.atomicd",
        "ProgramArguments": [
            "/opt/atomicd/bin/python", "-E", "-P", "-m", "atomic_agents", "run",
            "--launchd", "--wait", "--vault", "/home/ada/docs/agents",
        ],
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 15,
        "ExitTimeOut": 20,
        "ProcessType": "Background",
        "Umask": 0o077,
        "SoftResourceLimits": {"Core": 0},
        "LimitLoadToSessionType": ["Aqua", "Background"],
        "WorkingDirectory": "/home/ada",
        "EnvironmentVariables": {
            "ATOMICD_STATE_DIR": "/home/ada/.local/state/atomicd",
            "ATOMICD_LOG_DIR": "/home/ada/.local/state/atomicd/log",
        },
        "StandardOutPath": "/home/ada/.local/state/atomicd/log/atomicd.launchd.log",
        "StandardErrorPath": "/home/ada/.local/state/atomicd/log/atomicd.launchd.log",
    }  # fmt: skip


def test_no_placeholder_of_the_template_is_left() -> None:
    text = render_plist(plan()).decode()
    assert not {"LABEL", "COMMAND", "HOME", "OUTPUT"} & set(text.replace("<", " ").replace(">", " ").split())


def test_starts_are_at_least_ten_seconds_apart_and_a_stop_has_longer_than_the_daemon_needs() -> None:
    values = read()
    assert values["ThrottleInterval"] >= 10
    assert values["ExitTimeOut"] > 10


def test_a_crash_starts_it_again_and_a_clean_end_does_not() -> None:
    assert read()["KeepAlive"] == {"SuccessfulExit": False}


def test_blanks_and_unicode_are_one_argument() -> None:
    values = read(
        vault="/Users/ada/Mes carnets & <notes> ü", config="/Users/ada/Library/Application Support/c.toml"
    )
    assert values["ProgramArguments"][-3:] == [
        "/Users/ada/Mes carnets & <notes> ü", "--config", "/Users/ada/Library/Application Support/c.toml",
    ]  # fmt: skip


def test_every_path_is_absolute_and_nothing_is_left_to_a_shell() -> None:
    text = render_plist(plan(home="/Users/ada")).decode()
    assert "~" not in text
    assert "$" not in text


def test_a_system_service_names_its_user_and_no_kind_of_session() -> None:
    values = read(scope="system", run_as="_agents")
    assert values["UserName"] == "_agents"
    assert "LimitLoadToSessionType" not in values


def test_a_system_property_list_is_read_back() -> None:
    made = plan(scope="system", run_as="_agents")
    assert parse_plist(render_plist(made), "") == made


def test_a_named_service_has_a_label_and_an_output_of_its_own() -> None:
    assert label("work") == "io.atomic-agents.atomicd.work"
    assert output_path(plan(name="work")).name == "atomicd-work.launchd.log"


@pytest.mark.parametrize(
    "data", [b"", b"<plist>", b"\xff\xfe", plistlib.dumps({"ProgramArguments": ["x"]}), plistlib.dumps([1])]
)
def test_a_foreign_property_list_is_no_plan(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse_plist(data, "")
