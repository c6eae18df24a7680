"""Problems on a terminal, for code scanning and for GitHub (contract section 8)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from atomic_agents.cli import problems
from atomic_agents.cli.judging import Judged
from atomic_agents.log.wrapping import cells
from atomic_agents.model import Problem

ENUM = Problem(
    "fern/memory/x.md", "field-enum", "error", '"sure"', "one of high, medium, low", "Write one of them.", "confidence", 10
)  # fmt: skip
LONG = Problem(
    "fern/memory/y.md", "not-indexed", "warning", "no entry", "a line in INDEX.md that names it", "Run `atomicd sync`."
)  # fmt: skip


@pytest.fixture
def judged():
    return Judged(Path("/v"), ("fern/memory/x.md", "fern/memory/y.md"), (ENUM, LONG))


def test_problems_stand_below_their_file_with_line_code_and_fix(judged, capsys):
    problems.print_text(judged)
    assert capsys.readouterr().out.split("\n") == [
        "fern/memory/x.md",
        '   10 ✗ field-enum  confidence: found "sure", expected one of high, medium, low',
        "        fix: Write one of them.",
        "",
        "fern/memory/y.md",
        "    - ! not-indexed  found no entry, expected a line in INDEX.md that names it",
        "        fix: Run `atomicd sync`.",
        "",
        "2 files judged: 1 error, 1 warning",
        "",
    ]


def test_problems_fit_a_terminal_of_sixty_columns(judged, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    problems.print_text(judged)
    assert all(cells(line) <= 60 for line in capsys.readouterr().out.split("\n"))


def test_what_could_not_be_judged_is_told_with_the_reason(capsys):
    problems.print_text(Judged(Path("/v"), (), (), (("fern/memory/z.md", "Permission denied"),)))
    assert "fern/memory/z.md: Permission denied; not judged" in capsys.readouterr().out


def test_nothing_found_is_said_in_a_line(capsys):
    problems.print_text(Judged(Path("/v"), ("a/memory/x.md",), ()))
    assert capsys.readouterr().out == "1 file judged: all is well\n"


def test_json_has_the_shape_of_the_contract(judged, capsys):
    problems.print_as_json(judged)
    answer = json.loads(capsys.readouterr().out)
    assert answer["files"] == 2
    keys = ["path", "code", "severity", "field", "line", "found", "expected", "fix"]
    assert [list(problem) for problem in answer["problems"]] == [keys, keys]


def test_json_names_what_was_skipped(capsys):
    problems.print_as_json(Judged(Path("/v"), (), (), (("z.md", "Permission denied"),)))
    assert json.loads(capsys.readouterr().out)["skipped"] == [{"path": "z.md", "reason": "Permission denied"}]


def test_github_gets_one_escaped_command_a_problem(capsys):
    odd = Problem(
        "a/memory/x,y:1.md", "yaml-syntax", "error", "50 % of it", "YAML\nthat can be read", "Quote it."
    )
    problems.print_github(Judged(Path("/v"), (odd.path,), (odd,)))
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=a/memory/x%2Cy%3A1.md,line=1,title=yaml-syntax::found 50 %25 of it")


def test_sarif_names_rule_level_file_and_line(judged, capsys):
    problems.print_sarif(judged)
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["field-enum", "not-indexed"]
    first, second = run["results"]
    assert (first["ruleId"], first["level"], second["level"]) == ("field-enum", "error", "warning")
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "fern/memory/x.md"}, "region": {"startLine": 10}}
