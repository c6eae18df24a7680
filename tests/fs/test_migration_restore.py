"""Restoring: everything the snapshot holds comes back, nothing else is touched, nothing newer is lost."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import MigrationError, SnapshotInvalidError
from atomic_agents.migration import MigrationSnapshotRef, restore
from atomic_agents.migration.ops import MakeFolder, Put, SetAside, SetMode, journal_path, read_journal
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.verify import read_archive
from atomic_agents.migration.written import recall_written, remember_written, written_file
from atomic_agents.vault.walk import read_layout
from fakes.migrating import NOTE, add_script, adopt_schema, backend_of, events, make_vault, tree, write


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault")


def displaced(root: Path) -> dict[str, bytes]:
    """Return what was set aside, by path below its run's folder."""
    found = {}
    for path in (root / "_migrations/displaced").glob("*/**/*"):
        if path.is_file() and not path.is_symlink():
            found["/".join(path.relative_to(root / "_migrations/displaced").parts[1:])] = path.read_bytes()
    return found


def snapshot_of(root: Path) -> MigrationSnapshotRef:
    return backend_of(root).snapshot(2)


def bring_back(root: Path, ref: MigrationSnapshotRef) -> None:
    backend_of(root).restore(ref)


def test_changed_removed_and_added_files_are_as_before(vault: Path) -> None:
    before = tree(vault)
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    (vault / "alpha/memory/feedback_rule_1.md").unlink()
    shutil.rmtree(vault / "beta")
    write(vault / "alpha/memory/feedback_after.md", "new")
    bring_back(vault, ref)
    after = tree(vault)
    assert after.pop("_migrations", None)
    assert after == before


def test_what_came_after_the_snapshot_is_set_aside_and_not_lost(vault: Path) -> None:
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed by hand")
    write(vault / "gamma/memory/feedback_after.md", "new")
    bring_back(vault, ref)
    assert displaced(vault) == {
        "alpha/memory/feedback_rule_0.md": b"changed by hand",
        "gamma/memory/feedback_after.md": b"new",
    }


def test_what_the_snapshot_does_not_hold_is_not_touched(vault: Path) -> None:
    ref = snapshot_of(vault)
    for path in (
        ".git/HEAD", ".obsidian/app.json", "alpha/log/2026-05/2026-05-07.jsonl", "alpha/.versions/x.md",
        "_quarantine/a/x.md", "_migrations/v7_to_v8.py", "_migrations/migration.jsonl", "alpha/memory/.x.swp",
        "_templates/late.md",
    ):  # fmt: skip
        write(vault / path, "after the snapshot")
    before = tree(vault)
    audit = (vault / "_migrations/migration.jsonl").read_text()
    bring_back(vault, ref)
    assert tree(vault) == before
    assert (vault / "_migrations/migration.jsonl").read_text() == audit


def test_a_file_that_did_not_change_is_not_even_written(vault: Path) -> None:
    ref = snapshot_of(vault)
    note = vault / "alpha/memory/feedback_rule_0.md"
    write(vault / "alpha/memory/feedback_rule_1.md", "changed")
    before = note.stat()
    bring_back(vault, ref)
    after = note.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


def test_the_root_keeps_its_inode_and_mode(vault: Path) -> None:
    vault.chmod(0o711)
    before = vault.stat()
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    bring_back(vault, ref)
    after = vault.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


def test_modes_and_times_come_back(vault: Path) -> None:
    note, other = vault / "alpha/memory/feedback_rule_0.md", vault / "alpha/memory/feedback_rule_1.md"
    note.chmod(0o640)
    other.chmod(0o600)
    (vault / "alpha/raw").chmod(0o700)
    os.utime(note, ns=(1, 1_700_000_000_000_000_001))
    ref = snapshot_of(vault)
    write(note, "changed", 0o666)
    other.chmod(0o644)
    (vault / "alpha/raw").chmod(0o755)
    bring_back(vault, ref)
    assert note.stat().st_mode & 0o777 == 0o640
    assert note.stat().st_mtime_ns == 1_700_000_000_000_000_001
    assert other.stat().st_mode & 0o777 == 0o600
    assert (vault / "alpha/raw").stat().st_mode & 0o777 == 0o700


def test_empty_folders_come_back(vault: Path) -> None:
    (vault / "alpha/raw/empty/inner").mkdir(parents=True)
    ref = snapshot_of(vault)
    shutil.rmtree(vault / "alpha/raw/empty")
    bring_back(vault, ref)
    assert (vault / "alpha/raw/empty/inner").is_dir()


def test_scripts_and_schemas_that_the_snapshot_holds_come_back(vault: Path) -> None:
    script = add_script(vault)
    adopt_schema(vault, 2)
    ref = snapshot_of(vault)
    text = script.read_text()
    script.write_text("broken")
    shutil.rmtree(vault / "_migrations/schemas")
    bring_back(vault, ref)
    assert script.read_text() == text
    assert (vault / "_migrations/schemas/v2.note.schema.json").is_file()


def test_links_fifos_and_what_they_stand_for_are_left_alone(vault: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.md", "outside")
    (vault / "alpha/raw/abs.md").symlink_to(outside)
    os.mkfifo(vault / "alpha/raw/pipe")
    (vault / "gamma").mkdir()
    (vault / "gamma/memory").symlink_to("../alpha/memory")
    before = tree(vault)
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    bring_back(vault, ref)
    after = tree(vault)
    after.pop("_migrations")
    assert after == before
    assert outside.read_text() == "outside"


def test_nothing_is_written_through_a_link_that_took_a_folders_place(vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(vault / "alpha/memory", outside)
    write(outside / "feedback_rule_0.md", "outside")
    ref = snapshot_of(vault)
    before = tree(vault / "alpha/memory")
    shutil.rmtree(vault / "alpha/memory")
    (vault / "alpha/memory").symlink_to(outside)
    bring_back(vault, ref)
    assert tree(vault / "alpha/memory") == before
    assert not (vault / "alpha/memory").is_symlink()
    assert (outside / "feedback_rule_0.md").read_text() == "outside"
    (aside,) = (vault / "_migrations/displaced").glob("*/alpha/memory")
    assert aside.is_symlink()


def test_a_folder_or_file_in_the_way_is_set_aside_whole(vault: Path) -> None:
    ref = snapshot_of(vault)
    before = tree(vault)
    note = vault / "alpha/memory/feedback_rule_0.md"
    note.unlink()
    write(note / "inner.md", "inside a folder of that name")
    shutil.rmtree(vault / "beta")
    write(vault / "beta", "a file where an agent was")
    bring_back(vault, ref)
    after = tree(vault)
    assert {key: value for key, value in after.items() if not key.startswith("_")} == {
        key: value for key, value in before.items() if not key.startswith("_")
    }
    assert displaced(vault) == {
        "alpha/memory/feedback_rule_0.md/inner.md": b"inside a folder of that name",
        "beta": b"a file where an agent was",
    }


def test_what_the_migration_itself_wrote_is_not_set_aside(vault: Path) -> None:
    add_script(vault)
    adopt_schema(vault, 2)
    backend = backend_of(vault)
    before = tree(vault)
    ref = backend.run_migration(2, dry_run=False).snapshot_ref
    write(vault / "alpha/memory/feedback_rule_1.md", NOTE.format("edited after the migration"))
    edited = (vault / "alpha/memory/feedback_rule_1.md").read_bytes()
    backend.restore_and_audit(ref)
    assert displaced(vault) == {"alpha/memory/feedback_rule_1.md": edited}
    assert tree(vault) == before


def test_restoring_twice_changes_nothing_the_second_time(vault: Path) -> None:
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    bring_back(vault, ref)
    before = tree(vault)
    bring_back(vault, ref)
    assert tree(vault) == before
    assert len(list((vault / "_migrations/displaced").iterdir())) == 1


def test_a_hash_that_is_cut_off_at_the_end_is_ignored(vault: Path) -> None:
    ref = snapshot_of(vault)
    archive = vault / "_migrations/snapshots" / ref.snapshot_id
    remember_written(archive, [b"x"])
    remember_written(archive, [b"y", b"z"])
    os.truncate(written_file(archive), 70)
    assert len(recall_written(archive)) == 2


# Hostile, foreign and damaged archives


def refused(root: Path, name: str, told: str | None = None) -> None:
    """Check that a snapshot is refused, changes nothing, and is recorded so."""
    before = tree(root)
    with pytest.raises(MigrationError, match=told):
        backend_of(root).restore_and_audit(MigrationSnapshotRef("filesystem", name))
    assert tree(root) == before
    assert not (root.parent / "escape.md").exists()
    event = events(root)[-1]
    assert (event["rolled_back"], event["error"] != "") == (False, True)


def evil(root: Path, *members: tuple[str, bytes, str]) -> str:
    path = root / "_migrations/snapshots/evil.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, link in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, link, 4 if kind == tarfile.REGTYPE else 0
            archive.addfile(member, io.BytesIO(b"evil"))
    return path.name


@pytest.mark.parametrize(
    "members",
    [
        [("../escape.md", tarfile.REGTYPE, "")],
        [("/abs/x.md", tarfile.REGTYPE, "")],
        [("alpha/link", tarfile.SYMTYPE, "../../outside"), ("alpha/link/x.md", tarfile.REGTYPE, "")],
        [("alpha/memory/x.md", tarfile.LNKTYPE, "/etc/passwd")],
        [("alpha/dev", tarfile.CHRTYPE, "")],
        [("alpha/pipe", tarfile.FIFOTYPE, "")],
        [("alpha/memory/x.md", tarfile.REGTYPE, "")],
        [],
    ],
)
def test_an_archive_that_atomicd_did_not_make_is_refused(
    members: list[tuple[str, bytes, str]], vault: Path
) -> None:
    refused(vault, evil(vault, *members))


def crafted(root: Path, rows: list[Any], files: list[tuple[str, bytes]]) -> str:
    """Make an archive with a manifest of its own."""
    path = root / "_migrations/snapshots/evil.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    table = b"".join(json.dumps(row).encode() + b"\n" for row in [{"format": 1}, *rows])
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as archive:
        for name, data in [*files, (".atomicd-manifest.jsonl", table)]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path.name


def row(path: str, data: bytes) -> list[Any]:
    import hashlib

    return ["file", path, hashlib.sha256(data).hexdigest(), len(data), 0o644, 0, 0, 0]


def test_a_crafted_archive_that_fits_its_manifest_is_restored(vault: Path) -> None:
    name = crafted(
        vault, [row("alpha/memory/feedback_x.md", b"evil")], [("alpha/memory/feedback_x.md", b"evil")]
    )
    bring_back(vault, MigrationSnapshotRef("filesystem", name))
    assert (vault / "alpha/memory/feedback_x.md").read_bytes() == b"evil"


@pytest.mark.parametrize(
    "path", ["../escape.md", "/tmp/escape.md", ".git/hooks/post-checkout", "_migrations/run.json", ".bashrc"]
)
def test_a_manifest_with_a_path_that_leads_elsewhere_is_refused(path: str, vault: Path) -> None:
    refused(vault, crafted(vault, [row(path, b"evil")], [(path, b"evil")]))


@pytest.mark.parametrize(
    ("rows", "files"),
    [
        ([row("alpha/x.md", b"evil")], []),
        ([], [("alpha/x.md", b"evil")]),
        ([row("alpha/x.md", b"good")], [("alpha/x.md", b"evil")]),
        ([row("alpha/x.md", b"evil")], [("alpha/y.md", b"evil")]),
        ([row("alpha/x.md", b"evil")], [("alpha/x.md", b"evil"), ("alpha/x.md", b"evil")]),
    ],
)
def test_members_that_are_not_what_the_manifest_says_are_refused(
    rows: list[Any], files: list[tuple[str, bytes]], vault: Path
) -> None:
    refused(vault, crafted(vault, rows, files), "manifest|members")


def test_a_flipped_byte_anywhere_is_refused_or_changes_nothing(vault: Path) -> None:
    ref = snapshot_of(vault)
    archive = vault / "_migrations/snapshots" / ref.snapshot_id
    good, scope = archive.read_bytes(), Scope(read_layout(vault))
    wanted = read_archive(archive, scope)
    for at in range(0, len(good), 7):
        data = bytearray(good)
        data[at] ^= 0x41
        archive.write_bytes(data)
        try:
            assert read_archive(archive, scope) == wanted
        except SnapshotInvalidError:
            continue


def test_a_truncated_archive_is_refused_and_recorded(vault: Path) -> None:
    ref = snapshot_of(vault)
    archive = vault / "_migrations/snapshots" / ref.snapshot_id
    archive.write_bytes(archive.read_bytes()[:-20])
    refused(vault, ref.snapshot_id)


@pytest.mark.parametrize("what", ["folder", "link", "fifo", "empty"])
def test_what_is_no_archive_at_all_is_refused(what: str, vault: Path) -> None:
    folder = vault / "_migrations/snapshots"
    ref = snapshot_of(vault)
    path = folder / "x.tar.gz"
    if what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(folder / ref.snapshot_id)
    elif what == "fifo":
        os.mkfifo(path)
    else:
        path.touch()
    refused(vault, "x.tar.gz")


def test_a_snapshots_folder_behind_a_link_is_not_used(vault: Path, tmp_path: Path) -> None:
    ref = snapshot_of(vault)
    (vault / "_migrations/snapshots").rename(tmp_path / "elsewhere")
    (vault / "_migrations/snapshots").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MigrationError, match="found a link or a file"):
        bring_back(vault, ref)


# A full disk, and journals


@pytest.mark.parametrize("failing", ["_stage", "write_journal"])
def test_a_full_disk_before_the_decision_changes_nothing(
    failing: str, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    before = tree(vault)

    def full(*_args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(restore, failing, full)
        with pytest.raises(MigrationError, match=r"No space left on device.*nothing was changed"):
            bring_back(vault, ref)
    assert tree(vault) == before


def test_a_full_disk_after_the_decision_is_finished_later(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(vault)
    ref = snapshot_of(vault)
    for number in range(3):
        write(vault / f"alpha/memory/feedback_rule_{number}.md", "changed")
    real, left = os.replace, [2]

    def replace(source: Any, target: Any) -> None:
        if "restoring" in str(source):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, "No space left on device", str(target))
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(MigrationError, match="stopped at") as caught:
            bring_back(vault, ref)
    assert "--recover" in caught.value.hint
    assert read_journal(vault) is not None
    backend_of(vault).restore(ref)
    after = tree(vault)
    after.pop("_migrations")
    assert after == before


def test_a_new_file_that_comes_between_two_tries_is_set_aside(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = snapshot_of(vault)
    note = vault / "alpha/memory/feedback_rule_0.md"
    write(note, "changed")

    real = os.replace

    def replace(source: Any, target: Any) -> None:
        if "restoring" in str(source):
            raise OSError(errno.EIO, "stopped")
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(MigrationError, match="stopped"):
            bring_back(vault, ref)
    write(note, "written in between")
    restore.finish_restore(vault)
    assert note.read_text() == NOTE.format(0)
    assert sorted(displaced(vault).values()) == [b"changed", b"written in between"]


@pytest.mark.parametrize(
    "lines",
    [
        [b"{"],
        [b'{"run": "aabbccdd", "snapshot": "x", "steps": 1}'],
        [b'{"run": "../../x", "snapshot": "x", "steps": 0}'],
        [b'{"run": "aabbccdd", "snapshot": "x", "steps": 1}', b'["put", "../escape.md", 0, null]'],
        [b'{"run": "aabbccdd", "snapshot": "x", "steps": 1}', b'["mode", "/etc/passwd", 511]'],
        [b'{"run": "aabbccdd", "snapshot": "x", "steps": 1}', b'["aside", ".git/config", null]'],
        [b'{"run": "aabbccdd", "snapshot": "x", "steps": 1}', b'["run", "x"]'],
        [b'{"run": 5, "snapshot": "x", "steps": 0}'],
        [],
    ],
)
def test_a_journal_that_is_broken_or_planted_is_not_carried_out(lines: list[bytes], vault: Path) -> None:
    journal_path(vault).parent.mkdir(exist_ok=True)
    journal_path(vault).write_bytes(b"\n".join(lines))
    before = tree(vault)
    with pytest.raises(MigrationError, match="cannot be read"):
        restore.finish_restore(vault)
    assert tree(vault) == before


def test_the_comparison_tells_exactly_what_has_to_be_done(vault: Path) -> None:
    ref = snapshot_of(vault)
    archive = vault / "_migrations/snapshots" / ref.snapshot_id
    scope = Scope(read_layout(vault))
    manifest = read_archive(archive, scope)
    assert restore.compare(vault, scope, manifest, ()).steps == []
    write(vault / "alpha/memory/feedback_rule_0.md", "ours")
    (vault / "alpha/memory/feedback_rule_1.md").chmod(0o600)
    write(vault / "alpha/memory/feedback_new.md", "new")
    shutil.rmtree(vault / "beta/wiki")
    remember_written(archive, [b"ours"])
    steps = restore.compare(vault, scope, manifest, recall_written(archive)).steps
    kinds = [(type(step), step.path) for step in steps]
    assert kinds == [
        (MakeFolder, "beta/wiki"),
        (Put, "alpha/memory/feedback_rule_0.md"),
        (SetMode, "alpha/memory/feedback_rule_1.md"),
        (Put, "beta/wiki/debt_methods.md"),
        (SetAside, "alpha/memory/feedback_new.md"),
    ]
    assert steps[1].drops is not None
    assert steps[3].drops is None


def test_a_name_that_is_taken_in_the_displaced_folder_is_not_overwritten(vault: Path) -> None:
    ref = snapshot_of(vault)
    taken = write(vault / "_migrations/displaced/aabbccdd/alpha/memory/feedback_rule_0.md", "from before")
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    archive = vault / "_migrations/snapshots" / ref.snapshot_id
    restore.restore_snapshot(vault, Scope(read_layout(vault)), archive, "aabbccdd")
    assert taken.read_text() == "from before"
    assert taken.with_name("feedback_rule_0.md.2").read_text() == "changed"


def test_a_folder_on_another_file_system_is_restored_by_copying(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(vault)
    ref = snapshot_of(vault)
    write(vault / "alpha/memory/feedback_rule_0.md", "changed")
    real = os.replace

    def replace(source: Any, target: Any) -> None:
        if "restoring" in str(source) and "feedback_rule" in str(target):
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        bring_back(vault, ref)
    after = tree(vault)
    after.pop("_migrations")
    assert after == before
