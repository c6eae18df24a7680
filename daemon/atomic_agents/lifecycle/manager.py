"""What systemd and launchd have in common for us."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from atomic_agents.exceptions import AtomicAgentsError, TemporaryError
from atomic_agents.lifecycle.plan import Plan


class NoManagerError(AtomicAgentsError):
    """There is no service manager to speak with."""


class DidNotComeUpError(TemporaryError):
    """The service was started and did not come up."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """How the service manager sees a service.

    Args:
        is_loaded: whether it knows it.
        is_enabled: whether it starts by itself at the login or at boot.
        is_active: whether it runs or is being started.
        is_failed: whether it was given up.
        pid: of its process.
        needs_reload: whether the manager still has a former unit in mind.
        restarts: how often it was started again.
        said: the manager's own words.

    """

    is_loaded: bool = False
    is_enabled: bool = False
    is_active: bool = False
    is_failed: bool = False
    pid: int | None = None
    needs_reload: bool = False
    restarts: int = 0
    said: str = ""


class Manager(Protocol):
    """A service manager."""

    @property
    def kind(self) -> str:
        """How it is called: `systemd user`, `launchd system`."""

    def file(self, name: str) -> Path:
        """Return where the unit or property list of a service lies."""

    def render(self, plan: Plan) -> bytes:
        """Return the unit or property list of a plan."""

    def parse(self, data: bytes, name: str) -> Plan:
        """Return the plan of a unit or property list.

        Raises:
            ValueError: it is none of ours.

        """

    def look(self, name: str) -> Loaded:
        """Ask how a service is.

        Raises:
            NoManagerError: there is no manager to ask.

        """

    def adopt(self, name: str) -> None:
        """Let the manager read a new file, and start the service by itself from now on.

        Raises:
            DidNotComeUpError: the manager refuses.

        """

    def start(self, name: str) -> None:
        """Start a service, if it does not run.

        Raises:
            DidNotComeUpError: it did not come up.

        """

    def restart(self, name: str) -> None:
        """Stop a service if it runs, and start it.

        Raises:
            DidNotComeUpError: it did not come up.

        """

    def stop(self, name: str) -> None:
        """Stop a service; it stays stopped until it is started, or until the next login or boot.

        Raises:
            TemporaryError: it does not end.

        """

    def forget(self, name: str) -> None:
        """Stop a service for good, before its file is removed."""

    def forgotten(self, name: str) -> None:
        """Let the manager notice that the file was removed."""

    def words(self, name: str) -> str:
        """Return what a service said last, for people; "" where only its log tells."""
