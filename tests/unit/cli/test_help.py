"""Every command explains itself, with examples, on a terminal of any usual width (contract section 8)."""

from __future__ import annotations

import importlib
import re

import click
import pytest

from atomic_agents.cli.app import COMMANDS, atomicd
from atomic_agents.migration.arguments import build_parser


def commands(command, path):
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command, info_name=path)
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            if not found.hidden:
                yield from commands(found, f"{path} {name}")


ALL = dict(commands(atomicd, "atomicd"))


def help_of(path, width):
    if path == "atomicd migrate":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", str(width))
            return build_parser(path).format_help()
    return ALL[path].get_help(
        click.Context(ALL[path], info_name=path, terminal_width=width, max_content_width=width)
    )


@pytest.mark.parametrize("path", ALL)
def test_a_command_shows_an_example_of_itself(path):
    text = help_of(path, 80)
    _, _, examples = re.split(r"([Ee]xamples?:)", text, maxsplit=1)
    assert path in examples


@pytest.mark.parametrize("path", ALL)
def test_help_fits_eighty_columns(path):
    assert [line for line in help_of(path, 80).splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("path", ALL)
def test_help_before_the_examples_fits_sixty_columns(path):
    before, *_ = re.split(r"[Ee]xamples?:", help_of(path, 60))
    assert [line for line in before.splitlines() if len(line) > 60] == []


@pytest.mark.parametrize("path", ALL)
def test_words_beside_an_example_fit_sixty_columns(path):
    beside = re.compile(r"    \S.*?\S {2,}\S.*")
    assert [
        line for line in help_of(path, 60).splitlines() if len(line) > 60 and beside.fullmatch(line)
    ] == []


@pytest.mark.parametrize("path", [path for path, command in ALL.items() if isinstance(command, click.Group)])
def test_no_command_is_told_with_half_a_sentence(path):
    assert not re.search(r"\.\.\.$", help_of(path, 80).partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_command_says(name):
    module, line = COMMANDS[name]
    assert isinstance(getattr(importlib.import_module(f"atomic_agents.cli.{module}"), name), click.Command)
    assert line.endswith(".")
    assert len(line) <= 60
