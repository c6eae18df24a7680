"""What the pages show is what the program does: every session, file and configuration of them is tried."""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path

import pytest
import yaml

from atomic_agents.config import parse
from pages.checkout import check_out
from pages.matching import difference
from pages.parsing import Block, Command, blocks_of
from pages.record import words_of
from pages.shell import ROOT, Shell

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {
    "console",
    "text",
    "markdown",
    "toml",
    "json",
    "yaml",
    "python",
    "ini",
    "xml",
    "diff",
    "dockerfile",
    "javascript",
}


def name_of(page):
    return page.stem


@pytest.fixture
def shell():
    """A home folder with a short name, so that lines break where they do for a reader."""
    reader = Shell(Path(tempfile.mkdtemp(prefix="")))
    check_out(reader.home / "atomicd")
    yield reader
    reader.end()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_session_of_a_page_runs_and_prints_what_is_shown(page, shell):
    for block in blocks_of(page):
        if "skip" not in block.asks:
            try:
                _follow(block, shell)
            except AssertionError as error:
                raise AssertionError(f"{page.name}, line {block.line}: {error}") from None


def _follow(block: Block, shell: Shell) -> None:
    if "file" in block.asks:
        shell.write(block.asks["file"], block.content)
    elif "more" in block.asks:
        shell.expect(tuple(block.content.splitlines()))
    elif block.language == "python":
        (shell.home / "example.py").write_text(block.content, "utf-8")
        shell.run(Command(f"python {shell.home / 'example.py'}"))
    elif block.language == "console":
        *others, last = block.commands()
        for command in others:
            shell.run(command)
        if "background" in block.asks:
            shell.start(last)
        else:
            shell.run(last, status=int(block.asks.get("exit", "0")))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_block_that_is_not_run_says_why(page):
    for block in blocks_of(page):
        known = block.language in LANGUAGES or (block.language[:2] == "sh" and _is_run_elsewhere(page))
        assert known, f"{page.name}, line {block.line}: {block.language!r}"
        assert block.asks.get("skip", "why"), f"{page.name}, line {block.line}: skipped without a reason"


def _is_run_elsewhere(page: Path) -> bool:
    """Whether a test with a service manager of its own names the page."""
    tests = (ROOT / "tests").rglob("test_service*.py")
    return any(page.stem in test.read_text("utf-8") for test in tests)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_configurations_and_data_on_a_page_can_be_read(page):
    readers = {"json": json.loads, "yaml": lambda text: list(yaml.safe_load_all(text))}
    for block in blocks_of(page):
        if block.language == "toml" and "skip" not in block.asks:
            parse(tomllib.loads(block.content), page)
        elif block.language in readers and "skip" not in block.asks:
            readers[block.language](block.content)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_no_machine_of_its_writers(page):
    text = page.read_text("utf-8")
    for word in ("/work/", "/tmp/", "/root/", "localhost:", "pypi"):
        assert word not in text, word


def test_the_picture_of_the_readme_shows_the_session_of_the_readme():
    picture = words_of(ROOT / "docs" / "terminal.svg")
    sessions = [block for block in blocks_of(ROOT / "README.md") if {"background", "more"} & set(block.asks)]
    shown = [line.replace("/home/you", "~") for block in sessions for line in block.content.splitlines()]
    assert difference([*shown, "…"], picture) == ""
