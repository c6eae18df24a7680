"""What the commands on incidents share: finding one, completing ids, telling the agent."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents.cli.options import Choices
from atomic_agents.cli.output import say
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Problem
from atomic_agents.quarantine import Incident, Incidents, settle_notice
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.vault.lock import VaultLock

LOCK_SECONDS: Final = 10.0


def complete_ids(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids that the shell offers: those that begin with or hold what was typed, newest first."""
    try:
        incidents = Incidents(_choices(ctx).root())
    except AtomicAgentsError:
        return []
    return [incident.id for incident in reversed(incidents.all()) if incomplete in incident.id]


identifier: Final[Callable[..., Any]] = click.argument(
    "identifier", metavar="ID", shell_complete=complete_ids
)
"""The argument that names an incident."""


@contextmanager
def changing(root: Path, incidents: Incidents, agent: str) -> Iterator[None]:
    """Hold the vault's lock for a change of an agent's incidents, and tell the agent of it afterwards.

    Args:
        root: the vault's real path.
        incidents: the vault's quarantine.
        agent: the agent's folder, relative to the vault.

    Raises:
        VaultBusyError: a migration holds the lock.

    """
    with VaultLock(root).hold(timeout=LOCK_SECONDS):
        yield
        settle_notice(root, agent, incidents.open_by_agent().get(agent, ()), _keeper(root))


def good_version(root: Path, incident: Incident) -> bytes | None:
    """Return the bytes that were good before an incident, or None if none are known.

    Args:
        root: the vault's real path.
        incident: which.

    """
    try:
        store = open_store(state_folder(root), now=0.0, read_only=True)
    except AtomicAgentsError:
        return None
    try:
        return _good(store, incident)
    finally:
        store.close()


def print_problems(problems: tuple[Problem, ...]) -> None:
    """Print what is still wrong, with the fix."""
    for problem in problems:
        where = f"line {problem.line}, " if problem.line else ""
        say(f"{where}{problem.field or 'file'}: {problem.code}", colour="red", bold=True)
        say(f"  found     {problem.found}\n  expected  {problem.expected}\n  fix       {problem.fix}")


def age_of(moment: str) -> str:
    """Return how long ago an ISO 8601 time was, in its largest unit."""
    seconds = (dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(moment)).total_seconds()
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {name}"
    return f"{max(seconds, 0):.0f} s"


def _good(store: Store, incident: Incident) -> bytes | None:
    versions = store.versions
    if incident.restored is not None:
        try:
            return versions.content(incident.restored)
        except KeyError:
            """Retention let it go, so the newest good one is compared with."""
    newest = [version for version in versions.of(incident.path) if versions.is_checked(version)]
    return versions.content(newest[-1].sha256) if newest else None


def _keeper(root: Path) -> Callable[[str, bytes], None]:
    def keep(path: str, data: bytes) -> None:
        now = dt.datetime.now(dt.UTC).timestamp()
        store = open_store(state_folder(root), now=now)
        try:
            with store.transaction():
                sha256 = hashlib.sha256(data).hexdigest()
                store.versions.record(path, data, sha256, now, checked=False)
        finally:
            store.close()

    return keep


def _choices(ctx: click.Context) -> Choices:
    """Return what was said on a command line that is still being typed."""
    said: dict[str, Any] = {}
    step: click.Context | None = ctx
    while step is not None:
        for name in ("vault", "config"):
            said[name] = said.get(name) or step.params.get(name)
        step = step.parent
    return Choices(vault=said["vault"], config=said["config"])
