"""The pages about services do what they say."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents.daemon.report import Report
from atomic_agents.daemon.status import CHECK_CODES, Status
from fakes.notes import note, put
from fakes.pages import DOCS, commands
from fakes.process import Daemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    root = tmp_path / "vault"
    put(root, "alpha/memory/feedback_a_rule.md", note("A rule"))
    made = Daemon(root, tmp_path / "home").start()
    yield made
    made.end()


@pytest.mark.parametrize("page", ["containers.md", "status.md"])
def test_the_commands_of_the_page_work_beside_a_daemon(daemon: Daemon, page: str) -> None:
    lines = commands(page)
    assert lines
    for line in lines:
        words = shlex.split(line)
        assert words[0] == "atomicd"
        daemon.command(*words[1:])


def test_every_field_of_status_is_on_its_page() -> None:
    text = (DOCS / "status.md").read_text("utf-8")
    missing = [name for name in Report(Status("running", "/v")).as_json() if f"`{name}`" not in text]
    assert missing == []


@pytest.mark.parametrize("page", ["containers.md", "status.md"])
def test_every_state_and_its_exit_status_is_on_the_page(page: str) -> None:
    rows = [line for line in (DOCS / page).read_text("utf-8").splitlines() if line.startswith("|")]
    for state, code in CHECK_CODES.items():
        assert any(state in row and str(code) in row for row in rows), state
