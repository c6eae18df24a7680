"""`atomicd status`: how the daemon is, told from the state folder, without the daemon."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from atomic_agents.cli.located import named, of_service
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json
from atomic_agents.daemon.report import Report, read_report
from atomic_agents.daemon.status import CHECK_CODES, Now, Status
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.store import state_folder

if TYPE_CHECKING:
    from atomic_agents.lifecycle.finding import Service
    from atomic_agents.lifecycle.plan import Scope

_REFRESH_SECONDS: Final = 1.0

_EPILOG: Final = """\b
Examples:
  atomicd status
  atomicd status --json | jq .quarantined
  atomicd status --check && echo well
  atomicd status --watch            Ctrl-C ends
  atomicd status --name work        of a second service
\b
Exit status with --check: 0 running, 1 degraded, paused or stale, 2 it should
run and does not, 3 never set up. Without: 0.
"""


@click.command(epilog=_EPILOG)
@shared
@named
@as_json
@click.option("--check", is_flag=True, help="Tell by the exit status whether all is well.")
@click.option("--watch", is_flag=True, help="Show it all the time; with --json one line each time.")
def status(choices: Choices, *, name: str, scope: Scope, as_json: bool, check: bool, watch: bool) -> int:
    """Say how the daemon of this vault is."""
    from atomic_agents.cli import showing

    vault = of_service(choices, name, scope).vault_path()
    report = look(vault)
    if watch:
        showing.watch(lambda: look(vault), every=_REFRESH_SECONDS, as_json=as_json)
    elif as_json:
        print_json(report.as_json())
    else:
        showing.show(report)
    return CHECK_CODES[report.status.state] if check else 0


def look(vault: Path) -> Report:
    """Return how the daemon of a vault is, and what its service has to do with it.

    Args:
        vault: its real path; it need not be there.

    Raises:
        AtomicAgentsError: this user may not read the state.

    """
    try:
        report = read_report(state_folder(vault), vault, Now.read())
    except PermissionError as error:
        raise AtomicAgentsError(
            f"{error.filename}: {error.strerror}", hint="ask as the user that runs the daemon, or with sudo"
        ) from error
    return dataclasses.replace(report, status=with_service(report.status, _service(vault)))


def with_service(told: Status, service: Service | None) -> Status:
    """Return a status that knows whether a service is installed for the vault.

    Args:
        told: what the state folder says.
        service: the installed service, or None.

    """
    if service is None or told.state not in {"not-installed", "stopped"}:
        return told
    start = f"atomicd service start{f' --name {service.name}' if service.name else ''}"
    never = (
        "is installed and was never started"
        if told.state == "not-installed"
        else "is installed and not running"
    )
    return dataclasses.replace(told, state="stopped", reasons=(f"{service.file.name} {never}: `{start}`",))


def _service(vault: Path) -> Service | None:
    from atomic_agents.cli.located import manager
    from atomic_agents.lifecycle.finding import service_of
    from atomic_agents.lifecycle.manager import NoManagerError

    try:
        return service_of(manager("user"), vault) or service_of(manager("system"), vault)
    except NoManagerError:
        return None
