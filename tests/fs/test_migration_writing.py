"""Writes of a run: byte-exact, grouped, atomic each, and never over what somebody else wrote."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import (
    FileChangedError,
    MigrationBusyError,
    MigrationError,
    MigrationUnfinishedError,
    UnitsUnreadableError,
)
from atomic_agents.migration import durable, writing
from atomic_agents.migration.durable import make_durable
from atomic_agents.migration.marker import Marker, Run, is_alive, marker_path, read_marker
from atomic_agents.migration.overlay import OverlayWriter
from atomic_agents.migration.readings import _MOST_REMEMBERED, Readings
from atomic_agents.migration.writing import GroupWriter
from atomic_agents.vault.lock import VaultLock
from fakes.migrating import (
    BUMP,
    NOTE,
    Told,
    add_script,
    adopt_schema,
    backend_of,
    events,
    make_vault,
    tree,
    write,
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(tmp_path)
    add_script(root)
    adopt_schema(root, 2)
    return root


def migrated(root: Path, **told: Any) -> Any:
    return backend_of(root, **told).run_migration(2, dry_run=False)


def test_a_migration_changes_only_the_lines_of_the_keys_that_change(vault: Path) -> None:
    note = vault / "alpha/memory/feedback_rule_0.md"
    before = note.read_text().splitlines(keepends=True)
    assert migrated(vault).validation_passed
    after = note.read_text().splitlines(keepends=True)
    gone = [line for line in before if line not in after]
    new = [line for line in after if line not in before]
    assert gone == ["schema_version: 1   # v\n"]
    assert new == ["schema_version: 2   # v\n", "step_2: done\n"]


@pytest.mark.parametrize("mode", [0o640, 0o400, 0o666])
def test_bom_line_ends_mode_and_body_survive(mode: int, vault: Path) -> None:
    text = "\ufeff" + NOTE.format(1).replace("\n", "\r\n") + "\r\n  no final newline"
    note = write(vault / "alpha/memory/feedback_crlf.md", text, mode)
    assert migrated(vault).validation_passed
    wanted = text.replace("schema_version: 1 ", "schema_version: 2 ")
    assert note.read_bytes().decode().replace("step_2: done\r\n", "") == wanted
    assert note.stat().st_mode & 0o777 == mode


def test_values_that_yaml_could_take_for_others_stay_as_they_are(vault: Path) -> None:
    head = "answer: NO\nat: 12:30\ncode: 01234\nratio: 1.10\nlong: &x [a, b]\nagain: *x\nfold: >-\n  one\n  two\n"
    note = write(vault / "alpha/memory/feedback_yaml.md", NOTE.format(1).replace("zeta: 1\n", head))
    assert migrated(vault).validation_passed
    assert head in note.read_text()


def test_a_linked_folder_stays_a_link_and_its_units_are_migrated_once(vault: Path) -> None:
    (vault / "gamma").mkdir()
    (vault / "gamma/memory").symlink_to("../alpha/memory")
    result = migrated(vault)
    assert len(result.units_touched) == 4
    assert (vault / "gamma/memory").is_symlink()


def test_a_linked_note_stays_a_link_to_the_migrated_file(vault: Path) -> None:
    real = write(vault / ".store/real.md", NOTE.format(5))
    (vault / "alpha/memory/feedback_link.md").symlink_to("../../.store/real.md")
    result = migrated(vault)
    assert result.validation_passed
    assert (vault / "alpha/memory/feedback_link.md").is_symlink()
    assert "schema_version: 2" in real.read_text()
    backend_of(vault).restore_and_audit(result.snapshot_ref)
    assert real.read_text() == NOTE.format(5)


def test_names_of_one_file_stay_names_of_one_file(vault: Path, tmp_path: Path) -> None:
    first, second = vault / "alpha/memory/feedback_rule_0.md", vault / "beta/memory/feedback_twin.md"
    second.parent.mkdir(parents=True)
    second.hardlink_to(first)
    assert migrated(vault).validation_passed
    assert first.samefile(second)
    assert "schema_version: 2" in second.read_text()


def test_a_name_outside_of_the_vault_keeps_the_old_bytes(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault")
    add_script(vault)
    adopt_schema(vault, 2)
    backup = tmp_path / "backup.md"
    backup.hardlink_to(vault / "alpha/memory/feedback_rule_0.md")
    assert migrated(vault).validation_passed
    assert backup.read_text() == NOTE.format(0)


def test_a_note_that_somebody_writes_to_meanwhile_is_not_overwritten(vault: Path) -> None:
    note = vault / "alpha/memory/feedback_rule_0.md"

    def interfere(phase: str, done: int, total: int) -> None:
        if phase == "v1_to_v2.py" and done == total:
            note.write_text("by an agent")

    before = tree(vault)
    result = migrated(vault, progress=interfere)
    assert "changed since it was read" in result.error
    assert result.rolled_back
    assert tree(vault) == before
    (aside,) = (vault / "_migrations/displaced").glob("*/alpha/memory/feedback_rule_0.md")
    assert aside.read_text() == "by an agent"


def test_every_unreadable_unit_is_named_before_anything_is_touched(vault: Path, tmp_path: Path) -> None:
    write(vault / "alpha/memory/feedback_a.md", "---\nname: x: y\n---\n")
    write(vault / "beta/memory/feedback_b.md", "no frontmatter\n")
    write(vault / "beta/wiki/c.md", b"---\nname: \xff\n---\n")
    before = tree(vault)
    for dry_run in (True, False):
        with pytest.raises(UnitsUnreadableError) as caught:
            backend_of(vault).run_migration(2, dry_run=dry_run)
        told = str(caught.value)
        assert "3 units cannot be read" in told
        assert "alpha/memory/feedback_a.md: yaml-syntax in line 2" in told
        assert "beta/memory/feedback_b.md: frontmatter-missing" in told
        assert "beta/wiki/c.md: not-utf8" in told
    assert tree(vault) == before
    assert [event["from_version"] for event in events(vault)] == [1, 1]
    assert backend_of(vault).list_snapshots() == []


def test_a_folder_in_which_nothing_can_be_written_is_named(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not str(path).endswith("beta/wiki") and real(path, mode)
    )
    with pytest.raises(UnitsUnreadableError, match="beta/wiki: nothing can be written in this folder"):
        migrated(vault)


def test_a_folder_that_cannot_be_listed_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from atomic_agents.vault import walk

    real = walk._listing

    def listing(root: Path, folder: str) -> Any:
        if folder == "beta/wiki":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(root, folder)

    monkeypatch.setattr(walk, "_listing", listing)
    with pytest.raises(UnitsUnreadableError, match="beta/wiki: Permission denied"):
        migrated(vault)


def test_without_room_for_a_rollback_nothing_is_begun(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs(vault)

    class Little:
        f_bavail = 1
        f_frsize = real.f_frsize

    monkeypatch.setattr(os, "statvfs", lambda _path: Little)
    before = tree(vault)
    with pytest.raises(MigrationError, match="needed so that a rollback is possible"):
        migrated(vault)
    assert tree(vault) == before


# The lock


def test_a_second_run_in_another_lock_object_is_refused_at_once(vault: Path) -> None:
    before = tree(vault)
    with (
        VaultLock(vault).hold(),
        pytest.raises(MigrationBusyError, match="Another migration is already running"),
    ):
        migrated(vault)
    assert tree(vault) == before


def test_a_lock_file_left_behind_is_no_lock(vault: Path) -> None:
    write(vault / ".migration.lock", "4242\nhost\n")
    assert migrated(vault).validation_passed
    assert (vault / ".migration.lock").read_text() == "4242\nhost\n"


def test_nested_use_of_one_backend_takes_the_lock_once_more_without_a_deadlock(vault: Path) -> None:
    backend = backend_of(vault)
    with backend.exclusive(), backend.exclusive():
        backend.restore(backend.snapshot(2))


@pytest.mark.parametrize("replaced", [True, False])
def test_a_lock_file_that_is_removed_while_it_is_held_ends_the_run(replaced: bool, vault: Path) -> None:
    lock = vault / ".migration.lock"

    def remove(phase: str, done: int, total: int) -> None:
        if phase == "v1_to_v2.py" and done == total:
            lock.unlink()
            if replaced:
                lock.touch()

    before = tree(vault)
    result = migrated(vault, progress=remove)
    assert "removed or replaced while it was held" in result.error
    assert result.rolled_back
    assert tree(vault) == before


def test_a_second_runner_is_refused_though_the_lock_file_was_removed(vault: Path) -> None:
    told: list[str] = []

    def second(phase: str, done: int, total: int) -> None:
        if phase == "v1_to_v2.py" and done == total:
            (vault / ".migration.lock").unlink()
            try:
                backend_of(vault).run_migration(2, dry_run=False)
            except MigrationBusyError as error:
                told.append(str(error))

    migrated(vault, progress=second)
    assert len(told) == 1
    assert "Another migration is already running" in told[0]
    assert [event["from_version"] for event in events(vault)] == [1, 1]


# The mark


RUN = Run("r1", 1, 2, "s.tar.gz", "0123abcd", "2026-05-06T00:00:00+00:00")


def test_a_mark_is_alive_as_long_as_its_process_holds_it(tmp_path: Path) -> None:
    marker = Marker.place(tmp_path, RUN)
    assert is_alive(tmp_path)
    assert read_marker(tmp_path) == RUN
    marker.release()
    assert not is_alive(tmp_path)
    assert read_marker(tmp_path) == RUN


def test_a_mark_that_is_removed_is_gone(tmp_path: Path) -> None:
    Marker.place(tmp_path, RUN).remove()
    assert read_marker(tmp_path) is None
    assert not is_alive(tmp_path)


def test_a_mark_that_cannot_be_placed_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            Marker.place(tmp_path, RUN)
    assert list((tmp_path / "_migrations").iterdir()) == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"token": "../../x"}', '{"token": "0123abcd", "more": 1}']
)
def test_a_mark_that_is_broken_is_named(text: str, tmp_path: Path) -> None:
    write(marker_path(tmp_path), text)
    with pytest.raises(MigrationError, match="cannot be read"):
        read_marker(tmp_path)


def test_a_restore_that_was_cut_short_is_finished_before_a_run_begins(vault: Path) -> None:
    write(vault / "_migrations/restore.jsonl", '{"run": "0123abcd", "snapshot": "s", "steps": 0}\n')
    with pytest.raises(MigrationUnfinishedError, match="a restore of s was cut short"):
        migrated(vault)


# The group


class Group:
    def __init__(self, folder: Path, count: int = 3) -> None:
        self.announced: list[int] = []
        self.files = [write(folder / f"{number}.md", f"old {number}") for number in range(count)]
        self.writer = GroupWriter("0123abcd", lambda group: self.announced.append(len(group)))

    def fill(self) -> None:
        for path in self.files:
            self.writer.write(str(path), b"new", path.stat())

    def texts(self) -> list[str]:
        return [path.read_text() for path in self.files]


def test_a_group_is_put_in_place_together_and_announced_before(tmp_path: Path) -> None:
    group = Group(tmp_path)
    group.fill()
    assert group.texts() == ["old 0", "old 1", "old 2"]
    group.writer.settle()
    assert group.texts() == ["new"] * 3
    assert group.announced == [3]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.md", "1.md", "2.md"]


def test_the_status_of_a_write_is_the_one_that_the_file_gets(tmp_path: Path) -> None:
    group = Group(tmp_path, 1)
    status = group.writer.write(str(group.files[0]), b"new", group.files[0].stat())
    group.writer.settle()
    after = group.files[0].stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
    )


def test_a_second_write_takes_the_place_of_the_first(tmp_path: Path) -> None:
    group = Group(tmp_path, 1)
    group.fill()
    group.writer.write(str(group.files[0]), b"newer", group.files[0].stat())
    group.writer.settle()
    assert group.texts() == ["newer"]
    assert [path.name for path in tmp_path.iterdir()] == ["0.md"]


def test_what_is_dropped_leaves_no_trace(tmp_path: Path) -> None:
    group = Group(tmp_path)
    group.fill()
    group.writer.drop()
    group.writer.settle()
    assert group.texts() == ["old 0", "old 1", "old 2"]
    assert len(list(tmp_path.iterdir())) == 3
    assert group.announced == []


def test_a_group_is_full_by_number_and_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group(tmp_path)
    assert not group.writer.is_full
    group.fill()
    monkeypatch.setattr(writing, "_GROUP_FILES", 3)
    assert group.writer.is_full
    monkeypatch.setattr(writing, "_GROUP_FILES", 4)
    assert not group.writer.is_full
    monkeypatch.setattr(writing, "_GROUP_BYTES", 9)
    assert group.writer.is_full


def test_a_small_group_is_put_in_place_while_the_run_goes_on(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_GROUP_FILES", 1)
    seen: list[bool] = []
    first = vault / "alpha/memory/feedback_rule_0.md"

    def look(phase: str, done: int, total: int) -> None:
        if phase == "v1_to_v2.py" and done == total:
            seen.append("schema_version: 2" in first.read_text())

    assert migrated(vault, progress=look).validation_passed
    assert seen == [True]


def test_a_file_that_changed_is_left_and_the_others_before_it_are_in_place(tmp_path: Path) -> None:
    group = Group(tmp_path)
    group.fill()
    group.files[1].write_text("by somebody else")
    with pytest.raises(FileChangedError):
        group.writer.settle()
    assert group.texts() == ["new", "by somebody else", "old 2"]


def test_a_name_that_is_nearly_too_long_still_gets_a_temporary_file(tmp_path: Path) -> None:
    path = write(tmp_path / f"{'ü' * 126}.md", "old")
    writer = GroupWriter("0123abcd")
    writer.write(str(path), b"new", path.stat())
    (temporary,) = (each for each in tmp_path.iterdir() if each != path)
    assert temporary.name.endswith("0123abcd.atomicd.tmp")
    writer.settle()
    assert path.read_text() == "new"


def test_a_failed_write_leaves_the_file_and_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = Group(tmp_path, 1)

    def full(*_args: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            group.fill()
    assert [path.name for path in tmp_path.iterdir()] == ["0.md"]


# Durability


@pytest.mark.parametrize("count", [0, 1, 5, 200])
def test_every_file_is_made_durable_one_way_or_another(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(write(tmp_path / f"{number}", "x")) for number in range(count)]
    synced: list[str] = []
    monkeypatch.setattr(durable, "_sync_file", synced.append)
    monkeypatch.setattr(durable, "_sync_file_system", lambda folder: synced.extend(files) or folder)
    make_durable(files)
    assert sorted(synced) == sorted(files)


def test_many_files_on_a_remote_file_system_are_synced_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(write(tmp_path / f"{number}", "x")) for number in range(200)]
    synced: list[str] = []
    monkeypatch.setattr(durable, "_sync_file", synced.append)
    monkeypatch.setattr(durable, "_kind_of", lambda _device: "nfs4")
    make_durable(files)
    assert sorted(synced) == sorted(files)


@pytest.mark.parametrize(
    ("platform", "release", "expected"),
    [
        ("linux", "6.1.0-x", True),
        ("linux", "5.8", True),
        ("linux", "5.7.19", False),
        ("darwin", "24.1.0", False),
    ],
)
def test_a_whole_file_system_is_synced_only_where_the_kernel_tells_of_errors(
    platform: str, release: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("L", "h", release, "v", "m")))
    assert durable._system_can.__wrapped__() is expected


def test_a_device_that_no_mount_names_is_of_no_known_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    assert durable._kind_of.__wrapped__(os.makedev(4000, 4000)) == ""
    monkeypatch.setattr(Path, "read_text", lambda *_args: (_ for _ in ()).throw(FileNotFoundError()))
    assert durable._kind_of.__wrapped__(0) == ""


def test_an_error_of_the_disk_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    class Libc:
        @staticmethod
        def syncfs(_handle: int) -> int:
            ctypes.set_errno(errno.EIO)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_args, **_options: Libc)
    with pytest.raises(OSError, match="Input/output error"):
        durable._sync_file_system(str(tmp_path))


# Copies and memory


def test_a_copy_in_memory_never_touches_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path / "x.md", "old")
    writer = OverlayWriter()
    status = writer.write(str(path), b"new", path.stat())
    assert status.st_ino != path.stat().st_ino
    assert writer.pending(str(path)).data == b"new"
    writer.settle()
    assert list(writer.drafts()) == [(str(path), b"new")]
    assert path.read_text() == "old"
    assert not writer.is_full
    writer.drop()
    assert writer.pending(str(path)) is None


def test_beyond_what_is_remembered_only_the_latest_file_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from atomic_agents.migration import readings

    path = write(tmp_path / "x.md", NOTE.format(1))
    calls: list[int] = []
    real = readings.read
    monkeypatch.setattr(readings, "read", lambda data: calls.append(1) or real(data))
    kept = Readings()
    first = kept.meta(str(path))
    assert kept.meta(str(path)) == first
    assert len(calls) == 1
    monkeypatch.setattr(readings, "_MOST_REMEMBERED", 10)
    other = write(tmp_path / "y.md", NOTE.format(2))
    forgetful = Readings()
    for each in (path, path, other, path):
        assert forgetful.meta(str(each)) == first
    assert len(calls) == 4
    assert _MOST_REMEMBERED > 1 << 20


def test_a_file_that_changed_is_parsed_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "x.md", NOTE.format(1))
    kept = Readings()
    assert kept.meta(str(path))["name"] == "Sample rule"
    write(path, NOTE.format(1).replace("Sample rule", "Another"))
    assert kept.meta(str(path))["name"] == "Another"


def test_a_script_sees_what_an_earlier_script_wrote_in_the_same_group(vault: Path) -> None:
    add_script(vault, BUMP.format(2, 3), "v2_to_v3.py")
    adopt_schema(vault, 3)
    result = backend_of(vault, tries_first=False).run_migration(3, dry_run=False)
    assert (result.error, len(result.units_touched)) == ("", 8)
    assert Told().snapshots == []


def test_a_cloud_placeholder_is_named_since_its_bytes_are_not_here(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from atomic_agents.migration import listing

    real = listing.walk

    def walk(root: Path, layout: Any, survey: Any) -> Any:
        survey.away.add("alpha/memory/feedback_away.md")
        return real(root, layout, survey)

    monkeypatch.setattr(listing, "walk", walk)
    with pytest.raises(UnitsUnreadableError, match=r"feedback_away\.md: a cloud placeholder"):
        migrated(vault)
