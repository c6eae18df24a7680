"""The watcher that hears nothing: the sweep runs every `watch.poll_seconds` instead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from atomic_agents.intake.events import Event, Wake
from atomic_agents.intake.health import Health
from atomic_agents.intake.inbox import Inbox
from atomic_agents.intake.root_guard import RootGuard
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey


class PollWatcher:
    """Only waits and walks; see `atomic_agents.intake.observer.Watcher`.

    Args:
        root: the vault's real path.
        reason: why, for `status`.

    """

    def __init__(self, root: Path, *, reason: str = "watch.mode is poll") -> None:
        self._guard = RootGuard(root)
        self._reason = reason
        self._inbox: Inbox[Wake] = Inbox()
        self._layout = Layout()

    def arm(self, layout: Layout) -> None:
        """Take the folder that is there now for the vault."""
        self._layout = layout
        self._guard.arm()

    def stop(self) -> None:
        """Do nothing: there is no thread."""

    def wake(self) -> None:
        """End the worker's wait."""
        self._inbox.wake()

    def take(self, timeout: float) -> list[Event]:
        """Wait."""
        return [Wake()] if self._inbox.drain(timeout) else []

    def walk(self, survey: Survey) -> Iterator[Found]:
        """Walk the vault."""
        return self._guard.walk(self._layout, survey)

    def health(self, now: float) -> Health:  # noqa: ARG002 - the others ask a canary
        """Say whether the root is still there."""
        wrong_root = self._guard.check()
        return (
            Health("poll", 0, *wrong_root) if wrong_root is not None else Health("poll", reason=self._reason)
        )
