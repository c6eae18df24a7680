"""What the worker's parts share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents.config import Config
from atomic_agents.daemon.heartbeat import Condition, Heartbeat
from atomic_agents.daemon.requests import Requests
from atomic_agents.intake.observer import Watcher
from atomic_agents.intake.settle import Settle
from atomic_agents.pipeline import Bench, Pipeline


@dataclass
class Desk:
    """The worker's tools and what lies before it.

    Args:
        folder: the vault's state folder.
        bench: the vault and the tools of the pipeline.
        pipeline: where paths go.
        watcher: tells of changes.
        settle: paths with fresh events.
        requests: what commands ask.
        condition: how the worker is.
        heartbeat: tells it to others.
        retune: lets the log follow another configuration.
        pending: paths to take now, in order, each once.

    """

    folder: Path
    bench: Bench
    pipeline: Pipeline
    watcher: Watcher
    settle: Settle
    requests: Requests
    condition: Condition
    heartbeat: Heartbeat
    retune: Callable[[Config], None]
    pending: dict[str, None] = field(default_factory=dict)

    def queue(self) -> int:
        """Return how many paths wait."""
        return len(self.pending) + len(self.settle)

    def is_blocked(self) -> bool:
        """Whether nothing can be done now: a migration runs, the vault is gone, or it cannot be written."""
        return bool(self.condition.pauses)

    def beat(self) -> None:
        """Say that the worker goes on."""
        self.condition.queue = self.queue()
        self.heartbeat.beat()
