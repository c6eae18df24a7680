"""`atomicd quarantine`: what was blocked, and what to do about it (contract [Q-4])."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say
from atomic_agents.quarantine import Incident, Incidents
from atomic_agents.quarantine.returning import give_back
from atomic_agents.vault.lock import VaultLock

_LOCK_SECONDS: Final = 10.0

_EPILOG: Final = """\b
Examples:
  atomicd quarantine list
  atomicd quarantine show 20261201T1015
  atomicd quarantine restore 20261201T1015 --force
"""


@click.group(epilog=_EPILOG)
def quarantine() -> None:
    """Show what was blocked, and put it back."""


@quarantine.command("list", epilog="\b\nExample:\n  atomicd quarantine list --all")
@shared
@as_json
@click.option("--all", "with_solved", is_flag=True, help="The solved ones too.")
def list_(choices: Choices, as_json: bool, with_solved: bool) -> int:
    """List the incidents, newest first."""
    incidents = Incidents(choices.root())
    found = [i for i in reversed(incidents.all()) if with_solved or i.state == "open"]
    if as_json:
        print_json([incident.as_json() for incident in found])
        return 0
    if not found:
        say("Nothing is in quarantine.")
        return 0
    print_table(("ID", "AGE", "FILE", "PROBLEM", "TIMES", "PUT BACK"), [_row(incident) for incident in found])
    say(f"{len(found)} incident(s). `atomicd quarantine show ID` tells what to mend; nothing was lost.")
    for name in incidents.unreadable():
        say(f"{name}: no readable report.json; left alone", colour="yellow")
    return 0


@quarantine.command(epilog="\b\nExample:\n  atomicd quarantine show 20261201T1015")
@shared
@as_json
@click.argument("identifier", metavar="ID")
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


@quarantine.command(epilog="\b\nExample:\n  atomicd quarantine restore 20261201T1015 --force")
@shared
@as_json
@click.argument("identifier", metavar="ID")
@click.option(
    "--force", is_flag=True, help="Also over a file that is there (it is kept), and though invalid."
)
def restore(choices: Choices, as_json: bool, identifier: str, force: bool) -> int:
    """Put the blocked bytes back where they were; they are not blocked again."""
    root = choices.root()
    incidents = Incidents(root)
    with VaultLock(root).hold(timeout=_LOCK_SECONDS):
        back = give_back(incidents, root, incidents.find(identifier), force=force)
    if as_json:
        print_json(back.incident.as_json())
        return 0
    say(f"{back.incident.path}: back as it was written.", colour="green")
    if back.displaced is not None:
        say(f"What stood there is kept: {back.displaced.relative_to(root)}")
    return 0


def _row(incident: Incident) -> tuple[str, ...]:
    first = incident.problems[0] if incident.problems else None
    problem = f"{first.field or 'file'}: {first.code}" if first else ""
    more = f" (+{len(incident.problems) - 1})" if len(incident.problems) > 1 else ""
    back = "yes" if incident.restored else "no"
    return (
        incident.id,
        _age(incident.last_seen),
        incident.path,
        problem + more,
        str(incident.occurrences),
        back,
    )


def _age(moment: str) -> str:
    seconds = (dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(moment)).total_seconds()
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {name}"
    return f"{max(seconds, 0):.0f} s"


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
        text = file.read_bytes()[: 1 << 20].decode("utf-8", "backslashreplace").split("\n")
    except OSError:
        return []
    shown: list[Any] = []
    for number in range(max(line - 1, 1), min(line + 1, len(text)) + 1):
        mark = ">" if number == line else " "
        shown.append(f"{mark} {number:>4} | {text[number - 1][:160]}")
    return shown
