"""Whether services of a user go on after the logout (loginctl(1), `enable-linger`)."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Final

from atomic_agents.lifecycle.rim import Rim

_FOLDER: Final = Path("/var/lib/systemd/linger")


def lingers(rim: Rim, user: str, folder: Path = _FOLDER) -> bool | None:
    """Return whether a user's manager stays after the logout; None where that is not known.

    Args:
        rim: runs `loginctl`.
        user: the user's name.
        folder: where systemd notes it.

    """
    done = rim.ask("loginctl", "show-user", user, "--property=Linger", "--value")
    if done.status == 0 and done.out in {"yes", "no"}:
        return done.out == "yes"
    try:
        return (folder / user).exists()
    except OSError:
        return None


def linger_command(user: str) -> str:
    """Return what makes a user's services stay."""
    return f"loginctl enable-linger {user}"


def this_user() -> str:
    """Return the name of the user who runs this command."""
    return getpass.getuser()
