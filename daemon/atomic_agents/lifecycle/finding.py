"""Which services are installed, told from their files."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents.lifecycle.launchd import Launchd
from atomic_agents.lifecycle.manager import Manager, NoManagerError
from atomic_agents.lifecycle.plan import Plan, Scope
from atomic_agents.lifecycle.rim import Rim
from atomic_agents.lifecycle.systemd import Systemd

_FILE: Final = re.compile(
    r"(?:atomicd|io\.atomic-agents\.atomicd)(?:[-.](?P<name>[a-z0-9-]+))?\.(?:service|plist)"
)


@dataclass(frozen=True, slots=True)
class Service:
    """An installed service: its name, its file, and its plan; None if it cannot be read."""

    name: str
    file: Path
    plan: Plan | None


def this_manager(rim: Rim, scope: Scope, *, platform: str = sys.platform) -> Manager:
    """Return the service manager of this machine.

    Args:
        rim: runs its programs.
        scope: that of the user or that of the system.
        platform: as `sys.platform`.

    Raises:
        NoManagerError: there is none that we know.

    """
    if platform == "darwin":
        return Launchd(rim, scope)
    if shutil.which("systemctl") is None:
        raise NoManagerError(
            "this machine has neither systemd nor launchd", hint="run `atomicd run` in the foreground"
        )
    return Systemd(rim, scope)


def installed(manager: Manager) -> tuple[Service, ...]:
    """Return the services whose files lie where the manager looks for them, by name.

    Args:
        manager: the service manager.

    """
    folder = manager.file("").parent
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 (names, not paths)
    except OSError:
        return ()
    found = (_FILE.fullmatch(name) for name in names)
    return tuple(_service(manager, match["name"] or "", folder / match[0]) for match in found if match)


def service_of(manager: Manager, root: Path) -> Service | None:
    """Return the installed service of a vault.

    Args:
        manager: the service manager.
        root: the vault's real path.

    """
    real = os.path.realpath(root)
    for service in installed(manager):
        if service.plan is not None and os.path.realpath(service.plan.vault) == real:
            return service
    return None


def _service(manager: Manager, name: str, file: Path) -> Service:
    try:
        return Service(name, file, manager.parse(file.read_bytes(), name))
    except (OSError, ValueError):
        return Service(name, file, None)
