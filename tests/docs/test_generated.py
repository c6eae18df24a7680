"""The pages that the program writes are as it would write them now; `make docs` brings them up to date."""

from __future__ import annotations

import importlib.util
import re

import pytest

from atomic_agents.cli.app import COMMANDS
from atomic_agents.config import keys
from atomic_agents.log import Event
from atomic_agents.units import CODES
from pages.shell import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_is_as_it_would_be_written_now(page, generate):
    text = page.read_text("utf-8")
    assert generate.filled(text) == text, f"{page.name} is behind: make docs"


def headings(page, level):
    return re.findall(rf"^{'#' * level} (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)


def test_the_rules_page_has_every_code_once():
    assert sorted(set(headings("rules.md", 3)) & set(CODES)) == sorted(CODES)


def test_the_configuration_page_has_every_key():
    text = (DOCS / "configuration.md").read_text("utf-8")
    assert all(f"| `{key.name}` |" in text and f"### [{key.section}]" in text for key in keys())


def test_the_log_page_has_every_event():
    text = (DOCS / "logs.md").read_text("utf-8")
    assert all(f"| `{event}` |" in text for event in Event)


def test_the_commands_page_has_every_command():
    assert {f"atomicd {name}" for name in COMMANDS} <= set(headings("commands.md", 2))


def test_words_of_the_program_cannot_act_as_markdown(generate):
    assert generate._escape("a | b `c | d` <e> [f] *g*") == r"a \| b `c | d` \<e\> \[f\] \*g\*"
