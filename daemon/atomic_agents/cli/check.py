"""`atomicd check` and `atomicd lint`: judge files, now and once (contract section 8)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared

if TYPE_CHECKING:
    from atomic_agents.cli.judging import Judged
    from atomic_agents.model import Severity

_FORMATS: Final = ("text", "json", "sarif", "github")
_SEVERITIES: Final = ("error", "warning")

_CHECK_EPILOG = """\b
Examples:
  atomicd check                  the whole vault
  atomicd check memory/feedback_tone_of_voice.md  one note
  atomicd check --format github $(git diff --name-only HEAD~1)
  atomicd check --install-hook   before each git commit
\b
Exit status: 0 nothing blocks, 1 something does, 2 wrong usage.
"""
_LINT_EPILOG = """\b
Examples:
  atomicd lint
  atomicd lint fern/wiki --json | jq -r '.problems[].code' | sort
  atomicd lint --write-baseline known.json   start clean
  atomicd lint --baseline known.json --fail-on warning
\b
Exit status: 0 no errors, 1 errors (or what --fail-on says), 2 wrong usage.
"""


def _judging(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options and the argument that both commands share."""
    file = click.Path(path_type=Path, dir_okay=False)
    for add in (
        click.argument("paths", nargs=-1, type=click.Path(path_type=Path)),
        click.option("--write-baseline", "new", type=file, help="Write what is wrong now as known problems."),
        click.option("--baseline", type=file, help="Leave out the problems that this file names as known."),
        click.option(
            "--format", "shape", type=click.Choice(_FORMATS), default="text", help="How problems are printed."
        ),
        as_json,
        shared,
    ):
        command = add(command)
    return command


@click.command(epilog=_CHECK_EPILOG)
@click.option("--staged", is_flag=True, help="Judge what is staged in git, as the next commit will hold it.")
@click.option("--install-hook", is_flag=True, help="Have git judge what is staged before each commit.")
@_judging
def check(
    choices: Choices,
    paths: tuple[Path, ...],
    staged: bool,
    install_hook: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Judge the PATHS (default: the whole vault) and show the errors."""
    from atomic_agents.cli.judging import judge_paths, judge_staged

    if paths and (staged or install_hook):
        raise click.UsageError("--staged and --install-hook take no PATHS")
    if install_hook:
        return _install_hook(choices)
    judged = judge_staged(choices) if staged else judge_paths(choices, paths, warnings=False)
    return _finish(judged.errors_only(), "error", as_json=as_json, **options)


@click.command(epilog=_LINT_EPILOG)
@click.option("--severity", type=click.Choice(_SEVERITIES), default="warning", help="Least severity shown.")
@click.option(
    "--fail-on", type=click.Choice(_SEVERITIES), default="error", help="Least severity for exit status 1."
)
@_judging
def lint(
    choices: Choices,
    paths: tuple[Path, ...],
    severity: Severity,
    fail_on: Severity,
    as_json: bool,
    **options: Any,
) -> int:
    """Judge the PATHS (default: the whole vault) and show errors and warnings.

    Besides notes, pages and INDEX files it looks at persona, tools, model, journal and log files.
    """
    from atomic_agents.cli.judging import judge_paths

    judged = judge_paths(choices, paths)
    if severity == "error":
        judged = judged.errors_only()
    return _finish(judged, fail_on, as_json=as_json, **options)


def _install_hook(choices: Choices) -> int:
    from atomic_agents.cli.output import say
    from atomic_agents.cli.staging import install_hook

    hook, is_new = install_hook(choices.root())
    say(f"{hook}: {'installed' if is_new else 'is installed already'}; delete it to be rid of it")
    return 0


def _finish(
    judged: Judged, fail_on: Severity, *, as_json: bool, shape: str, baseline: Path | None, new: Path | None
) -> int:
    """Print a result, or keep it as a baseline; return the exit status."""
    if new is not None:
        return _keep(judged, new)
    if baseline is not None:
        from atomic_agents.cli.baseline import apply_baseline

        judged = apply_baseline(judged, baseline)
    _print(judged, "json" if as_json else shape)
    return 1 if judged.fails(fail_on) else 0


def _keep(judged: Judged, new: Path) -> int:
    from atomic_agents.cli.baseline import write_baseline
    from atomic_agents.cli.output import say

    number = write_baseline(judged, new)
    say(f"{new}: {number} known problem{'' if number == 1 else 's'}; `--baseline {new}` leaves them out")
    return 0


def _print(judged: Judged, shape: str) -> None:
    from atomic_agents.cli import problems

    printers = {
        "text": problems.print_text,
        "json": problems.print_as_json,
        "sarif": problems.print_sarif,
        "github": problems.print_github,
    }
    printers[shape](judged)
