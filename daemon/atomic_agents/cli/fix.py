"""`atomicd fix`: mend what is mechanical, show it, and explain the rest (contract [WRITE-1], section 8)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared

if TYPE_CHECKING:
    from atomic_agents.cli.mending import Change, Plan

_EPILOG: Final = """\b
Examples:
  atomicd fix fern/memory             what could be done?
  atomicd fix fern/memory --write     do it
  atomicd fix fern/memory --rename --write
\b
Mended are: values that need quotes, fences, dates with a time or
without zeros, a quoted version, a type below `metadata:`, tabs, a byte
order mark; with --rename, names that lack a type or underscores.
The former version is kept first: `atomicd history PATH`.
\b
Exit status: 0 nothing is left to mend, 1 something is, 2 wrong usage.
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--write", is_flag=True, help="Write what is shown.")
@click.option("--rename", is_flag=True, help="Rename files too; links and INDEX entries follow.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
def fix(choices: Choices, paths: tuple[Path, ...], *, as_json: bool, write: bool, rename: bool) -> int:
    """Mend what is mechanical in the PATHS; without --write only show it."""
    from atomic_agents.cli.following import follow
    from atomic_agents.cli.mending import make_plan
    from atomic_agents.cli.writing import carry_out

    plan = make_plan(choices, paths, with_names=rename)
    follow(plan)
    if write and plan.due:
        carry_out(plan)
    if as_json:
        _print_json(plan)
    else:
        _show(plan, write=write)
    is_done = all(change.written for change in plan.due)
    return 0 if is_done and not plan.left and not plan.skipped else 1


def _print_json(plan: Plan) -> None:
    from atomic_agents.cli.output import print_json
    from atomic_agents.model import printable

    print_json(
        {
            "files": len(plan.changes),
            "fixes": [_as_json(change) for change in plan.due],
            "left": [problem.as_json() | {"path": printable(problem.path)} for problem in plan.left],
            "skipped": [{"path": printable(path), "reason": reason} for path, reason in plan.skipped],
        }
    )


def _as_json(change: Change) -> dict[str, Any]:
    from atomic_agents.model import printable

    return {
        "path": printable(change.path),
        "rename": change.rename,
        "mends": [
            {"code": mend.code, "field": mend.field, "lines": [mend.first, mend.last], "done": mend.done}
            for mend in change.mends
        ],
        "diff": _diff(change),
        "written": change.written,
        "refused": change.refused,
    }


def _show(plan: Plan, *, write: bool) -> None:
    from atomic_agents.cli.output import say

    for change in plan.due:
        _show_change(change, write=write)
    _show_left(plan)
    for path, reason in plan.skipped:
        say(f"{path}: {reason}; left alone", colour="red")
    say(_summary(plan, write=write), bold=True)


def _show_change(change: Change, *, write: bool) -> None:
    from atomic_agents.cli.diffs import print_diff
    from atomic_agents.cli.output import say

    say(change.path, bold=True)
    for mend in change.mends:
        say(f"  line {mend.first}: {mend.done}")
    if change.data != change.reading.data and not change.mends:
        say("  a link follows a file to its new name")
    if change.rename is not None:
        say(f"  new name: {change.rename}")
    print_diff(_diff(change)[2:])
    if write and change.refused is not None:
        say(f"  not written: {change.refused}", colour="red")
    say("")


def _show_left(plan: Plan) -> None:
    from atomic_agents.cli.problems import print_problems

    print_problems(plan.left)


def _diff(change: Change) -> list[str]:
    """Return the unified diff; lines that look like secrets are not shown."""
    from atomic_agents.cli.diffs import unified
    from atomic_agents.units.tokens import MASK, has_secret

    lines = unified(change.reading.data, change.data, (change.path, change.new_path))
    return [f"{line[:1]}({MASK})" if has_secret(line) else line for line in lines]


def _summary(plan: Plan, *, write: bool) -> str:
    due, left = plan.due, len(plan.left)
    written = sum(change.written for change in due)
    files = f"{len(plan.changes)} file{'' if len(plan.changes) == 1 else 's'}"
    by_hand = f"; {left} problem{'' if left == 1 else 's'} to mend by hand" if left else ""
    if not due:
        return f"{files}: nothing that can be mended by itself{by_hand}"
    if write:
        return f"{files}: {written} of {len(due)} written{by_hand}"
    return f"{files}: {len(due)} would be written, with --write{by_hand}"
