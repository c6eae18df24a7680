"""`atomicd verify`: a canary note through the running daemon, timed, then removed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents.cli.located import named, of_service, real_rim
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.exceptions import AtomicAgentsError, TemporaryError

if TYPE_CHECKING:
    from atomic_agents.lifecycle.canary import Flight
    from atomic_agents.lifecycle.plan import Scope

LOCK: Final = "verify.lock"

_EPILOG: Final = """\b
Examples:
  atomicd verify
  atomicd verify --timeout 60 --json
  atomicd verify --name work
\b
Exit status: 0 the daemon works, 1 it does not, 2 wrong usage.
"""


@click.command(epilog=_EPILOG)
@shared
@named
@as_json
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="Seconds.")
def verify(choices: Choices, name: str, scope: Scope, as_json: bool, timeout: float) -> int:
    """Prove that the running daemon indexes a new note, and leave nothing behind."""
    choices = of_service(choices, name, scope)
    try:
        flight = fly(choices.root(), timeout)
    except AtomicAgentsError as error:
        if as_json:
            print_json({"ok": False, "error": str(error), "hint": error.hint})
            return 1
        raise AtomicAgentsError(str(error), hint=error.hint) from error
    tell(flight, as_json=as_json)
    return 0


def fly(root: Path, timeout: float) -> Flight:
    """Send a canary through the daemon of a vault.

    Args:
        root: the vault's real path.
        timeout: seconds to wait, each time.

    Raises:
        AtomicAgentsError: no daemon runs, it is paused, or it does not do its work.

    """
    import filelock

    from atomic_agents.lifecycle.canary import fly as fly_canary
    from atomic_agents.store import state_folder

    folder = state_folder(root)
    _check_running(folder, root)
    try:
        with filelock.FileLock(folder / LOCK, timeout=2 * timeout):
            return fly_canary(real_rim(), root, dt.datetime.now().astimezone().date(), limit=timeout)
    except filelock.Timeout as error:
        raise TemporaryError("another check is under way", hint="try again later") from error


def tell(flight: Flight, *, as_json: bool = False) -> None:
    """Print how it went."""
    values: dict[str, Any] = flight.as_json()
    if as_json:
        print_json(values)
    else:
        say(
            f"A new note was indexed after {flight.indexed_ms} ms and its line removed after "
            f"{flight.removed_ms} ms; nothing is left of it.",
            colour="green",
        )


def _check_running(folder: Path, root: Path) -> None:
    from atomic_agents.daemon.status import Now, read_status

    told = read_status(folder, root, Now.read())
    if told.state not in {"running", "degraded", "starting"}:
        reasons = f": {'; '.join(told.reasons)}" if told.reasons else ""
        raise AtomicAgentsError(
            f"the daemon is {told.state}{reasons}", hint="start it: `atomicd service start`, or `atomicd run`"
        )
