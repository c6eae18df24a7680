"""Telling the operator through a program of theirs (contract [Q-3], section 9 `[notify]`)."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from atomic_agents.log import Event
from atomic_agents.model import iso, printable
from atomic_agents.pipeline.bench import AT_ONCE, Bench
from atomic_agents.pipeline.program import Program

MOST_WAITING: Final = 20
"""More messages than this are not kept; the next one says how many were left out."""

_HOUR_SECONDS: Final = 3600.0
_POLL_SECONDS: Final = 0.1


class Notifying:
    """Runs `[notify] command`, one run at a time, never more than `per_hour`.

    Args:
        bench: the vault and the tools; the configuration in force is read at each use.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._waiting: deque[dict[str, Any]] = deque()
        self._running: Program | None = None
        self._starts: deque[float] = deque()
        self._suppressed = 0

    def tell(self, kind: str, **facts: Any) -> None:
        """Plan a message; without a command there is none.

        Args:
            kind: `quarantined`, `looping` or `breaker`.
            facts: what JSON can hold.

        """
        if not self._bench.config.notify.command:
            return
        if len(self._waiting) >= MOST_WAITING or not self._may_start():
            self._suppress(kind)
            return
        now = iso(self._bench.clock.wall())
        root = printable(str(self._bench.root))
        self._waiting.append({"kind": kind, "time": now, "vault": root, **facts})

    def tend(self) -> None:
        """Look after the running program and start the next; never waits."""
        now = self._bench.clock.monotonic()
        if self._running is not None:
            reason = self._running.poll(now)
            if reason is None:
                return
            self._running = None
            self._judge(reason)
        if self._waiting:
            self._start(self._waiting.popleft(), now)

    def next_due(self) -> float | None:
        """Return the monotonic time at which `tend` has something to do."""
        if self._running is None and not self._waiting:
            return None
        return self._bench.clock.monotonic() + _POLL_SECONDS if self._running is not None else AT_ONCE

    def finish(self) -> None:
        """Send what waits, for as long as one run may take."""
        until = self._bench.clock.monotonic() + self._bench.config.notify.timeout_seconds
        self.tend()
        while self._running is not None and self._bench.clock.monotonic() < until:
            self._running.wait(_POLL_SECONDS)
            self.tend()

    def close(self) -> None:
        """End what still runs; messages that wait are dropped, what they tell of is in the log."""
        self._waiting.clear()
        if self._running is not None:
            self._running.close()
            self._running = None

    def _may_start(self) -> bool:
        """Whether one more run, with those that wait, stays within the limit of an hour."""
        now = self._bench.clock.monotonic()
        while self._starts and now - self._starts[0] >= _HOUR_SECONDS:
            self._starts.popleft()
        return len(self._starts) + len(self._waiting) < self._bench.config.notify.per_hour

    def _suppress(self, kind: str) -> None:
        self._suppressed += 1
        if self._suppressed == 1:
            limit = self._bench.config.notify.per_hour
            self._bench.log.warning(
                Event.NOTIFY_FAILED, kind=kind, reason=f"not sent: {limit} an hour is the limit"
            )

    def _start(self, message: dict[str, Any], now: float) -> None:
        settings = self._bench.config.notify
        if not settings.command:
            return
        self._starts.append(now)
        message["suppressed"], self._suppressed = self._suppressed, 0
        try:
            self._running = Program(settings.command, message, now=now, timeout=settings.timeout_seconds)
        except OSError as error:
            self._judge(f"cannot be started: {error.strerror}")

    def _judge(self, reason: str) -> None:
        command = self._bench.config.notify.command[:1]
        if reason:
            self._bench.log.warning(Event.NOTIFY_FAILED, command=command, reason=reason)
        else:
            self._bench.log.debug(Event.NOTIFY_SENT, command=command)
