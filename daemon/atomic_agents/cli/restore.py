"""`atomicd restore`: put a former version of a path back (contract [Q-5], [WRITE-1])."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents._io import Reading, create_file, make_folder, read_file, replace_file
from atomic_agents.cli.diffs import print_diff, unified
from atomic_agents.cli.history import numbered, versions_of
from atomic_agents.cli.incidents import LOCK_SECONDS, print_problems
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.cli.weighing import errors_of
from atomic_agents.config import Config
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Problem, printable
from atomic_agents.quarantine.placing import real_place
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.store.versions import Version
from atomic_agents.vault.lock import VaultLock

_EPILOG: Final = """\b
Examples:
  atomicd restore fern/memory/feedback_watering.md
  atomicd restore fern/memory/feedback_watering.md --version 2 --dry-run
\b
What is there now becomes a version first: a restore can be undone by another.
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.argument("path")
@click.option("--version", "number", type=click.IntRange(1), help="Which; default: the last that differs.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--force", is_flag=True, help="Also a version that is not valid today.")
def restore(choices: Choices, path: str, number: int | None, **flags: bool) -> int:
    """Put a kept version of PATH back in its place."""
    root = choices.root()
    store = open_store(state_folder(root), now=time.time())
    try:
        with VaultLock(root).hold(timeout=LOCK_SECONDS):
            return _restore(_Task(root, choices.load(), store, **flags), path, number)
    finally:
        store.close()


@dataclass(frozen=True)
class _Task:
    """What was asked for, and what it takes."""

    root: Path
    config: Config
    store: Store
    as_json: bool = False
    dry_run: bool = False
    force: bool = False

    def errors(self, path: str, data: bytes) -> tuple[Problem, ...]:
        return errors_of(self.root, self.config, path, data)


def _restore(task: _Task, word: str, number: int | None) -> int:
    versions = versions_of(task.store, task.root, word)
    path = versions[0].path
    target = real_place(task.root, path)
    there = _read(target)
    chosen = numbered(versions, number) if number is not None else _default(versions, there)
    data = task.store.versions.content(chosen.sha256)
    if task.dry_run:
        _show(task, chosen, there, data)
        return 0
    problems = () if task.force else task.errors(path, data)
    if problems:
        print_problems(problems)
        raise AtomicAgentsError(
            f"version {chosen.version} is not valid today, so the daemon would block it",
            hint="--force puts it back all the same",
        )
    kept = _keep(task, path, there)
    _put(target, there, data)
    _say(task, chosen, kept)
    return 0


def _read(target: Path) -> Reading | None:
    if not os.path.lexists(target):
        return None
    return read_file(target)


def _default(versions: list[Version], there: Reading | None) -> Version:
    for version in reversed(versions):
        if there is None or version.sha256 != there.sha256:
            return version
    raise AtomicAgentsError(
        f"{printable(versions[0].path)}: the only version that is kept is what is there now"
    )


def _keep(task: _Task, path: str, there: Reading | None) -> int | None:
    """Make a version of what is there now, valid or not; return its number."""
    if there is None:
        return None
    is_valid = not task.errors(path, there.data)
    with task.store.transaction():
        return task.store.versions.record(path, there.data, there.sha256, time.time(), checked=is_valid)


def _put(target: Path, there: Reading | None, data: bytes) -> None:
    if there is not None:
        if there.data != data:
            replace_file(target, data, expected=there.status)
        return
    make_folder(target.parent, mode=0o755)
    if not create_file(target, data):
        raise AtomicAgentsError(f"{target}: something appeared there just now; try again")


def _show(task: _Task, chosen: Version, there: Reading | None, data: bytes) -> None:
    before = there.data if there is not None else b""
    lines = unified(before, data, ("what is there now", f"version {chosen.version}"))
    if task.as_json:
        print_json({"version": chosen.version, "sha256": chosen.sha256, "restored": False, "diff": lines})
    elif lines:
        print_diff(lines)
    else:
        say(f"Version {chosen.version} is what is there now.")


def _say(task: _Task, chosen: Version, kept: int | None) -> None:
    values: dict[str, Any] = {
        "path": printable(chosen.path),
        "version": chosen.version,
        "sha256": chosen.sha256,
        "restored": True,
        "kept": kept,
    }
    if task.as_json:
        print_json(values)
        return
    say(f"{chosen.path}: version {chosen.version} is back.", colour="green")
    if kept is not None:
        say(f"What was there is version {kept}: `--version {kept}` brings it back.")
