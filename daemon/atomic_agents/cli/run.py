"""`atomicd run`: the daemon in the foreground."""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import TYPE_CHECKING, Final

import click

from atomic_agents.cli.options import Choices, shared
from atomic_agents.exceptions import AlreadyRunningError, AtomicAgentsError, ConfigError

if TYPE_CHECKING:
    from atomic_agents.log import Form

_PERMANENT: Final = frozenset({64, 66, 78})
"""Exit codes after which a new start changes nothing: systemd is told so in the unit, launchd cannot be."""

_EPILOG = """\b
Examples:
  atomicd run
  atomicd run --vault ~/docs/agents
  atomicd run | jq .event     JSON where no terminal is
\b
Exit status: 0 ended as asked, 64 usage, 66 vault missing, 69 already running,
73 cannot write, 75 temporary, 78 configuration.
"""


@click.command(epilog=_EPILOG)
@shared
@click.option("--wait", is_flag=True, help="Wait for a vault that is not there (yet) instead of ending.")
@click.option("--quiet", is_flag=True, help="Nothing on standard output; the log file tells it all.")
@click.option("--launchd", is_flag=True, hidden=True, help="Quiet; end with 0 where a restart cannot help.")
def run(choices: Choices, wait: bool, quiet: bool, launchd: bool) -> int:
    """Watch the vault until Ctrl-C: readable lines on a terminal, JSON lines elsewhere."""
    from atomic_agents.clock import SystemClock
    from atomic_agents.daemon.notify import service_manager
    from atomic_agents.daemon.run import Surroundings
    from atomic_agents.daemon.run import run as run_daemon

    _tell_where_it_hangs()
    around = Surroundings(
        load=choices.load,
        form=_form(),
        quiet=quiet or launchd,
        wait=wait,
        listener=service_manager(os.environ, SystemClock()),
    )
    try:
        return run_daemon(around)
    except AlreadyRunningError:
        raise
    except AtomicAgentsError as error:
        _leave_word(choices, error)
        if launchd and error.exit_code in _PERMANENT:
            click.echo(f"atomicd: {error}", err=True)
            return 0
        raise


def _tell_where_it_hangs() -> None:
    """Print every thread's place when the service manager aborts a daemon that gives no sign."""
    if sys.stderr is not None and not faulthandler.is_enabled():
        faulthandler.enable()


def _form() -> Form:
    if sys.stdout.isatty():
        return "console" if os.environ.get("NO_COLOR") else "colour"
    return "journal" if _is_journal() else "json"


def _is_journal() -> bool:
    """Whether standard output is the systemd journal, which adds the time by itself."""
    there = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def _leave_word(choices: Choices, error: AtomicAgentsError) -> None:
    """Let `status` tell why the start failed, where it is known which vault was meant."""
    from atomic_agents.daemon.status import record_failure
    from atomic_agents.store import state_folder

    try:
        root = choices.vault_path()
    except ConfigError:
        return
    try:
        record_failure(state_folder(root), root, error)
    except OSError as unwritten:
        click.echo(f"atomicd: status file: {unwritten.strerror}", err=True)
