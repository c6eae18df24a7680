"""`atomicd doctor`: everything that the daemon depends on, looked at one by one (contract section 8)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from atomic_agents.cli.located import named, of_service
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say, say_command

if TYPE_CHECKING:
    from atomic_agents.lifecycle.check import Check
    from atomic_agents.lifecycle.plan import Scope

_MARKS: Final = {"pass": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}

_EPILOG: Final = """\b
Examples:
  atomicd doctor
  atomicd doctor --json | jq '.checks[] | select(.grade != "pass")'
\b
Exit status: 0 nothing failed, 1 something did, 2 wrong usage.
"""


@click.command(epilog=_EPILOG)
@shared
@named
@as_json
def doctor(choices: Choices, name: str, scope: Scope, as_json: bool) -> int:
    """Look at everything that the daemon depends on, and name the command that mends what is wrong."""
    checks = list(_examine(choices, name, scope))
    failed = any(check.grade == "fail" for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [check.as_json() for check in checks]})
    else:
        for check in checks:
            _show(check)
    return 1 if failed else 0


def _examine(choices: Choices, name: str, scope: Scope) -> Iterator[Check]:
    import atomic_agents
    from atomic_agents.lifecycle import machine_checks as machine

    yield machine.this_python()
    yield machine.check_packages(machine.providers(), origin=str(Path(atomic_agents.__file__).parent))
    yield machine.check_environment(os.environ)
    choices = of_service(choices, name, scope)
    yield from _configured(choices, name, scope)


def _configured(choices: Choices, name: str, scope: Scope) -> Iterator[Check]:
    """Yield what depends on the configuration; without one, its faults are all that can be told."""
    from atomic_agents.cli import examining
    from atomic_agents.exceptions import ConfigError
    from atomic_agents.lifecycle.check import Check

    try:
        config = choices.load()
    except ConfigError as error:
        yield Check("configuration", "fail", str(error), error.hint)
        return
    yield Check("configuration", "pass", "no faults")
    vault = Path(os.path.realpath(config.root))
    yield from examining.folders(vault)
    yield from examining.state(vault)
    yield from examining.service(vault, name, scope, has_notify=bool(config.notify.command))


def _show(check: Check) -> None:
    mark, colour = _MARKS[check.grade]
    say(f"{mark} {check.name}: {check.said}", colour=colour if check.grade != "pass" else None)
    if check.mend:
        say_command("  mend it", check.mend)
