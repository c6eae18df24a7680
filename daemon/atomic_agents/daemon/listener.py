"""Who else is told how the worker is."""

from __future__ import annotations

from typing import Protocol

from atomic_agents.daemon.status import Status


class Listener(Protocol):
    """Somebody who is told how the worker is, by the worker: the service manager."""

    def alive(self) -> None:
        """Hear that the worker made a step; comes many times a second."""

    def hear(self, status: Status) -> None:
        """Hear how the daemon is.

        Args:
            status: as it was written down just now.

        """

    def reloading(self) -> None:
        """Hear that the configuration is being read again; `hear` follows when that is done."""
