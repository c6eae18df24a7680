"""A plan as a property list of launchd, and back (contract section 11)."""

from __future__ import annotations

import plistlib
from pathlib import Path
from typing import Any, Final
from xml.parsers.expat import ExpatError

from atomic_agents.lifecycle.plan import Plan, command, options
from atomic_agents.lifecycle.templates import read_template
from atomic_agents.lifecycle.unit_file import LOG, STATE

LABEL: Final = "io.atomic-agents.atomicd"


def label(name: str) -> str:
    """Return the label of a service: `io.atomic-agents.atomicd`, with `.work` for a named one."""
    return f"{LABEL}.{name}" if name else LABEL


def output_path(plan: Plan) -> Path:
    """Return where launchd puts what the process prints outside of its log."""
    return Path(plan.log_dir) / f"{plan.stem}.launchd.log"


def render_plist(plan: Plan) -> bytes:
    """Return the property list that a plan stands for.

    Args:
        plan: the service.

    """
    values: dict[str, Any] = plistlib.loads(read_template("launchd", f"{LABEL}.plist"))
    values["Label"] = label(plan.name)
    values["ProgramArguments"] = list(command(plan, "--launchd", "--wait"))
    values["WorkingDirectory"] = plan.home
    values["EnvironmentVariables"] = {STATE: plan.state_dir, LOG: plan.log_dir}
    values["StandardOutPath"] = values["StandardErrorPath"] = str(output_path(plan))
    if plan.scope == "system":
        values["UserName"] = plan.run_as
        del values["LimitLoadToSessionType"]
    return plistlib.dumps(values, sort_keys=False)


def parse_plist(data: bytes, name: str) -> Plan:
    """Return the plan that a property list was made from.

    Args:
        data: its bytes.
        name: the service's name.

    Raises:
        ValueError: it is no property list of ours.

    """
    try:
        values = plistlib.loads(data)
        return _plan(values, name)
    except (KeyError, IndexError, TypeError, ExpatError, plistlib.InvalidFileException) as error:
        raise ValueError(f"no property list of atomicd: {error}") from error


def _plan(values: dict[str, Any], name: str) -> Plan:
    interpreter, vault, config = options(values["ProgramArguments"])
    environment = values["EnvironmentVariables"]
    return Plan(
        interpreter=interpreter,
        vault=vault,
        config=config,
        state_dir=environment[STATE],
        log_dir=environment[LOG],
        home=values["WorkingDirectory"],
        name=name,
        scope="system" if "UserName" in values else "user",
        run_as=values.get("UserName"),
    )
