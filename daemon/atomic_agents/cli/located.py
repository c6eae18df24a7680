"""Which service a command means, and where that service keeps its state."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atomic_agents.cli.options import Choices
from atomic_agents.exceptions import AtomicAgentsError

if TYPE_CHECKING:
    from atomic_agents.lifecycle.manager import Manager
    from atomic_agents.lifecycle.plan import Plan, Scope
    from atomic_agents.lifecycle.rim import Rim


def named(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--name`, `--user` and `--system` to a command, which gets them as `name` and `scope`."""

    @click.option("--name", default="", help="Which service, where there is more than one.")
    @click.option("--user", "scope", flag_value="user", default="user", help="A service of this user.")
    @click.option("--system", "scope", flag_value="system", help="A service of the whole system.")
    @functools.wraps(command)
    def wrapped(**rest: Any) -> Any:
        return command(**rest)

    return wrapped


def of_service(choices: Choices, name: str, scope: Scope) -> Choices:
    """Return what a command line means that names a service: its vault, configuration and folders.

    Args:
        choices: the other options; they win.
        name: the service's; with "" and the user's scope nothing was named.
        scope: the user's or the system's.

    Raises:
        AtomicAgentsError: there is no such service.

    """
    if not name and scope == "user":
        return choices
    plan = read_plan(manager(scope), name)
    use_folders(plan)
    config = Path(plan.config) if plan.config is not None else None
    return replace(choices, vault=choices.vault or Path(plan.vault), config=choices.config or config)


def manager(scope: Scope, rim: Rim | None = None) -> Manager:
    """Return the service manager of this machine."""
    from atomic_agents.lifecycle.finding import this_manager

    return this_manager(rim or real_rim(), scope)


def real_rim() -> Rim:
    """Return the machine itself."""
    from atomic_agents.lifecycle.rim import RealRim, run_program, session_environment

    environment = session_environment()
    return RealRim(lambda words: run_program(words, environment))


def read_plan(manager: Manager, name: str) -> Plan:
    """Return what an installed service runs.

    Raises:
        AtomicAgentsError: it is not installed, or its file is none of ours.

    """
    from atomic_agents.lifecycle.install import read_unit

    file = manager.file(name)
    data = read_unit(file)
    if data is None:
        raise AtomicAgentsError(f"{file}: not installed", hint="`atomicd service install` makes it")
    try:
        return manager.parse(data, name)
    except ValueError as error:
        raise AtomicAgentsError(
            f"{file}: {error}", hint="`atomicd service install` writes it anew"
        ) from error


def use_folders(plan: Plan) -> None:
    """Look for state and log where a service keeps them."""
    from atomic_agents.lifecycle.unit_file import LOG, STATE

    os.environ[STATE], os.environ[LOG] = plan.state_dir, plan.log_dir
