"""`atomicd quarantine`: what was blocked, and what to do about it (contract [Q-4])."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Final

import click

from atomic_agents._files.read import open_regular
from atomic_agents.cli.breaker import breaker
from atomic_agents.cli.dropping import drop
from atomic_agents.cli.editing import edit
from atomic_agents.cli.incidents import age_of, identifier
from atomic_agents.cli.options import Choices, Group, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.cli.reviewing import diff, restore, retry
from atomic_agents.cli.stats import stats
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.quarantine import Incident, Incidents

_READ_BYTES: Final = 1 << 20
_WIDTH: Final = 160

_EPILOG: Final = """\b
Examples:
  atomicd quarantine list
  atomicd quarantine show 20261201T1015
  atomicd quarantine edit 20261201T1015
  atomicd quarantine breaker
"""


@click.group(cls=Group, epilog=_EPILOG)
def quarantine() -> None:
    """Show what was blocked, mend it, and put it back."""


@quarantine.command("list", epilog="\b\nExample:\n  atomicd quarantine list --all")
@shared
@as_json
@click.option("--all", "with_solved", is_flag=True, help="The solved ones too.")
@click.option("--agent", help="Only those of this agent's folder.")
def list_(choices: Choices, as_json: bool, with_solved: bool, agent: str | None) -> int:
    """List the incidents by note, newest first."""
    incidents = Incidents(choices.root())
    found = [
        incident
        for incident in reversed(incidents.all())
        if (with_solved or incident.is_open) and agent in {None, incident.agent}
    ]
    found.sort(key=lambda incident: incident.last_seen, reverse=True)
    if as_json:
        print_json([incident.as_json() for incident in found])
        return 0
    _print_groups(found)
    for name in incidents.unreadable():
        say(f"{name}: no readable report.json; left alone", colour="yellow")
    return 0


@quarantine.command(epilog="\b\nExample:\n  atomicd quarantine show 20261201T1015")
@shared
@as_json
@identifier
def show(choices: Choices, as_json: bool, identifier: str) -> int:
    """Show one incident: each problem with its line, and how to mend it."""
    incidents = Incidents(choices.root())
    incident = incidents.find(identifier)
    if as_json:
        print_json(incident.as_json())
        return 0
    file = incidents.file_of(incident)
    for line in _heading(incident, file):
        say(line)
    for problem in incident.problems:
        where = f"line {problem.line}, " if problem.line else ""
        say(f"\n{where}{problem.field or 'file'}: {problem.code}", colour="red", bold=True)
        for line in _quote(file, problem.line):
            say(line, colour="cyan")
        say(f"  found     {problem.found}\n  expected  {problem.expected}\n  fix       {problem.fix}")
    return 0


for _command in (diff, retry, restore, edit, drop, breaker, stats):
    quarantine.add_command(_command)


def _print_groups(found: list[Incident]) -> None:
    if not found:
        say("Nothing is in quarantine.")
        return
    newest = {path: number for number, path in reversed(list(enumerate(one.path for one in found)))}
    grouped = sorted(found, key=lambda incident: newest[incident.path])
    for path, group in itertools.groupby(grouped, key=lambda incident: incident.path):
        say(path, bold=True)
        for incident in group:
            say(f"  {incident.id}")
            say(f"    {_row(incident)}")
    say(_summary(found))


def _row(incident: Incident) -> str:
    first = incident.problems[0] if incident.problems else None
    problem = f"{first.field or 'file'}: {first.code}" if first else "no problem told"
    more = f" (+{len(incident.problems) - 1})" if len(incident.problems) > 1 else ""
    times = f", {incident.occurrences} times" if incident.occurrences > 1 else ""
    back = "the last good version is back" if incident.restored else "nothing put back"
    state = "" if incident.is_open else f", {incident.state}"
    agent = incident.agent or "the vault"
    return f"{age_of(incident.last_seen)} ago, {agent}, {problem}{more}{times}; {back}{state}"


def _summary(found: list[Incident]) -> str:
    notes = len({incident.path for incident in found})
    what = (
        f"{len(found)} incident{'s' * (len(found) != 1)} of {notes} note{'s' * (notes != 1)}; nothing is lost"
    )
    return f"{what}. `show ID` tells what to mend, `edit ID` mends it here, `retry ID` judges it again."


def _heading(incident: Incident, file: Path) -> list[str]:
    back = "the last good version is in its place" if incident.restored else "nothing was put in its place"
    return [
        f"{incident.path}",
        f"  {incident.id}, {incident.state}, seen {incident.occurrences} time(s), last {incident.last_seen}",
        f"  {incident.size} bytes kept in {file}",
        f"  {back}",
    ]


def _quote(file: Path, line: int | None) -> list[str]:
    """Return the offending line with the ones around it."""
    if line is None:
        return []
    try:
        with open_regular(file) as (handle, _status):
            text = os.read(handle, _READ_BYTES).decode("utf-8", "backslashreplace").split("\n")
    except (OSError, AtomicAgentsError):
        return []
    shown: list[str] = []
    for number in range(max(line - 1, 1), min(line + 1, len(text)) + 1):
        mark = ">" if number == line else " "
        shown.append(f"{mark} {number:>4} | {text[number - 1][:_WIDTH]}")
    return shown
