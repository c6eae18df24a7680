"""`atomicd sync`: all that is pending now, by the running daemon or else by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.exceptions import AlreadyRunningError, AtomicAgentsError

_EPILOG = """\b
Examples:
  atomicd sync
  atomicd sync --vault ./notes --json
  atomicd sync --no-wait     leave grace times for later
"""
_TIMEOUT_SECONDS: Final = 600.0


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--wait/--no-wait", default=True, help="Wait for the grace time of invalid files.")
def sync(choices: Choices, as_json: bool, wait: bool) -> int:
    """Bring the vault up to date and return when that is done."""
    answer = sync_vault(choices, wait=wait)
    if "error" in answer:
        raise AtomicAgentsError(str(answer["error"]))
    if as_json:
        print_json(answer)
    else:
        _show(answer)
    return 0


def sync_vault(choices: Choices, *, wait: bool, rebuild: bool = False) -> dict[str, Any]:
    """Bring a vault up to date, by its running daemon or else in this process, and return the answer.

    Args:
        choices: which vault.
        wait: also for grace times and second looks.
        rebuild: then write every INDEX anew where it differs.

    Raises:
        AtomicAgentsError: it could not be done.

    """
    from atomic_agents.daemon.instance import owner
    from atomic_agents.daemon.run import Surroundings, sync_once
    from atomic_agents.store import state_folder

    folder = state_folder(choices.root())
    if owner(folder) is None:
        try:
            return sync_once(Surroundings(load=choices.load, quiet=True), wait=wait, rebuild=rebuild)
        except AlreadyRunningError:
            if owner(folder) is None:
                raise
    return _ask(folder, {"wait": wait, "rebuild": rebuild})


def _ask(folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    from atomic_agents.daemon.instance import owner
    from atomic_agents.daemon.requests import ask

    return ask(
        folder, "sync", arguments, is_alive=lambda: owner(folder) is not None, timeout=_TIMEOUT_SECONDS
    )


def _show(answer: dict[str, Any]) -> None:
    say(f"{answer['units']} units, {answer['adopted']} adopted, {answer['quarantined']} in quarantine")
    for path in answer["written"]:
        say(f"  wrote {path}")
    for hold in answer["held"]:
        say(f"  held {hold['path']} ({hold['reason']})", colour="yellow")
    for path, reason in answer["trouble"].items():
        say(f"  {path}: {reason}", colour="yellow")
    if answer["breaker"] == "open":
        say("  too many invalid files at once; nothing is moved: `atomicd quarantine breaker`", colour="red")
