"""`atomicd status`: how the daemon is, told from the state folder alone."""

from __future__ import annotations

from typing import Final

import click

from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say
from atomic_agents.daemon.status import CHECK_CODES, Now, Status, read_status
from atomic_agents.store import state_folder

_COLOURS: Final = {"running": "green", "starting": "cyan", "stopped": "yellow", "not-installed": "yellow"}

_EPILOG: Final = """\b
Examples:
  atomicd status
  atomicd status --json | jq .quarantined
  atomicd status --check && echo well
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--check", is_flag=True, help="Exit 0 healthy, 1 degraded, 2 not running, 3 never set up.")
def status(choices: Choices, as_json: bool, check: bool) -> int:
    """Say how the daemon of this vault is."""
    root = choices.root()
    told = read_status(state_folder(root), root, Now.read())
    if as_json:
        print_json(told.as_json())
    else:
        _show(told)
    return CHECK_CODES[told.state] if check else 0


def _show(told: Status) -> None:
    say(f"atomicd is {told.state}", colour=_COLOURS.get(told.state, "red"), bold=True)
    for reason in told.reasons:
        say(f"  {reason}")
    watch = f"{told.watch['mode'] or 'not yet'}, {told.watch['watches']} folders"
    facts = [
        ("vault", told.vault),
        ("pid", str(told.pid or "none")),
        ("units", f"{told.units} ({told.adopted} adopted, {told.held} held)"),
        ("quarantined", str(told.quarantined)),
        ("waiting", f"{told.queue} paths"),
        ("watching", watch),
        ("last sweep", told.last_sweep or "none yet"),
        ("last sign", told.heartbeat or "none"),
    ]
    print_table(("", ""), facts)
    for hold in told.holds:
        say(f"  held: {hold['path']} ({hold['reason']})", colour="yellow")
    if told.adopted:
        say(f"{told.adopted} files were invalid when this vault was adopted: `atomicd lint` lists them.")
    if told.quarantined:
        say(f"{told.quarantined} writes were blocked: `atomicd quarantine list` shows them.")
