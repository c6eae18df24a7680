"""Every command on a terminal: colours only where they are wanted, lines that fit sixty columns."""

from __future__ import annotations

import os
import re
import sys

import pytest

from atomic_agents.cli.app import COMMANDS, _run
from atomic_agents.log.wrapping import cells
from fakes.notes import bad_note, note, put
from fakes.terminal import on_terminal

LONG = "alpha/memory/feedback_a_rule_with_words.md"
BAD = "alpha/memory/feedback_bad_rule.md"
SHOWN = {
    "check": ["check"],
    "lint": ["lint"],
    "explain": ["explain", LONG, "--rules"],
    "fix": ["fix", "alpha", "--rename"],
    "sync": ["sync", "--no-wait"],
    "status": ["status"],
    "logs": ["logs"],
    "doctor": ["doctor"],
    "index": ["index", "check"],
    "quarantine": ["quarantine", "list"],
    "history": ["history", LONG],
    "restore": ["restore", LONG, "--version", "1", "--dry-run"],
    "conflicts": ["conflicts"],
    "schema": ["schema", "--help"],
    "init": ["init", "new", "--no-config"],
    "completion": ["completion", "--help"],
    "migrate": ["migrate", "--status"],
    "service": ["service", "status"],
    "verify": ["verify", "--timeout", "0.1"],
}
ELSEWHERE = {"run"}
"""Shown on a terminal by the tests of the log's console lines."""

VERBATIM = {"fix", "restore", "conflicts", "doctor", "service"}
"""These show lines of files, or commands to be copied, which nothing may break."""

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:[34][0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m")
"""An escape that sets a colour; bold is none, and NO_COLOR says nothing about it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A vault with something for every command to say."""
    folder = tmp_path_factory.mktemp("t")
    vault = folder / "v"
    env = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "ATOMICD_STATE_DIR": str(folder / "s"),
        "ATOMICD_LOG_DIR": str(folder / "l"),
        "ATOMICD_CONFIG": str(put(folder, "c.toml", "[quarantine]\ngrace_seconds = 0\n")),
        "ATOMIC_AGENTS_ROOT": str(vault),
    }
    long = "A name of many words that goes on and on until nobody wants to read it any more, and then some"
    put(vault, LONG, note(name=long, description="one word after another " * 8))
    put(vault, "alpha/memory/feedback_old_rule.md", bad_note())
    put(vault, "alpha/log/2026-11/2026-11-29.jsonl", "{}\n")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        assert _run(["sync", "--no-wait"]) == 0
        put(vault, BAD, bad_note())
        put(vault, LONG, note(name=long, description="another word after another " * 8))
        assert _run(["sync"]) == 0
    put(vault, "alpha/memory/feedback-broken-rule.md", note(description="Rule: always do what the rule says"))
    put(vault, "alpha/memory/feedback_a_rule_with_words.sync-conflict-20260512-101500-ABCDEFG.md", note())
    return env, vault


def show(home, words, **more):
    env, vault = home
    command = [sys.executable, "-m", "atomic_agents", *words]
    return on_terminal(command, columns=60, env=env | more, folder=vault)[1]


def test_every_command_is_shown_somewhere():
    assert SHOWN.keys() | ELSEWHERE == COMMANDS.keys()


@pytest.mark.parametrize("name", SHOWN)
def test_no_color_is_respected(home, name):
    out = show(home, SHOWN[name], NO_COLOR="1")
    assert out.strip()
    assert not COLOUR.search(out)
    assert "Traceback" not in out


@pytest.mark.parametrize(
    "words",
    [["check"], ["lint"], ["fix", "alpha"], ["status"], ["logs"], ["explain", BAD], ["explain", "gone.md"]],
)
def test_a_terminal_gets_colours_where_nobody_objects(home, words):
    assert COLOUR.search(show(home, words))


@pytest.mark.parametrize("name", SHOWN)
def test_lines_fit_sixty_columns_where_blanks_let_them(home, name):
    lines = ESCAPE.sub("", show(home, SHOWN[name], NO_COLOR="1")).split("\n")
    wide = [line for line in lines if cells(line) > 60 and not is_one_word(line)]
    assert not (wide if name not in VERBATIM else [line for line in wide if is_ours(line)])


def is_one_word(line):
    """Whether a line is an indented word, or a head and a word, that no blank lets break."""
    words = line.split()
    return bool(words) and max(map(cells, words)) > 40


def is_ours(line):
    """Whether a line is neither of a diff, nor a command to be copied, nor an error on its one line."""
    return not re.match(r"[-+ @]|  \S[^:]*: |\s+mend it|atomicd: |hint: ", line)
