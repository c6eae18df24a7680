"""The door to the watching: which watcher fits the machine, the vault and the operator's wish (section 9)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

from atomic_agents.intake.events import Event
from atomic_agents.intake.health import Health
from atomic_agents.intake.poll import PollWatcher
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey

if sys.platform == "linux":
    from atomic_agents.intake.inotify import InotifyWatcher as NativeWatcher
else:
    from atomic_agents.intake.recursive import RecursiveWatcher as NativeWatcher


class Watcher(Protocol):
    """Tells what happens in a vault. All but `wake` belong to one thread, the worker's.

    The order of a start, and of everything after which a sweep is due: `arm`, then a sweep over `walk`.
    """

    def arm(self, layout: Layout) -> None:
        """Watch anew, with nothing left of former watches; never raises, `health` tells what went wrong.

        Args:
            layout: how the vault's paths are read now.

        """

    def stop(self) -> None:
        """End threads and watches; it can be armed again."""

    def wake(self) -> None:
        """Let `take` return; safe from any thread and in a signal handler."""

    def take(self, timeout: float) -> list[Event]:
        """Return what happened since the last time, each thing once, in order; may come early and empty.

        Args:
            timeout: seconds to wait for the first event.

        """

    def walk(self, survey: Survey) -> Iterator[Found]:
        """Walk the vault for a sweep, each folder watched before it is listed.

        If the root is not the armed one before and after, the survey knows nothing: nothing vanished.

        Args:
            survey: complete when the last file has come.

        """

    def health(self, now: float) -> Health:
        """Say how the watching does; call it every few seconds.

        Args:
            now: monotonic seconds.

        """


def open_watcher(root: Path, canary: Path, *, mode: Literal["auto", "native", "poll"] = "auto") -> Watcher:
    """Return the watcher for a vault; it is not armed yet.

    Args:
        root: the vault's real path.
        canary: a folder of atomicd's own outside the vault; it is made if missing.
        mode: `[watch] mode`.

    """
    return PollWatcher(root) if mode == "poll" else NativeWatcher(root, canary, mode=mode)
