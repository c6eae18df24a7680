"""Problems in four shapes: for people, for programs, for code scanning, for GitHub's annotations."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any, Final

import click

from atomic_agents import __version__
from atomic_agents.cli.judging import Judged
from atomic_agents.cli.output import columns, print_json, say
from atomic_agents.log.wrapping import wrap
from atomic_agents.model import Problem, printable
from atomic_agents.units import CODES

_COLOURS: Final = {"error": "red", "warning": "yellow"}
_MARKS: Final = {"error": "✗", "warning": "!"}
_MARGIN: Final = " " * 8
_LEVELS: Final = {"error": "error", "warning": "warning"}


def print_text(judged: Judged) -> None:
    """Print the problems grouped by file, each with what was found, what was expected and the fix."""
    print_problems(judged.problems)
    for path, reason in judged.skipped:
        say(f"{path}: {reason}; not judged", colour="red")
    say(_summary(judged), colour="green" if not judged.problems and not judged.skipped else None)


def print_problems(found: Iterable[Problem]) -> None:
    """Print the problems alone, grouped by file.

    Args:
        found: those of one file behind each other.

    """
    for path, problems in itertools.groupby(found, key=lambda problem: problem.path):
        say(path, bold=True)
        for problem in problems:
            print_problem(problem)
        say("")


def print_as_json(judged: Judged) -> None:
    """Print `{"files": n, "problems": [...]}`; what could not be judged is under `skipped`."""
    values: dict[str, Any] = {
        "files": len(judged.files),
        "problems": [problem.as_json() | {"path": printable(problem.path)} for problem in judged.problems],
    }
    if judged.skipped:
        values["skipped"] = [{"path": printable(path), "reason": reason} for path, reason in judged.skipped]
    print_json(values)


def print_github(judged: Judged) -> None:
    """Print workflow commands that GitHub shows beside the lines."""
    for problem in judged.problems:
        where = f"file={_github(problem.path)},line={problem.line or 1},title={problem.code}"
        text = f"{_said(problem)}. {problem.fix}"
        click.echo(f"::{problem.severity} {where}::{_github(text, is_value=False)}")


def print_sarif(judged: Judged) -> None:
    """Print SARIF 2.1.0 for code scanning."""
    rules = sorted({problem.code for problem in judged.problems})
    run = {
        "tool": {
            "driver": {
                "name": "atomicd",
                "version": __version__,
                "rules": [{"id": code, "shortDescription": {"text": CODES[code].meaning}} for code in rules],
            }
        },
        "results": [_sarif(problem) for problem in judged.problems],
    }
    click.echo(json.dumps({"version": "2.1.0", "$schema": _SARIF, "runs": [run]}, indent=2))


_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def print_problem(problem: Problem) -> None:
    """Print one problem: its line and code, what was found and expected, and the fix."""
    line = f"{problem.line:>5}" if problem.line else "    -"
    head = f"{line} {_MARKS[problem.severity]} {problem.code}"
    lines = wrap(_said(problem), columns(), first=f"{head}  ", rest=_MARGIN)
    styled = click.style(head, fg=_COLOURS[problem.severity])
    click.echo("\n".join([f"{styled}{lines[0][len(head) :]}", *lines[1:]]))
    for text in wrap(printable(problem.fix), columns(), first=f"{_MARGIN}fix: ", rest=f"{_MARGIN}     "):
        click.echo(text)


def _said(problem: Problem) -> str:
    what = f"{problem.field}: " if problem.field else ""
    return printable(f"{what}found {problem.found}, expected {problem.expected}")


def _summary(judged: Judged) -> str:
    counts = {kind: sum(one.severity == kind for one in judged.problems) for kind in _COLOURS}
    parts = [f"{number} {kind}{'' if number == 1 else 's'}" for kind, number in counts.items() if number]
    files = f"{len(judged.files)} file{'' if len(judged.files) == 1 else 's'} judged"
    known = f", {judged.known} known" if judged.known else ""
    return f"{files}: {', '.join(parts) or 'all is well'}{known}"


def _sarif(problem: Problem) -> dict[str, Any]:
    return {
        "ruleId": problem.code,
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{_said(problem)}. {problem.fix}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": printable(problem.path)},
                    "region": {"startLine": problem.line or 1},
                }
            }
        ],
    }


def _github(text: str, *, is_value: bool = True) -> str:
    escaped = printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if is_value else escaped
