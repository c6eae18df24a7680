"""Killed at every step: afterwards everything is old or everything is new, byte for byte, and nothing stays.

The killed process is a forked child that ends at once, without any cleaning up, before the step it dies at.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atomic_agents._io import TEMPORARY
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration import MigrationSnapshotRef, writing
from atomic_agents.migration.recovery import DIED, find_unfinished, recover
from fakes.migrating import BUMP, NOTE, add_script, adopt_schema, backend_of, events, make_vault, tree, write

CHANGING = (
    "write",
    "link",
    "replace",
    "rename",
    "unlink",
    "mkdir",
    "rmdir",
    "ftruncate",
    "fsync",
    "chmod",
    "fchmod",
)
KILLED, FINISHED = 9, 0
KILLING = BUMP.format(1, 2).replace(
    "    unit.write_frontmatter(meta)",
    "    unit.write_frontmatter(meta)\n    import os\n    'debt' in unit.unit_id and os._exit(9)",
)
EVERY = int(os.environ.get("ATOMICD_KILL_EVERY", "1"))


def each_step(patch: pytest.MonkeyPatch, before: Callable[[], None]) -> None:
    """Call something before each system call that changes the disk."""

    def wrap(real: Any) -> Any:
        def wrapped(*args: Any, **options: Any) -> Any:
            before()
            return real(*args, **options)

        return wrapped

    def opened(real: Any) -> Any:
        def wrapped(path: Any, flags: int, *args: Any, **options: Any) -> Any:
            if flags & os.O_CREAT:
                before()
            return real(path, flags, *args, **options)

        return wrapped

    for name in CHANGING:
        patch.setattr(os, name, wrap(getattr(os, name)))
    patch.setattr(os, "open", opened(os.open))


def dies_at(number: int, action: Callable[[], object]) -> bool:
    """Do something in a child that is gone before its step of this number; False when it finished."""
    child = os.fork()
    if child == 0:
        left = [number]

        def count() -> None:
            left[0] -= 1
            if left[0] == 0:
                os._exit(KILLED)

        try:
            each_step(pytest.MonkeyPatch(), count)
            action()
        finally:
            sys.stderr.flush()
            os._exit(FINISHED if sys.exc_info()[0] is None else 5)
    _pid, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {KILLED, FINISHED}
    return code == KILLED


def prepared(root: Path) -> Path:
    make_vault(root, notes=2)
    write(root / "alpha/memory/feedback_crlf.md", "\ufeff" + NOTE.format(7).replace("\n", "\r\n"), 0o640)
    add_script(root)
    adopt_schema(root, 2)
    return root


def leftovers(root: Path) -> list[str]:
    """Return what no process should leave: temporary files, marks, staged files."""
    found = [path.name for path in root.rglob("*") if TEMPORARY.match(path.name)]
    kept = {"snapshots", "displaced", "schemas", "migration.jsonl", "v1_to_v2.py"}
    return found + [path.name for path in (root / "_migrations").iterdir() if path.name not in kept]


def copy_of(vault: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(vault, to, symlinks=True)
    return to


def test_a_run_killed_at_any_step_is_all_old_or_all_new_after_recovery(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    old = tree(vault)
    whole = copy_of(vault, tmp_path / "whole")
    assert backend_of(whole).run_migration(2, dry_run=False).validation_passed
    new = tree(whole)
    seen, number = set(), 0
    while True:
        number += EVERY
        root = copy_of(vault, tmp_path / "killed")
        killed = dies_at(number, lambda root=root: backend_of(root).run_migration(2, dry_run=False))
        recovery = recover(root)
        after = tree(root)
        assert after in (old, new), number
        assert leftovers(root) == [], number
        assert find_unfinished(root) is None
        if recovery is not None:
            (event,) = events(root)
            assert event["rolled_back"] is (after == old), number
            assert event["error"] == (DIED if after == old else ""), number
        assert not list((root / "_migrations").glob("displaced/*/*/*/*")), number
        seen.add(after == new)
        if not killed:
            break
    assert seen == {True, False}
    assert number > 40


def test_a_rollback_killed_at_any_step_is_all_old_or_all_new_after_recovery(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    old = tree(vault)
    ref = backend_of(vault).run_migration(2, dry_run=False).snapshot_ref
    write(vault / "alpha/memory/feedback_late.md", NOTE.format("late"))
    (vault / "beta/wiki/debt_methods.md").unlink()
    new = tree(vault)
    seen, number = set(), 0
    while True:
        number += EVERY
        root = copy_of(vault, tmp_path / "killed")
        killed = dies_at(number, lambda root=root: backend_of(root).restore_and_audit(ref))
        recover(root)
        after = tree(root)
        assert after in (old, new), number
        assert leftovers(root) == [], number
        late = [path.read_text() for path in root.rglob("feedback_late.md")]
        assert late == [NOTE.format("late")], number
        seen.add(after == old)
        if not killed:
            break
    assert seen == {True, False}
    assert number > 15


def test_a_recovery_killed_at_any_step_is_finished_by_the_next_one(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    dead = died_in_apply(vault, tmp_path / "dead")
    old = tree(vault)
    number = 0
    while True:
        number += EVERY
        root = copy_of(dead, tmp_path / "killed")
        killed = dies_at(number, lambda root=root: recover(root))
        recover(root)
        assert tree(root) == old, number
        assert leftovers(root) == [], number
        assert [event["rolled_back"] for event in events(root)] == [True], number
        if not killed:
            break
    assert number > 10


def died_in_apply(vault: Path, to: Path) -> Path:
    """Return a copy of a vault whose run died when most units were in place and nothing was recorded."""
    add_script(vault, KILLING)
    root = copy_of(vault, to)
    child = os.fork()
    if child == 0:
        writing._GROUP_FILES = 1
        backend_of(root).run_migration(2, dry_run=False)
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    assert find_unfinished(root) is not None
    assert backend_of(root).read_schema_version() == 1
    assert "schema_version: 2" in (root / "alpha/memory/feedback_rule_0.md").read_text()
    return root


def test_a_full_disk_at_any_step_of_a_run_leaves_everything_old_or_new(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    old = tree(vault)
    whole = copy_of(vault, tmp_path / "whole")
    backend_of(whole).run_migration(2, dry_run=False)
    new = tree(whole)
    number, outcomes = 0, set()
    while True:
        number += EVERY
        root = copy_of(vault, tmp_path / "full")
        left = [number]

        def full(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(errno.ENOSPC, "No space left on device")

        with pytest.MonkeyPatch.context() as patch:
            each_step(patch, full)
            try:
                error = backend_of(root).run_migration(2, dry_run=False).error
            except AtomicAgentsError as refusal:
                error = str(refusal)
        recover(root)
        after = tree(root)
        assert after in (old, new), (number, error)
        assert leftovers(root) == [], (number, error)
        if left[0] > 0:
            break
        assert (error == "") == (after == new), (number, error)
        outcomes.add(error == "")
    assert number > 40
    assert False in outcomes


def test_a_disk_that_stays_full_leaves_a_run_that_the_next_start_undoes(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    old = tree(vault)
    for number in range(1, 120, 3):
        root = copy_of(vault, tmp_path / "full")
        left = [number]

        def full(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")

        with pytest.MonkeyPatch.context() as patch:
            each_step(patch, full)
            try:
                result = backend_of(root).run_migration(2, dry_run=False)
            except (AtomicAgentsError, OSError):
                pass
            else:
                if not result.error:
                    continue
        recover(root)
        after = tree(root)
        if after != old:
            assert [event["error"] for event in events(root)] == [""], number
        assert leftovers(root) == [], number


def test_a_run_that_succeeded_but_died_before_its_mark_was_removed_stays(tmp_path: Path) -> None:
    root = prepared(tmp_path / "vault")
    child = os.fork()
    if child == 0:
        backend = backend_of(root)
        backend.end = lambda *, finished: os._exit(KILLED)
        backend.run_migration(2, dry_run=False)
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED
    new = tree(root)
    new.pop("_migrations/run.json")
    recovery = recover(root)
    assert recovery is not None
    assert not recovery.rolled_back
    assert tree(root) == new
    assert [event["error"] for event in events(root)] == [""]


def test_a_run_whose_snapshot_is_gone_cannot_be_recovered_and_says_so_each_time(tmp_path: Path) -> None:
    vault = prepared(tmp_path / "vault")
    root = died_in_apply(vault, tmp_path / "dead")
    (archive,) = (root / "_migrations/snapshots").glob("*.tar.gz")
    archive.rename(tmp_path / archive.name)
    for _time in range(2):
        with pytest.raises(AtomicAgentsError, match="not in"):
            recover(root)
    assert [event["rolled_back"] for event in events(root)] == [False, False]
    (tmp_path / archive.name).rename(archive)
    recovery = recover(root)
    assert recovery is not None
    assert recovery.rolled_back


def test_a_dead_run_is_refused_to_be_built_upon(tmp_path: Path) -> None:
    root = died_in_apply(prepared(tmp_path / "vault"), tmp_path / "dead")
    for dry_run in (True, False):
        with pytest.raises(AtomicAgentsError, match="died") as caught:
            backend_of(root).run_migration(2, dry_run=dry_run)
        assert "--recover" in caught.value.hint


def test_a_manual_rollback_settles_a_run_that_died(tmp_path: Path) -> None:
    root = died_in_apply(prepared(tmp_path / "vault"), tmp_path / "dead")
    backend = backend_of(root)
    backend.restore_and_audit(MigrationSnapshotRef("filesystem", backend.list_snapshots()[0].name))
    assert find_unfinished(root) is None
    assert backend.read_schema_version() == 1


def test_recovering_a_vault_where_nothing_happened_does_nothing(tmp_path: Path) -> None:
    root = prepared(tmp_path / "vault")
    before = tree(root)
    assert recover(root) is None
    assert tree(root) == before
