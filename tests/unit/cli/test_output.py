"""Lines, tables and JSON of the commands: safe to print, as wide as the terminal (issue: terminal manners)."""

from __future__ import annotations

import json

import pytest

from atomic_agents.cli import app, output
from atomic_agents.log.wrapping import cells


def test_a_long_line_is_folded_at_blanks_a_bit_further_in():
    assert output.fold("  one two three", 9) == "  one two\n    three"
    assert output.fold("one\n\ntwo", 60) == "one\n\ntwo"


def test_where_no_terminal_is_no_line_is_broken(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    output.say("word " * 100)
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize("width", [60, 100])
def test_tables_and_lines_fit_the_terminal(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    output.say("a sentence that goes on " * 10)
    output.print_table(("A", "B"), [("x" * 50, "words that go on " * 10)])
    assert all(cells(line) <= width for line in capsys.readouterr().out.splitlines())


def test_what_steers_a_terminal_is_escaped(capsys):
    output.say("a\x1b[31mred\u202e")
    output.print_table(("A",), [("[bold]\x1b[31m",)])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "[bold]" in printed


def test_no_color_in_the_environment_means_no_colours(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert output.has_colours()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not output.has_colours()


def test_a_name_that_is_not_utf8_comes_out_as_valid_json(capsys):
    output.print_json({"path": "caf\udce9.md", "fine": "é"})
    assert json.loads(capsys.readouterr().out)["fine"] == "é"


def test_a_failure_is_one_line_and_a_hint_and_no_traceback(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("ATOMICD_CONFIG", str(tmp_path / "none.toml"))
    assert app._run(["check"]) == 78
    said = capsys.readouterr().err
    assert said.startswith("atomicd: ")
    assert "\nhint: `atomicd init` writes one" in said
    assert "Traceback" not in said


def test_verbose_shows_the_traceback(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ATOMICD_CONFIG", str(tmp_path / "none.toml"))
    assert app._run(["check", "--verbose"]) == 78
    assert "Traceback" in capsys.readouterr().err
