"""`atomicd run`: the daemon in the foreground."""

from __future__ import annotations

import os
import sys

import click

from atomic_agents.cli.options import Choices, shared

_EPILOG = """\b
Examples:
  atomicd run
  atomicd run --vault ~/docs/agents
  atomicd run | jq .event                 JSON lines where there is no terminal
"""


@click.command(epilog=_EPILOG)
@shared
def run(choices: Choices) -> int:
    """Watch the vault until Ctrl-C: readable lines on a terminal, JSON lines elsewhere."""
    from atomic_agents.daemon.run import Surroundings
    from atomic_agents.daemon.run import run as run_daemon

    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR")
    return run_daemon(Surroundings(load=choices.load, console=terminal, colour=colour))
