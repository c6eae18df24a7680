"""What the worker says of itself, written by itself, so that a stuck one cannot fake it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents import __version__
from atomic_agents.daemon.listener import Listener
from atomic_agents.daemon.status import BEAT_SECONDS, LINTED, Status, write_status
from atomic_agents.log import Event
from atomic_agents.model import FileState, iso, printable
from atomic_agents.pipeline import Bench, Pipeline


@dataclass
class Condition:
    """How the worker is.

    Args:
        state: `starting`, `running`, `stopped` or `crashed`; the rest is told by the reasons.
        pauses: why nothing is done now, by kind: `root`, `empty`, `lock`, `write`, `store`.
        degraded: what is wrong, by its kind; empty while all is well.
        last_sweep: wall time of the last complete sweep, seconds since the epoch.
        last_error: the last failure in words.
        mode: how the vault is watched.
        watches: number of watched folders.
        queue: paths that wait.

    """

    state: str = "starting"
    pauses: dict[str, str] = field(default_factory=dict)
    degraded: dict[str, str] = field(default_factory=dict)
    last_sweep: float | None = None
    last_error: str | None = None
    mode: str | None = None
    watches: int = 0
    queue: int = 0


class Heartbeat:
    """Writes the status file.

    Args:
        folder: the vault's state folder.
        bench: the vault and the tools.
        pipeline: whose holds are told.
        condition: kept up to date by the worker.
        listener: told of each beat; may be None.

    """

    def __init__(
        self,
        folder: Path,
        bench: Bench,
        pipeline: Pipeline,
        condition: Condition,
        listener: Listener | None = None,
    ) -> None:
        self._folder = folder
        self._bench = bench
        self._pipeline = pipeline
        self._condition = condition
        self._listener = listener
        self._started = bench.clock.wall()
        self._counted: Counter[str] = Counter()
        self._last = float("-inf")
        self._failing = False

    def beat(self, *, force: bool = False) -> None:
        """Pass on that the worker made a step, and write the status if it is time to, or at once."""
        if self._listener is not None:
            self._listener.alive()
        now = self._bench.clock.monotonic()
        if not force and now - self._last < BEAT_SECONDS:
            return
        self._last = now
        status = self.status()
        try:
            write_status(self._folder, status)
            self._failing = False
        except OSError as error:
            if not self._failing:
                self._bench.log.warning(Event.DAEMON_FAILED, reason=f"status file: {error.strerror}")
            self._failing = True
        if self._listener is not None:
            self._listener.hear(status)

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """Tell that the configuration is being read again, and how things are after that."""
        if self._listener is not None:
            self._listener.reloading()
        yield
        self.beat(force=True)

    def status(self) -> Status:
        """Return how the daemon is now."""
        files = self._bench.store.files
        condition = self._condition
        blocked = self._blocked()
        return Status(
            state=self._state(),
            vault=printable(str(self._bench.root)),
            reasons=self._reasons(),
            pid=os.getpid(),
            version=__version__,
            heartbeat=iso(self._bench.clock.wall()),
            beat_monotonic=self._bench.clock.monotonic(),
            units=files.count(*FileState),
            quarantined=sum(blocked.values()),
            quarantined_by_agent=dict(blocked),
            held=len(self._pipeline.blocking.holds),
            adopted=files.count(FileState.ADOPTED),
            queue=condition.queue,
            last_sweep=iso(condition.last_sweep) if condition.last_sweep is not None else None,
            watch={"mode": condition.mode, "watches": condition.watches},
            last_error=condition.last_error,
            started=iso(self._started),
            holds=tuple(
                {"path": printable(hold.path), "reason": hold.reason}
                for hold in self._pipeline.blocking.holds
            ),
            trouble={printable(path): reason for path, reason in self._bench.trouble.items()},
            lint=self._bench.store.facts.get(LINTED),
            breaker="open" if self._pipeline.blocking.breaker.is_open else "closed",
        )

    def _blocked(self) -> Counter[str]:
        """Return by agent how many incidents are open; while the vault cannot be read, how many were."""
        layout = self._bench.layout
        try:
            incidents = self._bench.incidents.all()
        except OSError:
            return self._counted
        agents = (layout.place(one.path).agent or "" for one in incidents if one.state == "open")
        self._counted = Counter(printable(agent) for agent in agents)
        return self._counted

    def _state(self) -> str:
        if self._condition.state in {"stopped", "crashed"}:
            return self._condition.state
        if self._condition.pauses:
            return "paused"
        if self._condition.state != "running":
            return self._condition.state
        return "degraded" if self._reasons() else "running"

    def _reasons(self) -> tuple[str, ...]:
        reasons = [*self._condition.pauses.values(), *self._condition.degraded.values()]
        if self._pipeline.blocking.breaker.is_open:
            waiting = len(self._pipeline.blocking.holds)
            reasons.append(f"{waiting} invalid files wait for you: `atomicd quarantine breaker`")
        reasons += [f"{printable(path)}: {reason}" for path, reason in list(self._bench.trouble.items())[:5]]
        return tuple(dict.fromkeys(reasons))
