"""What is put right before the first sweep (contract [D-5])."""

from __future__ import annotations

from typing import Final

from atomic_agents.log import Event
from atomic_agents.pipeline import Bench
from atomic_agents.quarantine import Good, is_unfinished, recover
from atomic_agents.vault.lock import VaultLock

_LOCK_SECONDS: Final = 10.0


def recover_quarantine(bench: Bench) -> None:
    """Finish the moves that a crash interrupted; the lock is taken only if there are any.

    Args:
        bench: the vault and the tools.

    Raises:
        VaultBusyError: a migration holds the vault's lock for too long.

    """
    now = bench.clock.wall()
    if not is_unfinished(bench.incidents, now):
        return
    with VaultLock(bench.root).hold(timeout=_LOCK_SECONDS):
        for incident in recover(bench.incidents, bench.root, lambda path: last_good(bench, path), now):
            bench.log.warning(
                Event.UNIT_QUARANTINED,
                path=incident.path,
                incident=incident.id,
                reason="finished after a crash",
            )


def last_good(bench: Bench, path: str) -> Good | None:
    """Return the version to put back at a path, or None."""
    version = bench.store.versions.last_good(path)
    if version is None:
        return None
    return Good(bench.store.versions.content(version.sha256), version.sha256)
