"""`atomicd check` and `atomicd lint`: judge files, now and once (contract section 8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared

if TYPE_CHECKING:
    from atomic_agents.cli.judging import Judged

_FORMATS: Final = ("text", "json", "sarif", "github")

_CHECK_EPILOG = """\b
Examples:
  atomicd check                  the whole vault
  atomicd check memory/feedback_tone_of_voice.md  one note
  atomicd check --format github $(git diff --name-only HEAD~1)
\b
Exit status: 0 nothing blocks, 1 something does, 2 wrong usage.
"""
_LINT_EPILOG = """\b
Examples:
  atomicd lint
  atomicd lint fern/wiki --json | jq -r '.problems[].code' | sort
\b
Exit status: 0 no errors, 1 errors, 2 wrong usage.
"""


@click.command(epilog=_CHECK_EPILOG)
@shared
@as_json
@click.option(
    "--format", "shape", type=click.Choice(_FORMATS), default="text", help="How problems are printed."
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def check(choices: Choices, as_json: bool, shape: str, paths: tuple[Path, ...]) -> int:
    """Judge the PATHS (default: the whole vault) and show the errors."""
    return _judge(choices, paths, "json" if as_json else shape, warnings=False)


@click.command(epilog=_LINT_EPILOG)
@shared
@as_json
@click.option(
    "--format", "shape", type=click.Choice(_FORMATS), default="text", help="How problems are printed."
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def lint(choices: Choices, as_json: bool, shape: str, paths: tuple[Path, ...]) -> int:
    """Judge the PATHS (default: the whole vault) and show errors and warnings."""
    return _judge(choices, paths, "json" if as_json else shape, warnings=True)


def _judge(choices: Choices, paths: tuple[Path, ...], shape: str, *, warnings: bool) -> int:
    from atomic_agents.cli.judging import judge_paths

    judged = judge_paths(choices, paths, warnings=warnings)
    _print(judged if warnings else judged.errors_only(), shape)
    return 1 if judged.has_errors() else 0


def _print(judged: Judged, shape: str) -> None:
    from atomic_agents.cli import problems

    printers = {
        "text": problems.print_text,
        "json": problems.print_as_json,
        "sarif": problems.print_sarif,
        "github": problems.print_github,
    }
    printers[shape](judged)
