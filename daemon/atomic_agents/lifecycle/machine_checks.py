"""What `doctor` looks at on the machine: the interpreter, other packages, the disk, the clock."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from atomic_agents.lifecycle.check import Check
from atomic_agents.model import iso

OWN: Final = "atomicd"
PACKAGE: Final = "atomic_agents"

_LEAST_PYTHON: Final = (3, 11)
_LOW_BYTES: Final = 512 << 20
_NO_BYTES: Final = 32 << 20
_MIB: Final = 1 << 20
_FIRST_SENSIBLE: Final = 1_735_689_600.0
"""2025-01-01: a clock before this was never set."""
_SLACK_SECONDS: Final = 60.0


def check_python(executable: str, version: Sequence[int]) -> Check:
    """Look at the interpreter.

    Args:
        executable: its path, as services start it.
        version: as `sys.version_info`.

    """
    shown = ".".join(map(str, version[:3]))
    if tuple(version[:2]) < _LEAST_PYTHON:
        return Check("python", "fail", f"{shown} at {executable}", "install Python 3.11 or newer")
    if not os.access(executable, os.X_OK):
        return Check("python", "fail", f"{executable} cannot be run", "install atomicd again")
    return Check("python", "pass", f"{shown} at {executable}")


def providers() -> tuple[str, ...]:
    """Return the distributions in this environment that bring a package called `atomic_agents`."""
    return tuple(sorted(set(importlib.metadata.packages_distributions().get(PACKAGE, ()))))


def check_packages(found: Sequence[str], *, origin: str) -> Check:
    """Look for other distributions with our package name, which overwrite each other's files.

    Args:
        found: as `providers` gives them.
        origin: where the package was imported from.

    """
    others = [name for name in found if name.lower() != OWN]
    if others:
        return Check(
            "packages",
            "fail",
            f"{', '.join(others)} installs a package {PACKAGE}, too; loaded from {origin}",
            f"pipx install {OWN}    # an environment of its own",
        )
    return Check("packages", "pass", f"{PACKAGE} is ours alone, from {origin}")


def check_disk(name: str, folder: Path) -> Check:
    """Look at the space left.

    Args:
        name: what lies there.
        folder: where; its nearest existing parent is asked.

    """
    there = next(one for one in (folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(there).free
    said = f"{free // _MIB} MiB free for the {name} ({there})"
    if free < _NO_BYTES:
        return Check(f"disk ({name})", "fail", said, f"df -h {there}")
    return Check(f"disk ({name})", "warn" if free < _LOW_BYTES else "pass", said, "")


def check_clock(wall: float, latest: float | None) -> Check:
    """Look at the clock.

    Args:
        wall: seconds since the epoch.
        latest: time of the newest file that atomicd wrote, in seconds since the epoch.

    """
    if wall < _FIRST_SENSIBLE:
        return Check("clock", "fail", f"it is {iso(wall)}", "timedatectl set-ntp true")
    if latest is not None and latest > wall + _SLACK_SECONDS:
        return Check(
            "clock",
            "warn",
            f"it is {iso(wall)}, but state was written at {iso(latest)}",
            "timedatectl status",
        )
    return Check("clock", "pass", iso(wall))


def check_folder(name: str, folder: Path) -> Check:
    """Look whether atomicd may write to one of its own folders, which it makes when it needs it.

    Args:
        name: what lies there.
        folder: where.

    """
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        return Check(name, "fail", f"{there} is no folder", f"mv {there} {there}.aside")
    if not os.access(there, os.W_OK | os.X_OK):
        return Check(name, "fail", f"{there} cannot be written", f"sudo chown {os.getuid()} {there}")
    return Check(name, "pass", str(folder))


def check_environment(environment: Mapping[str, str]) -> Check:
    """Look for variables that change what a command in this shell means.

    Args:
        environment: of the process.

    """
    names = ("ATOMIC_AGENTS_ROOT", "ATOMICD_CONFIG", "ATOMICD_STATE_DIR", "ATOMICD_LOG_DIR")
    found = [f"{name}={environment[name]}" for name in names if environment.get(name)]
    if environment.get("PYTHONPATH"):
        return Check("environment", "warn", "PYTHONPATH is set; services ignore it", "unset PYTHONPATH")
    return Check("environment", "pass", ", ".join(found) or "nothing is overridden")


def this_python() -> Check:
    """Look at the interpreter that runs this."""
    return check_python(sys.executable, sys.version_info[:3])
