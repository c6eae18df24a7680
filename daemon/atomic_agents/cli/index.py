"""`atomicd index`: look at the INDEX files, or rebuild them (contract [INDEX-7])."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from atomic_agents.cli.options import Choices, Group, as_json, shared
from atomic_agents.cli.output import print_json, say

if TYPE_CHECKING:
    from atomic_agents.index.plan import Plan

_EPILOG = """\b
Examples:
  atomicd index check
  atomicd index check --json | jq .orphans
  atomicd index rebuild --check         what would change?
  atomicd index rebuild
"""


@click.group(cls=Group, epilog=_EPILOG)
def index() -> None:
    """Look at the INDEX files, or rebuild them."""


@index.command(epilog="\b\nExample:\n  atomicd index check --json | jq .dead")
@shared
@as_json
def check(choices: Choices, as_json: bool) -> int:
    """Compare the INDEX files with the units; exit 1 if a unit is missing or an entry is dead or double."""
    from atomic_agents.cli.layers import check_layers

    report = check_layers(choices)
    if as_json:
        print_json(report)
    else:
        _show(report)
    return 1 if report["orphans"] or report["dead"] or report["duplicates"] else 0


@index.command(epilog="\b\nExamples:\n  atomicd index rebuild --check\n  atomicd index rebuild")
@shared
@as_json
@click.option("--check", "only_check", is_flag=True, help="Print the diff only; exit 1 if there is one.")
def rebuild(choices: Choices, as_json: bool, only_check: bool) -> int:
    """Bring every INDEX up to date, damaged ones and those with conflict markers included."""
    if only_check:
        return _plan(choices, as_json=as_json)
    from atomic_agents.cli.sync import sync_vault

    answer = sync_vault(choices, wait=False, rebuild=True)
    if as_json:
        print_json(answer)
        return 0
    for path in answer["written"]:
        say(f"wrote {path}")
    if not answer["written"]:
        say("Every INDEX says what it has to.", colour="green")
    return 0


def _plan(choices: Choices, *, as_json: bool) -> int:
    from atomic_agents.cli.layers import plan_layers

    plans = plan_layers(choices)
    changes = {path: plan for plan in plans for path in plan.after}
    lost = [line for plan in plans for line in plan.lost]
    if as_json:
        print_json({"differing": sorted(changes), "lost": lost})
    else:
        for path, plan in sorted(changes.items()):
            _show_diff(path, plan)
        for line in lost:
            say(f"would be lost: {line}", colour="red")
        if not changes:
            say("Every INDEX says what it has to.", colour="green")
    return 1 if changes else 0


def _show(report: dict[str, Any]) -> None:
    say(f"{report['entries']} entries, {sum(report['lines'].values())} lines in {len(report['lines'])} files")
    for path in report["orphans"]:
        say(f"  no entry   {path}", colour="red")
    for kind, word in (("dead", "no file   "), ("duplicates", "twice     ")):
        for one in report[kind]:
            say(
                f"  {word} {one['index']}:{one['line']}  {one.get('target') or one.get('file')}", colour="red"
            )
    for one in report["differing"]:
        say(f"  by hand    {one['file']}: {one['what']} says {one['stands']!r}, the unit {one['unit']!r}")
    for path in report["conflicted"]:
        say(f"  conflict   {path}", colour="red")


def _show_diff(path: str, plan: Plan) -> None:
    before = plan.before.get(path, b"").decode("utf-8", "backslashreplace").splitlines()
    after = plan.after[path].decode("utf-8", "backslashreplace").splitlines()
    colours = {"+": "green", "-": "red", "@": "cyan"}
    for line in difflib.unified_diff(before, after, path, path, lineterm=""):
        say(line, colour=colours.get(line[0]))
