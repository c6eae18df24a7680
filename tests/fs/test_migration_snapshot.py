"""Snapshots: whole, verified, named only then, and nothing else touched."""

from __future__ import annotations

import datetime as dt
import errno
import os
import socket
import tarfile
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import (
    FileChangedError,
    MigrationError,
    MigrationSnapshotNotFound,
    SnapshotInvalidError,
)
from atomic_agents.migration import snapshot
from atomic_agents.migration.scope import Scope
from atomic_agents.migration.snapshot import Request, find_snapshot, list_snapshots, take_snapshot
from atomic_agents.migration.verify import read_archive
from atomic_agents.vault.walk import read_layout
from fakes.migrating import NOTE, backend_of, make_vault, tree, write

NOON = dt.datetime(2026, 8, 12, 14, 30, tzinfo=dt.UTC).timestamp()


def take(root: Path, target: int = 2) -> Path:
    return take_snapshot(root, Scope(read_layout(root)), Request(target, NOON), ())


def names(archive: Path) -> list[str]:
    with tarfile.open(archive) as members:
        return members.getnames()


def test_the_name_says_when_and_for_what(tmp_path: Path) -> None:
    assert take(make_vault(tmp_path)).name == "2026-08-12T143000_pre_v2_migration.tar.gz"


def test_two_snapshots_of_one_second_get_names_of_their_own_in_order(tmp_path: Path) -> None:
    make_vault(tmp_path)
    taken = [take(tmp_path) for _time in range(12)]
    assert len(set(taken)) == 12
    assert list_snapshots(tmp_path) == taken
    assert taken[1].name == "2026-08-12T143000-2_pre_v2_migration.tar.gz"


def test_any_tar_lists_the_vault_and_nothing_that_is_regenerated(tmp_path: Path) -> None:
    listed = names(take(make_vault(tmp_path, notes=1)))
    assert sorted(listed) == [
        ".atomicd-manifest.jsonl", "alpha/memory/INDEX.md", "alpha/memory/feedback_rule_0.md",
        "alpha/persona/SOUL.md", "alpha/raw/debt.md", "beta/wiki/debt_methods.md",
    ]  # fmt: skip


def test_modes_times_and_bytes_are_held(tmp_path: Path) -> None:
    make_vault(tmp_path)
    odd = write(tmp_path / "alpha/raw/ünïcode \u202e name.md", b"\xff\x00\r\n", 0o604)
    os.utime(odd, ns=(5, 1_700_000_000_123_456_789))
    held = {item.path: item for item in read_archive(take(tmp_path), Scope(read_layout(tmp_path))).files}
    item = held["alpha/raw/ünïcode \u202e name.md"]
    assert (item.mode, item.mtime_ns, item.size) == (0o604, 1_700_000_000_123_456_789, 4)


def test_names_that_are_no_utf8_and_long_paths_are_held(tmp_path: Path) -> None:
    make_vault(tmp_path)
    deep = tmp_path / "/".join(["a" * 100] * 5) / "x.md"
    write(deep, "deep")
    strange = os.fsencode(tmp_path / "alpha/raw") + b"/\xff\xfe.md"
    Path(os.fsdecode(strange)).write_bytes(b"strange")
    held = {item.path for item in read_archive(take(tmp_path), Scope(read_layout(tmp_path))).files}
    assert str(deep.relative_to(tmp_path)) in held
    assert "alpha/raw/\udcff\udcfe.md" in held


def test_a_large_file_is_held_without_being_read_at_once(tmp_path: Path) -> None:
    make_vault(tmp_path)
    write(tmp_path / "alpha/raw/big.bin", os.urandom(3 << 20))
    held = {item.path: item.size for item in read_archive(take(tmp_path), Scope(read_layout(tmp_path))).files}
    assert held["alpha/raw/big.bin"] == 3 << 20


def test_links_fifos_and_sockets_are_noted_and_not_opened(tmp_path: Path) -> None:
    make_vault(tmp_path)
    (tmp_path / "alpha/raw/abs.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "alpha/raw/pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(tmp_path / "alpha/raw")
        try:
            listener.bind("sock")
        finally:
            os.chdir(here)
        manifest = read_archive(take(tmp_path), Scope(read_layout(tmp_path)))
    assert {(item.path, item.what, item.target) for item in manifest.odd} == {
        ("alpha/raw/abs.md", "link", "/etc/hostname"),
        ("alpha/raw/pipe", "FIFO", ""),
        ("alpha/raw/sock", "socket", ""),
    }


def test_a_unit_that_lies_behind_a_link_in_a_hidden_folder_is_held(tmp_path: Path) -> None:
    make_vault(tmp_path)
    write(tmp_path / ".store/feedback_far.md", NOTE.format(9))
    (tmp_path / "gamma").mkdir()
    (tmp_path / "gamma/memory").symlink_to("../.store")
    backend = backend_of(tmp_path)
    ref = backend.snapshot(2)
    assert ".store/feedback_far.md" in names(tmp_path / "_migrations/snapshots" / ref.snapshot_id)


@pytest.mark.parametrize("failing", ["write", "fsync", "link"])
def test_a_full_disk_leaves_no_archive_and_touches_nothing(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_vault(tmp_path)
    before = tree(tmp_path)

    def full(*_args: Any, **_options: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    class Full(snapshot.TarWriter):
        close = full

    with monkeypatch.context() as patch:
        if failing == "write":
            patch.setattr(snapshot, "TarWriter", Full)
        else:
            patch.setattr(os, failing, full)
            patch.setattr(os, "replace", full)
        with pytest.raises(MigrationError, match="No space left on device"):
            take(tmp_path)
    after = tree(tmp_path)
    after.pop("_migrations", None)
    assert after == before
    folder = tmp_path / "_migrations/snapshots"
    assert not folder.exists() or list(folder.iterdir()) == []


def test_where_there_are_no_hard_links_a_snapshot_is_renamed_into_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_vault(tmp_path)

    def refuse(*_args: Any, **_options: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    first, second = take(tmp_path), take(tmp_path)
    assert first != second
    assert list_snapshots(tmp_path) == [first, second]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_vault(tmp_path)
    real = snapshot.read_file

    def read(path: Path) -> Any:
        if path.name == "SOUL.md":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(snapshot, "read_file", read)
    with pytest.raises(MigrationError, match=r"SOUL\.md \(Permission denied\); nothing was changed"):
        take(tmp_path)
    assert list_snapshots(tmp_path) == []


@pytest.mark.parametrize(("times", "is_taken"), [(2, True), (3, False)])
def test_a_file_that_is_being_written_is_read_again_a_few_times(
    times: int, is_taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_vault(tmp_path)
    real, left = snapshot.read_file, [times]

    def read(path: Path) -> Any:
        if path.name == "SOUL.md" and left[0]:
            left[0] -= 1
            raise FileChangedError(f"{path}: changed while it was read")
        return real(path)

    monkeypatch.setattr(snapshot, "read_file", read)
    if is_taken:
        assert "alpha/persona/SOUL.md" in names(take(tmp_path))
    else:
        with pytest.raises(MigrationError, match=r"SOUL\.md is being changed"):
            take(tmp_path)
        assert list_snapshots(tmp_path) == []


def test_a_file_that_goes_away_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_vault(tmp_path)
    real = snapshot.read_file

    def read(path: Path) -> Any:
        if path.name == "SOUL.md":
            path.unlink()
        return real(path)

    monkeypatch.setattr(snapshot, "read_file", read)
    assert "alpha/persona/SOUL.md" not in names(take(tmp_path))


def test_a_snapshot_is_verified_whole_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_vault(tmp_path)
    real = snapshot.prove_archive

    def damaged(path: Path, scope: Scope) -> Any:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        return real(path, scope)

    monkeypatch.setattr(snapshot, "prove_archive", damaged)
    with pytest.raises(SnapshotInvalidError):
        take(tmp_path)
    assert list((tmp_path / "_migrations/snapshots").iterdir()) == []


@pytest.mark.parametrize("name", ["nope.tar.gz", "", "..", "/", "x/../y"])
def test_a_name_that_is_no_snapshots_is_not_found(name: str, tmp_path: Path) -> None:
    make_vault(tmp_path)
    take(tmp_path)
    with pytest.raises(MigrationSnapshotNotFound):
        find_snapshot(tmp_path, name)


def test_a_full_path_means_the_snapshot_of_that_name(tmp_path: Path) -> None:
    taken = take(make_vault(tmp_path))
    assert find_snapshot(tmp_path, f"/elsewhere/{taken.name}") == taken


def test_a_vault_without_snapshots_lists_none(tmp_path: Path) -> None:
    assert list_snapshots(tmp_path) == []
