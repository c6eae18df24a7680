"""`atomicd service`: systemd and launchd, so that nobody has to know them (contract section 11)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents.cli.located import manager, named, read_plan, real_rim, use_folders
from atomic_agents.cli.options import Choices, Group, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say, say_command

if TYPE_CHECKING:
    from atomic_agents.lifecycle.plan import Scope

_EPILOG: Final = """\b
Examples:
  atomicd service install            from each login on
  atomicd --vault ~/work service install --name work
  atomicd service status --json
  atomicd service install --dry-run  what would be done?
  atomicd service uninstall          state and log stay
"""

_INSTALL_EPILOG: Final = """\b
Examples:
  atomicd service install
  sudo atomicd service install --system --run-as agents
"""


def _example(command: str) -> str:
    return f"\b\nExample:\n  atomicd service {command}"


_dry_run = click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")


@click.group(cls=Group, epilog=_EPILOG)
def service() -> None:
    """Install the daemon as a service, and look after it."""


@service.command(epilog=_INSTALL_EPILOG)
@shared
@named
@as_json
@_dry_run
@click.option(
    "--run-as", metavar="USER", help="With --system: the user it runs as; default: the vault's owner."
)
@click.option(
    "--sandbox/--no-sandbox", default=None, help="Namespaces for a user service; default: if possible."
)
@click.option("--verify/--no-verify", default=True, help="End with a canary note (see `atomicd verify`).")
def install(
    choices: Choices,
    *,
    name: str,
    scope: Scope,
    as_json: bool,
    dry_run: bool,
    run_as: str | None,
    sandbox: bool | None,
    verify: bool,
) -> int:
    """Write the service, start it, and prove that it works; run it again after every change or update."""
    from atomic_agents.cli.installing import install_service, report
    from atomic_agents.cli.planning import Wish

    wish = Wish(name, scope, run_as=run_as, sandbox=sandbox, verify=verify, dry_run=dry_run)
    result = install_service(choices, wish)
    if as_json:
        print_json(result.as_json())
    else:
        report(result)
    return 0 if result.is_good else 1


@service.command(epilog=_example("uninstall --dry-run"))
@named
@as_json
@_dry_run
def uninstall(name: str, scope: Scope, as_json: bool, dry_run: bool) -> int:
    """Stop the service and remove it; the state and the log stay, and are named."""
    from atomic_agents.cli.installing import uninstall_service

    values = uninstall_service(name, scope, dry_run=dry_run)
    if as_json:
        print_json(values)
        return 0
    for note in values["steps"]:
        say_command("would", note)
    if not values["removed"]:
        say(f"{values['file']}: not installed")
    elif not dry_run:
        say(f"Removed {values['file']}.")
    for folder in values["kept"]:
        say(f"Kept {folder}")
    return 0


def _simple(action: str, done: str, help_text: str) -> None:
    @service.command(name=action, help=help_text, epilog=_example(action))
    @named
    @as_json
    @_dry_run
    def act(name: str, scope: Scope, as_json: bool, dry_run: bool) -> int:
        from atomic_agents.lifecycle.rim import DryRim

        rim = DryRim(real_rim()) if dry_run else real_rim()
        found = manager(scope, rim)
        use_folders(read_plan(found, name))
        getattr(found, action)(name)
        notes = list(rim.notes) if isinstance(rim, DryRim) else []
        if as_json:
            print_json({"action": action, "name": name, "dry_run": dry_run, "steps": notes})
        elif dry_run:
            for note in notes:
                say_command("would", note)
        else:
            say(f"{found.file(name).name}: {done}")
        return 0


_simple("start", "started", "Start the service and wait until it is ready.")
_simple("stop", "stopped", "Stop the service; it starts again at the next login, or with `start`.")
_simple("restart", "restarted", "Start the service anew, e.g. after an update of atomicd.")


@service.command(epilog=_example("status --json"))
@named
@as_json
def status(name: str, scope: Scope, as_json: bool) -> int:
    """Say how the service is and what differs from how it should be; exit 1 if anything does."""
    from atomic_agents.cli.inspecting import inspect

    found = inspect(name, scope)
    if as_json:
        print_json(found)
    else:
        _show(found)
    return 1 if found["drift"] or not found["installed"] else 0


@service.command(name="print", epilog=_example("print --name work"))
@shared
@named
@click.option("--run-as", metavar="USER", help="With --system: the user it runs as.")
@click.option("--sandbox/--no-sandbox", default=False, help="With the lines for namespaces.")
def print_unit(choices: Choices, name: str, scope: Scope, run_as: str | None, sandbox: bool) -> int:
    """Print the unit or property list that `install` would write."""
    from atomic_agents.cli.planning import Wish, make_plan

    found = manager(scope)
    plan = make_plan(choices, Wish(name, scope, run_as=run_as, sandbox=sandbox), found)
    click.echo(found.render(plan).decode("utf-8"), nl=False)
    return 0


def _show(found: dict[str, Any]) -> None:
    if not found["installed"]:
        say(f"{found['file']}: not installed; `atomicd service install` does it", colour="yellow")
    rows = [
        ("service", f"{found['kind']}, {Path(found['file']).name}"),
        ("file", found["file"]),
        ("manager says", found["said"]),
        ("starts by itself", "yes" if found["enabled"] else "no"),
        ("pid", str(found["pid"] or "none")),
        ("vault", str(found["vault"])),
        ("daemon", str(found["daemon"])),
    ]
    print_table(("", ""), rows)
    for drift in found["drift"]:
        say(f"  {drift['code']}: found {drift['found']}, expected {drift['expected']}", colour="yellow")
        say_command("  mend it", drift["fix"])
    for hint in found["hints"]:
        say(f"  {hint}")
