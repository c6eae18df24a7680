"""What differs between a service as it should be and as it is, and the command that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from atomic_agents.lifecycle.manager import Loaded, Manager
from atomic_agents.lifecycle.plan import Plan


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference."""

    code: str
    found: str
    expected: str
    fix: str

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a service from outside.

    Args:
        interpreter: of this command.
        is_executable: whether the unit's interpreter can be run.
        installed_version: of this command.
        running_version: of the daemon that runs, or None.

    """

    interpreter: str
    is_executable: bool
    installed_version: str
    running_version: str | None = None


def find_drift(
    manager: Manager, name: str, data: bytes | None, loaded: Loaded, facts: Facts
) -> tuple[Drift, ...]:
    """Return every difference.

    Args:
        manager: the service manager.
        name: the service's.
        data: the unit's bytes, or None if there is none.
        loaded: how the manager sees it.
        facts: what else is known.

    """
    install = _command("install", name, manager)
    if data is None:
        if not loaded.is_loaded:
            return ()
        return (Drift("unit-missing", "a service without its file", str(manager.file(name)), install),)
    try:
        plan = manager.parse(data, name)
    except ValueError as error:
        return (Drift("unit-foreign", str(error), "a unit that atomicd wrote", install),)
    return (
        *_file_drift(manager, plan, data, facts, install),
        *_manager_drift(name, loaded, manager),
        *_version_drift(name, loaded, facts, manager),
    )


def _file_drift(manager: Manager, plan: Plan, data: bytes, facts: Facts, install: str) -> Iterator[Drift]:
    if not facts.is_executable:
        yield Drift("interpreter-missing", plan.interpreter, facts.interpreter, install)
    elif plan.interpreter != facts.interpreter:
        yield Drift("interpreter-differs", plan.interpreter, facts.interpreter, install)
    if manager.render(replace(plan)) != data:
        file = manager.file(plan.name)
        yield Drift(
            "unit-differs", f"{file} was edited or is of another version", "what is written now", install
        )


def _manager_drift(name: str, loaded: Loaded, manager: Manager) -> Iterator[Drift]:
    if loaded.needs_reload:
        yield Drift(
            "reload-needed",
            "the manager has a former unit in mind",
            "the file",
            _command("install", name, manager),
        )
    if not loaded.is_enabled:
        yield Drift(
            "not-enabled", "does not start by itself", "starts by itself", _command("install", name, manager)
        )
    if not loaded.is_active:
        found = loaded.said or "not loaded"
        yield Drift("not-running", found, "running", _command("start", name, manager))


def _version_drift(name: str, loaded: Loaded, facts: Facts, manager: Manager) -> Iterator[Drift]:
    running = facts.running_version
    if loaded.is_active and running is not None and running != facts.installed_version:
        yield Drift("version-differs", running, facts.installed_version, _command("restart", name, manager))


def _command(action: str, name: str, manager: Manager) -> str:
    scope = " --system" if manager.kind.endswith("system") else ""
    return f"atomicd service {action}{f' --name {name}' if name else ''}{scope}"
