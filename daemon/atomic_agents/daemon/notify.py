"""Speaking with the service manager: the protocol of sd_notify(3) (contract section 11)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, MutableMapping
from typing import Final

from atomic_agents.clock import Clock
from atomic_agents.daemon.status import Status

_EXTENSION_SECONDS: Final = 60.0
"""How much time a start that makes progress asks for."""
_SIGN_SECONDS: Final = 5.0
_PATIENCE_SECONDS: Final = 1.0
_LONGEST_TEXT: Final = 400
_MICROSECONDS: Final = 1_000_000

Send = Callable[[str], bool]
"""Hands one message over; False if it did not get there."""


class ServiceManager:
    """Tells the service manager how the worker is; a `Listener` of its heartbeat.

    Args:
        send: hands one message over.
        clock: the time.
        watchdog_seconds: how often it expects a sign of life; None if it does not.

    """

    def __init__(self, send: Send, clock: Clock, *, watchdog_seconds: float | None = None) -> None:
        self._send = send
        self._clock = clock
        self._watched = watchdog_seconds is not None
        self._every = min(watchdog_seconds / 4, _SIGN_SECONDS) if watchdog_seconds else _SIGN_SECONDS
        self._signed = float("-inf")
        self._is_ready = False
        self._was_ready = False

    def alive(self) -> None:
        """Pass on that the worker made a step: it feeds the watchdog, or a start's time limit."""
        now = self._clock.monotonic()
        if now - self._signed < self._every:
            return
        self._signed = now
        if not self._was_ready:
            self._send(f"EXTEND_TIMEOUT_USEC={_EXTENSION_SECONDS * _MICROSECONDS:.0f}")
        elif self._watched:
            self._send("WATCHDOG=1")

    def hear(self, status: Status) -> None:
        """Pass on how the daemon is; READY goes out once the first sweep is done.

        Args:
            status: as the worker says it.

        """
        lines = [f"STATUS={sentence(status)}"]
        if status.state in {"stopped", "crashed"}:
            lines.append("STOPPING=1")
        elif status.last_sweep is not None and status.state != "starting" and not self._is_ready:
            self._get_ready(lines)
            return
        self._send("\n".join(lines))

    def reloading(self) -> None:
        """Pass on that the configuration is being read; the next status ends it."""
        if not self._is_ready:
            return
        self._is_ready = False
        self._send(f"RELOADING=1\nMONOTONIC_USEC={self._clock.monotonic() * _MICROSECONDS:.0f}")

    def _get_ready(self, lines: list[str]) -> None:
        """Say READY until it got through: a start is waiting for it."""
        if self._send("\n".join([*lines, "READY=1"])):
            self._is_ready = self._was_ready = True


def sentence(status: Status) -> str:
    """Return a status on one line, as `systemctl status` shows it."""
    counts = (
        f"{status.units} units, {status.quarantined} quarantined, {status.held} held, {status.queue} waiting"
    )
    text = f"{status.state}: {counts}"
    if status.reasons:
        text = f"{text}; {' / '.join(status.reasons)}"
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LONGEST_TEXT else f"{one_line[:_LONGEST_TEXT]}…"


def service_manager(environment: MutableMapping[str, str], clock: Clock) -> ServiceManager | None:
    """Return the service manager that started this process, or None.

    Its variables are taken out of the environment, so that programs that we start do not speak for us.

    Args:
        environment: of the process.
        clock: the time.

    """
    address = environment.pop("NOTIFY_SOCKET", "")
    watchdog = _watchdog(environment)
    if not address.startswith(("/", "@")):
        return None
    return ServiceManager(_sender(address), clock, watchdog_seconds=watchdog)


def _watchdog(environment: MutableMapping[str, str]) -> float | None:
    """Return how often a sign is expected, in seconds, if it is expected of this process."""
    microseconds = environment.pop("WATCHDOG_USEC", "")
    process = environment.pop("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or int(microseconds) == 0 or process not in {"", str(os.getpid())}:
        return None
    return int(microseconds) / _MICROSECONDS


def _sender(address: str) -> Send:
    """Return what sends datagrams to a socket; a manager that does not take them never stops the work."""
    target = f"\0{address[1:]}" if address.startswith("@") else address

    def send(text: str) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.settimeout(_PATIENCE_SECONDS)
            try:
                channel.sendto(text.encode("utf-8", "backslashreplace"), target)
            except OSError:
                return False
        return True

    return send
