"""Keeping other migrations out (seed, Multi-agent considerations; contract [D-4])."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from atomic_agents.exceptions import MigrationBusyError, MigrationError
from atomic_agents.vault.lock import VaultBusyError, VaultLock

BUSY: Final = "Another migration is already running"
_BATCH_SECONDS: Final = 0.5
"""How long the daemon may need to let go of the lock: its batches are shorter (contract [D-4])."""

_log = logging.getLogger(__name__)


class LockGuard:
    """Says whether the lock file that is held still is the one that others would take."""

    def __init__(self, lock: VaultLock) -> None:
        self._lock = lock
        self._inode = self._now()

    def check(self) -> None:
        """Go on, or raise.

        Raises:
            MigrationError: the lock file was removed or replaced while it was held.

        """
        if self._inode is None or self._now() != self._inode:
            raise MigrationError(
                f"vault lock {self._lock.path}: removed or replaced while it was held, so others are not "
                "kept out any more",
                hint="keep cleaners and sync tools away from it, then try again",
            )

    def _now(self) -> int | None:
        try:
            return self._lock.inode()
        except OSError:
            return None


@contextmanager
def hold_exclusively(lock: VaultLock) -> Iterator[LockGuard]:
    """Hold the vault's lock; a fault in letting go of it is logged, and nothing else.

    Raises:
        MigrationBusyError: somebody else has it.

    """
    with ExitStack() as stack:
        try:
            stack.enter_context(lock.hold(timeout=_BATCH_SECONDS))
        except VaultBusyError as error:
            raise MigrationBusyError(
                f"{BUSY} ({error})", hint="wait until it is done, then look at --status"
            ) from error
        inner = stack.pop_all()
    try:
        yield LockGuard(lock)
    finally:
        _let_go(inner)


def _let_go(stack: ExitStack) -> None:
    try:
        stack.close()
    except (OSError, RuntimeError) as error:
        _log.warning("vault lock could not be released: %s", error)
