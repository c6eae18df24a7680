"""The watcher on Linux: one inotify instance, one watch for each folder that matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from atomic_agents.intake.arming import Arming
from atomic_agents.intake.ear import Heard
from atomic_agents.intake.events import Event, Overflow, Wake
from atomic_agents.intake.health import Condition, Health
from atomic_agents.intake.inbox import Died, Inbox, Spilled
from atomic_agents.intake.limits import instance_limit
from atomic_agents.intake.mounts import Mount, mounted, remote_below, remote_inside
from atomic_agents.intake.root_guard import RootGuard
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey

MAX_DEAF: Final = 3
"""After so many armings in a row that lost their hearing without ever having heard, the vault is polled."""


class InotifyWatcher:
    """Watches folder by folder; see `atomic_agents.intake.observer.Watcher`.

    Args:
        root: the vault's real path.
        canary: a folder of atomicd's own outside the vault, made if missing; it is only ever opened.
        mode: `auto` polls where others write unnoticed, `native` trusts the kernel everywhere.
        mounts: says what is mounted.

    """

    def __init__(
        self,
        root: Path,
        canary: Path,
        *,
        mode: Literal["auto", "native"] = "auto",
        mounts: Callable[[], tuple[Mount, ...]] = mounted,
    ) -> None:
        self._root = root
        self._canary = canary
        self._mounts = mounts if mode == "auto" else tuple
        self._inbox: Inbox[Heard | Died] = Inbox()
        self._guard = RootGuard(root)
        self._layout = Layout()
        self._armings = 0
        self._deaf = 0
        self._arming: Arming | None = None
        self._inner: Mount | None = None
        self._resting = Health("poll", reason="not armed yet")

    def arm(self, layout: Layout) -> None:
        """Watch anew, with nothing left of former watches; a sweep has to follow."""
        self.stop()
        self._layout = layout
        self._armings += 1
        self._guard.arm()
        self._inbox.reset()
        self._inner = remote_inside(self._mounts(), str(self._root))
        remote = remote_below(self._mounts(), str(self._root))
        if remote is not None:
            self._resting = Health("poll", reason=f"{remote.describe()}; the vault is polled")
        elif self._deaf >= MAX_DEAF:
            reason = f"inotify was armed {self._deaf} times and told nothing; the vault is polled"
            self._resting = Health("poll", 0, Condition.LIMITED, reason)
        else:
            self._open()

    def stop(self) -> None:
        """End all watches and the thread; what was heard and not taken is left to the next sweep."""
        if self._arming is not None:
            if self._arming.has_heard:
                self._deaf = 0
            elif self._arming.lost:
                self._deaf += 1
            self._arming.close()
            self._arming = None
        self._resting = Health("poll", reason="stopped")

    def wake(self) -> None:
        """End the worker's wait."""
        self._inbox.wake()

    def take(self, timeout: float) -> list[Event]:
        """Return what happened, each thing once; wait for the first."""
        return self._inbox.told(timeout, self._tell)

    def walk(self, survey: Survey) -> Iterator[Found]:
        """Walk the vault, each folder watched before it is listed."""
        if self._arming is None:
            return self._guard.walk(self._layout, survey)
        self._inner = remote_inside(self._mounts(), str(self._root))
        self._arming.watches.forget_refusals()
        return self._guard.walk(self._layout, survey, self._arming.watches.watch)

    def health(self, now: float) -> Health:
        """Say how the watching does."""
        arming = self._arming
        watches = len(arming.watches) if arming is not None else 0
        wrong_root = self._guard.check()
        if wrong_root is not None:
            return Health(self._resting.mode if arming is None else "native", watches, *wrong_root)
        if arming is None:
            return self._resting
        arming.check(now)
        if arming.lost:
            return Health("native", watches, Condition.DEAF, arming.lost)
        return self._health_of(arming, watches)

    def _health_of(self, arming: Arming, watches: int) -> Health:
        shortage = arming.watches.shortage()
        if shortage:
            return Health("mixed" if watches else "poll", watches, Condition.LIMITED, shortage)
        if self._inner is not None:
            return Health("mixed", watches, reason=f"{self._inner.describe()}; it is polled")
        return Health("native", watches)

    def _open(self) -> None:
        try:
            self._arming = Arming(
                self._root, self._layout, self._inbox, number=self._armings, canary=self._canary
            )
        except OSError as error:
            self._resting = Health("poll", 0, Condition.LIMITED, instance_limit(error))

    def _tell(self, item: Heard | Died | Spilled | Wake) -> Iterator[Event]:
        if isinstance(item, Wake):
            yield item
        elif isinstance(item, Spilled):
            self.arm(self._layout)
            yield Overflow()
        elif self._arming is not None:
            yield from self._arming.tell(item)
