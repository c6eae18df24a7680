"""A plan as a systemd unit, and back (contract section 11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from atomic_agents.lifecycle.plan import Plan, command, options
from atomic_agents.lifecycle.quoting import literal, quote, quote_all, split
from atomic_agents.lifecycle.templates import read_template

STATE: Final = "ATOMICD_STATE_DIR"
LOG: Final = "ATOMICD_LOG_DIR"

_PLACE: Final = re.compile(r"@([A-Z_]+)@")
_LINE: Final = re.compile(r"(?m)^([A-Za-z]+)=(.*)$")
_USER_TEMPLATE: Final = "atomicd.service.in"
_SYSTEM_TEMPLATE: Final = "atomicd-system.service.in"
_SANDBOX_TEMPLATE: Final = "sandbox.in"


def unit_name(name: str) -> str:
    """Return the unit of a service: `atomicd.service`, `atomicd-work.service`."""
    return f"atomicd-{name}.service" if name else "atomicd.service"


def render_unit(plan: Plan) -> bytes:
    """Return the unit that a plan stands for.

    Args:
        plan: the service.

    """
    template = _USER_TEMPLATE if plan.scope == "user" else _SYSTEM_TEMPLATE
    values = _values(plan)
    values["SANDBOX"] = _fill(_read(_SANDBOX_TEMPLATE), values) if plan.sandbox else ""
    return _fill(_read(template), values).encode("utf-8")


def parse_unit(data: bytes, name: str) -> Plan:
    """Return the plan that a unit was made from.

    Args:
        data: the unit's bytes.
        name: the service's name.

    Raises:
        ValueError: it is no unit of ours.

    """
    lines = _LINE.findall(data.decode("utf-8"))
    values = dict(lines)
    environment = dict(
        word.split("=", 1) for key, line in lines if key == "Environment" for word in split(line)
    )
    try:
        return _plan(values, environment, name)
    except (KeyError, IndexError) as error:
        raise ValueError(f"no unit of atomicd: {error}") from error


def _plan(values: Mapping[str, str], environment: Mapping[str, str], name: str) -> Plan:
    words = split(values["ExecStart"])
    interpreter, vault, config = options([words[0].removeprefix(":"), *words[1:]])
    is_system = "User" in values
    return Plan(
        interpreter=interpreter,
        vault=vault,
        config=config,
        state_dir=environment[STATE],
        log_dir=environment[LOG],
        home=values["WorkingDirectory"].replace("%%", "%"),
        name=name,
        scope="system" if is_system else "user",
        run_as=values.get("User"),
        sandbox=not is_system and "PrivateUsers" in values,
        private_tmp=values.get("PrivateTmp", "yes") == "yes",
    )


def _values(plan: Plan) -> dict[str, str]:
    words = command(plan, "--wait")
    environment = (f"{STATE}={plan.state_dir}", f"{LOG}={plan.log_dir}")
    return {
        "UNIT": unit_name(plan.name),
        "NAME": plan.stem,
        "VAULT_TEXT": literal(plan.vault),
        "VAULT": quote(plan.vault),
        "VAULT_WRITABLE": quote(f"-{plan.vault}"),
        "COMMAND": quote_all((f":{words[0]}", *words[1:])),
        "HOME": literal(plan.home),
        "USER": plan.run_as or "",
        "ENVIRONMENT": "\n".join(f"Environment={quote(entry)}" for entry in environment),
        "WRITABLE": quote_all(f"-{path}" for path in (plan.vault, plan.state_dir, plan.log_dir)),
        "PRIVATE_TMP": "yes" if plan.private_tmp else "no",
    }


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], template)


def _read(name: str) -> str:
    return read_template("service", name).decode("utf-8")
