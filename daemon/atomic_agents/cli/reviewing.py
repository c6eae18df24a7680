"""`atomicd quarantine diff | retry | restore` (contract [Q-4])."""

from __future__ import annotations

from typing import Final

import click

from atomic_agents.cli.diffs import print_diff, unified
from atomic_agents.cli.incidents import changing, good_version, identifier, print_problems
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.cli.weighing import errors_of
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.quarantine import Incidents
from atomic_agents.quarantine.returning import give_back, put_mended, quarantined_bytes

_STATUS: Final = "\b\nExit status: 0 done, 1 still invalid or not possible, 2 wrong usage."


@click.command(epilog="\b\nExample:\n  atomicd quarantine diff 20261201T1015")
@shared
@as_json
@identifier
def diff(choices: Choices, as_json: bool, identifier: str) -> int:
    """Compare the blocked bytes with the last good version."""
    root = choices.root()
    incidents = Incidents(root)
    incident = incidents.find(identifier)
    good = good_version(root, incident)
    if good is None:
        raise AtomicAgentsError(
            f"{incident.path}: no good version is known", hint="`atomicd quarantine show` tells what to mend"
        )
    lines = unified(good, quarantined_bytes(incidents, incident), ("last good version", "blocked write"))
    if as_json:
        print_json({"id": incident.id, "path": incident.as_json()["path"], "diff": lines})
    else:
        print_diff(lines)
    return 0


@click.command(epilog=f"\b\nExample:\n  atomicd quarantine retry 20261201T1015\n{_STATUS}")
@shared
@as_json
@identifier
def retry(choices: Choices, as_json: bool, identifier: str) -> int:
    """Judge the blocked bytes again, and put them back if they are valid by now.

    They go back where nothing is, or where only the version stands that was put back for them.
    """
    root = choices.root()
    incidents = Incidents(root)
    incident = incidents.find(identifier)
    data = quarantined_bytes(incidents, incident)
    problems = errors_of(root, choices.load(), incident.path, data)
    if not problems:
        with changing(root, incidents, incident.agent):
            incident = put_mended(incidents, root, incident, data)
    if as_json:
        told = [problem.as_json() for problem in problems]
        print_json(incident.as_json() | {"valid": not problems, "problems": told})
    elif problems:
        print_problems(problems)
        say("Still invalid; nothing was put back.", colour="red")
    else:
        say(f"{incident.path}: valid by now, and back.", colour="green")
    return 1 if problems else 0


@click.command(epilog="\b\nExample:\n  atomicd quarantine restore 20261201T1015 --force")
@shared
@as_json
@identifier
@click.option("--force", is_flag=True, help="Also where a file is; that one is kept beside the incident.")
def restore(choices: Choices, as_json: bool, identifier: str, force: bool) -> int:
    """Put the blocked bytes back as they are, valid or not; they are not blocked again."""
    root = choices.root()
    incidents = Incidents(root)
    incident = incidents.find(identifier)
    with changing(root, incidents, incident.agent):
        back = give_back(incidents, root, incident, force=force)
    if as_json:
        print_json(back.incident.as_json())
        return 0
    say(f"{back.incident.path}: back as it was written.", colour="green")
    if back.displaced is not None:
        say(f"What stood there is kept: {back.displaced.relative_to(root)}")
    return 0
