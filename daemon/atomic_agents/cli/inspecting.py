"""How an installed service is, and what its operator should know."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from atomic_agents import __version__
from atomic_agents.cli.located import manager, real_rim, use_folders
from atomic_agents.daemon.status import Now, Status, read_status
from atomic_agents.lifecycle.drift import Facts, find_drift
from atomic_agents.lifecycle.install import read_unit
from atomic_agents.lifecycle.linger import linger_command, lingers, this_user
from atomic_agents.lifecycle.manager import Manager
from atomic_agents.lifecycle.plan import Plan, Scope, check_name
from atomic_agents.lifecycle.rim import Rim
from atomic_agents.store import state_folder
from atomic_agents.vault.refusal import SETTINGS_PAGE, interpreter_binary


def inspect(name: str, scope: Scope) -> dict[str, Any]:
    """Return how a service is, in the shape of `service status --json`.

    Args:
        name: the service's.
        scope: for this user or the whole system.

    """
    rim = real_rim()
    found = manager(scope, rim)
    file = found.file(check_name(name))
    data, loaded = read_unit(file), found.look(name)
    plan = _readable_plan(found, data, name)
    told = _told(plan)
    interpreter = plan.interpreter if plan is not None else sys.executable
    facts = Facts(
        interpreter=sys.executable,
        is_executable=os.access(interpreter, os.X_OK),
        installed_version=__version__,
        running_version=told.version if told is not None and told.pid is not None else None,
    )
    return {
        "name": name,
        "kind": found.kind,
        "file": str(file),
        "installed": data is not None,
        "loaded": loaded.is_loaded,
        "enabled": loaded.is_enabled,
        "active": loaded.is_active,
        "pid": loaded.pid,
        "restarts": loaded.restarts,
        "said": loaded.said,
        "vault": plan.vault if plan is not None else None,
        "state_dir": plan.state_dir if plan is not None else None,
        "log_dir": plan.log_dir if plan is not None else None,
        "daemon": told.state if told is not None else None,
        "drift": [drift.as_json() for drift in find_drift(found, name, data, loaded, facts)],
        "hints": list(hints(rim, found, plan)) if plan is not None else [],
    }


def hints(rim: Rim, found: Manager, plan: Plan) -> tuple[str, ...]:
    """Return what the operator should know: linger, and where macOS keeps background programs out."""
    if found.kind == "systemd user":
        user = this_user()
        if lingers(rim, user) is False:
            return (f"It ends at your last logout. To let it go on: {linger_command(user)}",)
    if found.kind.startswith("launchd"):
        return _privacy(plan)
    return ()


def _privacy(plan: Plan) -> tuple[str, ...]:
    protected = ("Desktop", "Documents", "Downloads", "Library/Mobile Documents", "Library/CloudStorage")
    if not any(Path(plan.vault).is_relative_to(Path(plan.home) / name) for name in protected):
        return ()
    said = (
        f"macOS keeps background programs out of this folder until you allow {interpreter_binary()} under "
        f'System Settings, Privacy & Security, Full Disk Access: open "{SETTINGS_PAGE}"'
    )
    return (said,)


def _readable_plan(found: Manager, data: bytes | None, name: str) -> Plan | None:
    if data is None:
        return None
    try:
        return found.parse(data, name)
    except ValueError:
        return None


def _told(plan: Plan | None) -> Status | None:
    """Return the daemon's own status, where this user may read it."""
    if plan is None:
        return None
    use_folders(plan)
    root = Path(os.path.realpath(plan.vault))
    try:
        return read_status(state_folder(root), root, Now.read())
    except OSError:
        return None
