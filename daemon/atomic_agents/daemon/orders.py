"""What signals ask of the worker (contract [D-5])."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

from atomic_agents.config import Config


def _do_nothing() -> None:
    """Before there is a worker, there is nothing to wake."""


class Orders:
    """Flags that signal handlers set and the worker reads.

    Args:
        load: reads the configuration anew, for SIGHUP.

    """

    def __init__(self, load: Callable[[], Config]) -> None:
        self.load = load
        self.stopping = False
        self._reload = False
        self._wake: Callable[[], None] = _do_nothing
        self._former: dict[int, Any] = {}

    def obey_signals(self, wake: Callable[[], None] = _do_nothing) -> None:
        """Install the handlers, once: SIGTERM and SIGINT stop, a second one ends at once, SIGHUP reloads.

        Args:
            wake: ends the worker's wait; safe in a signal handler. A later call replaces it.

        """
        self._wake = wake
        if self._former:
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            self._former[number] = signal.signal(number, self._stop)
        self._former[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hang_up)

    def ignore_signals(self) -> None:
        """Put back the handlers that were there."""
        for number, handler in self._former.items():
            signal.signal(number, handler)
        self._former.clear()

    def take_reload(self) -> bool:
        """Return whether the configuration shall be read again, once."""
        wanted, self._reload = self._reload, False
        return wanted

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        if self.stopping:
            os._exit(0)
        self.stopping = True
        self._wake()

    def _hang_up(self, _number: int, _frame: FrameType | None) -> None:
        self._reload = True
        self._wake()
