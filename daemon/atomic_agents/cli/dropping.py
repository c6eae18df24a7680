"""`atomicd quarantine drop`: the only thing that deletes quarantined bytes (contract [Q-4])."""

from __future__ import annotations

import click

from atomic_agents.cli.incidents import changing, identifier
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.quarantine import Incidents
from atomic_agents.quarantine.dropping import drop as drop_incident


@click.command(epilog="\b\nExample:\n  atomicd quarantine drop 20261201T1015 --yes")
@shared
@as_json
@identifier
@click.option("--yes", is_flag=True, help="Really delete the blocked bytes and their report.")
def drop(choices: Choices, as_json: bool, identifier: str, yes: bool) -> int:
    """Delete an incident with its bytes."""
    root = choices.root()
    incidents = Incidents(root)
    incident = incidents.find(identifier)
    if not yes:
        raise click.UsageError(
            f"{incident.id}: {incident.size} bytes of {incident.path!a} would be deleted for good; say --yes"
        )
    with changing(root, incidents, incident.agent):
        drop_incident(incidents, incident)
    if as_json:
        print_json({"dropped": incident.id})
    else:
        say(f"{incident.id}: deleted.")
    return 0
