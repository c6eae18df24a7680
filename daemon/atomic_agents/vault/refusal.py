"""Why a vault cannot be read: rights, or the privacy protection of macOS (contract section 11)."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import VaultMissingError

SETTINGS_PAGE: Final = "x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles"
"""Opens Full Disk Access on a Mac: `open "..."`."""


class VaultRefusedError(VaultMissingError):
    """The vault is there, but this process may not read it; a restart alone does not mend that."""


def check_readable(root: Path) -> None:
    """Look into the vault as the daemon will.

    Args:
        root: the vault's real path.

    Raises:
        VaultRefusedError: the system refuses; the hint says what to do.

    """
    try:
        with os.scandir(root) as entries:
            next(entries, None)
    except PermissionError as error:
        raise VaultRefusedError(
            f"vault {root}: cannot be read: {error.strerror}", hint=refusal_hint(error, platform=sys.platform)
        ) from error


def refusal_hint(error: OSError, *, platform: str) -> str:
    """Return what mends a refusal; on a Mac, EPERM is the privacy protection and EACCES the file's mode.

    Args:
        error: as the system gave it.
        platform: as `sys.platform`.

    """
    if platform == "darwin" and error.errno == errno.EPERM:
        return (
            "macOS protects this folder from programs in the background: allow "
            f"{interpreter_binary()} under System Settings, Privacy & Security, Full Disk Access "
            f'(`open "{SETTINGS_PAGE}"`), then `atomicd service restart`'
        )
    return "make it readable and searchable for the user that runs atomicd"


def interpreter_binary() -> str:
    """Return the program that macOS asks about: the interpreter itself, behind links and environments."""
    framework = Path(sys.base_prefix) / "Resources" / "Python.app"
    return str(framework) if framework.is_dir() else os.path.realpath(sys.executable)
