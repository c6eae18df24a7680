"""Killed at random times, as a power cut does: after the next start everything is old or everything is new."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from atomic_agents._io import TEMPORARY
from atomic_agents.migration.recovery import find_unfinished, recover
from fakes.migrating import NOTE, add_script, adopt_schema, events, make_vault, tree, write

RUN = """
import sys, pathlib
from atomic_agents.migration import FilesystemMigrationBackend, MigrationSnapshotRef, writing
from atomic_agents.migration.sheet import Surroundings
writing._GROUP_FILES = 16
backend = FilesystemMigrationBackend(pathlib.Path(sys.argv[1]), around=Surroundings(announce=lambda ref, place: None))
print("ready", flush=True)
if sys.argv[2] == "migrate":
    backend.run_migration(2, dry_run=False)
else:
    backend.restore_and_audit(MigrationSnapshotRef("filesystem", sys.argv[2]))
"""


def killed(root: Path, what: str, seconds: float) -> bool:
    """Start it and kill it so long after it is ready; whether it was still running."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(root), what], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def copy_of(vault: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(vault, to, symlinks=True)
    return to


def check(root: Path, *allowed: dict[str, tuple[str, bytes | str]]) -> int:
    """Recover and return which of the allowed states it is."""
    recover(root)
    after = tree(root)
    assert after in allowed
    assert find_unfinished(root) is None
    assert [path for path in root.rglob("*") if TEMPORARY.match(path.name)] == []
    return allowed.index(after)


def run(tmp_path: Path, times: int, seed: int) -> None:
    vault = make_vault(tmp_path / "vault", notes=120)
    write(vault / "alpha/raw/big.bin", os.urandom(1 << 20))
    add_script(vault)
    adopt_schema(vault, 2)
    old = tree(vault)
    whole = copy_of(vault, tmp_path / "whole")
    began = time.monotonic()
    assert not killed_at_leisure(whole)
    length = time.monotonic() - began
    new = tree(whole)
    (snapshot,) = (path.name for path in (whole / "_migrations/snapshots").glob("*.tar.gz"))
    write(whole / "alpha/memory/feedback_late.md", NOTE.format("late"))
    late = tree(whole)
    chance = random.Random(seed)
    for number in range(times):
        root = copy_of(vault, tmp_path / "killed")
        killed(root, "migrate", chance.uniform(0, length))
        outcome = check(root, old, new)
        assert [event["error"] == "" for event in events(root)] in ([], [outcome == 1]), (seed, number)
        root = copy_of(whole, tmp_path / "killed")
        killed(root, snapshot, chance.uniform(0, length))
        check(root, old, late)
        assert [path.read_text() for path in root.rglob("feedback_late.md")] == [NOTE.format("late")], (
            seed,
            number,
        )


def killed_at_leisure(root: Path) -> bool:
    process = subprocess.run(
        [sys.executable, "-c", RUN, str(root), "migrate"], check=False, capture_output=True
    )
    return process.returncode != 0


def test_ten_runs_and_ten_rollbacks_killed_at_random_times(tmp_path: Path) -> None:
    run(tmp_path, 10, seed=5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_hundred_runs_and_rollbacks_killed_at_random_times(tmp_path: Path) -> None:
    run(tmp_path, 100, seed=int(time.time()))
