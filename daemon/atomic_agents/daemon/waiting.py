"""Waiting for a vault that is not there yet: a disk that is mounted after the login (contract [D-2])."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Final

from structlog.typing import FilteringBoundLogger

from atomic_agents import __version__
from atomic_agents.clock import SystemClock
from atomic_agents.daemon.instance import Instance
from atomic_agents.daemon.listener import Listener
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.status import Status, write_status
from atomic_agents.log import Event
from atomic_agents.model import iso, printable
from atomic_agents.store import state_folder

_FIRST_SECONDS: Final = 0.5
_LONGEST_SECONDS: Final = 5.0


def wait_for_vault(
    root: Path, log: FilteringBoundLogger, orders: Orders, listener: Listener | None = None
) -> bool:
    """Wait until the vault is there; nothing is created meanwhile, and `status` says why nothing goes on.

    Args:
        root: where the vault's real path will be.
        log: told once.
        orders: what signals ask for; a reload waits, too.
        listener: told of each beat.

    Returns:
        True when it is there, False if a signal came first.

    Raises:
        AlreadyRunningError: another daemon waits for it.
        CannotWriteError: the state folder refuses.

    """
    folder, clock = state_folder(root), SystemClock()
    instance = Instance(folder)
    instance.acquire(version=__version__, now=clock.wall())
    reason = f"vault {printable(str(root))}: not there; waiting for it"
    log.warning(Event.DAEMON_PAUSED, reason=reason)
    wake = threading.Event()
    orders.obey_signals(wake.set)
    try:
        pause, started = _FIRST_SECONDS, iso(clock.wall())
        while not root.exists() and not orders.stopping:
            _beat(folder, _paused(root, reason, started, clock), log, listener)
            wake.wait(pause)
            wake.clear()
            pause = min(pause * 2, _LONGEST_SECONDS)
        if orders.stopping:
            _beat(folder, Status("stopped", printable(str(root))), log, listener)
        return not orders.stopping
    finally:
        instance.release()


def _paused(root: Path, reason: str, started: str, clock: SystemClock) -> Status:
    return Status(
        state="paused",
        vault=printable(str(root)),
        reasons=(reason,),
        pid=os.getpid(),
        version=__version__,
        heartbeat=iso(clock.wall()),
        beat_monotonic=clock.monotonic(),
        started=started,
    )


def _beat(folder: Path, status: Status, log: FilteringBoundLogger, listener: Listener | None) -> None:
    try:
        write_status(folder, status)
    except OSError as error:
        log.warning(Event.DAEMON_FAILED, reason=f"status file: {error.strerror}")
    if listener is not None:
        listener.alive()
        listener.hear(status)
