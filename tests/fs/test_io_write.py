"""Replacing and creating one file: all or nothing, durable, mode and owner kept, nothing left behind."""

import errno
import os
import stat
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents.exceptions import FileChangedError, NotRegularFileError

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="changing owners needs root")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_is_written_as_utf8_with_its_line_ends(tmp_path: Path) -> None:
    _io.atomic_write(tmp_path / "x.md", "é\r\nb\n")
    assert (tmp_path / "x.md").read_bytes() == b"\xc3\xa9\r\nb\n"
    assert names(tmp_path) == ["x.md"]


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    _io.atomic_write(tmp_path / "x.md", b"\xff\x00")
    assert (tmp_path / "x.md").read_bytes() == b"\xff\x00"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_mode_of_the_old_file_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    _io.atomic_write(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_gets_an_ordinary_mode_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        _io.atomic_write(tmp_path / "x.md", "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x.md").stat().st_mode) == 0o644


@NEEDS_ROOT
def test_the_owner_of_the_old_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    _io.atomic_write(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_an_owner_that_may_not_be_given_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    like = os.stat_result([*path.stat()[:4], 4321, 4321, *path.stat()[6:]])

    def refuse(*_args: object) -> None:
        raise PermissionError(errno.EPERM, "not yours")

    monkeypatch.setattr(os, "fchown", refuse)
    assert _io.create_file(tmp_path / "y.md", b"new", owner_of=like)
    assert (tmp_path / "y.md").read_bytes() == b"new"


def test_a_link_is_never_replaced_nor_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "x.md").symlink_to("real")
    with pytest.raises(NotRegularFileError):
        _io.atomic_write(tmp_path / "x.md", "new")
    assert (tmp_path / "real").read_bytes() == b"old"
    assert names(tmp_path) == ["real", "x.md"]


def test_a_file_that_changed_since_it_was_read_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    expected = path.stat()
    path.write_bytes(b"by hand")
    with pytest.raises(FileChangedError):
        _io.replace_file(path, b"new", expected=expected)
    assert path.read_bytes() == b"by hand"
    assert names(tmp_path) == ["x.md"]


def test_a_file_that_was_deleted_since_it_was_read_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    expected = path.stat()
    path.unlink()
    with pytest.raises(FileChangedError):
        _io.replace_file(path, b"new", expected=expected)
    assert names(tmp_path) == []


def test_a_change_while_the_temporary_file_is_written_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    real = os.fsync

    def write_meanwhile(handle: int) -> None:
        path.write_bytes(b"by hand")
        real(handle)

    monkeypatch.setattr(os, "fsync", write_meanwhile)
    with pytest.raises(FileChangedError):
        _io.replace_file(path, b"new", expected=path.stat())
    assert path.read_bytes() == b"by hand"
    assert names(tmp_path) == ["x.md"]


def test_the_status_that_comes_back_is_of_the_bytes_that_were_written(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    status = _io.replace_file(path, b"new")
    assert status == path.stat()


def test_the_status_is_ours_even_if_another_writer_replaces_the_file_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    real = os.replace

    def replace_twice(source: Path, target: Path) -> None:
        real(source, target)
        other = tmp_path / "other"
        other.write_bytes(b"somebody else's text")
        real(other, target)

    monkeypatch.setattr(os, "replace", replace_twice)
    status = _io.replace_file(path, b"new")
    assert _io.identity(status) != _io.identity(path.stat())
    assert status.st_size == 3


def test_the_status_is_ours_even_if_another_writer_appends_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    real = os.replace

    def replace_and_append(source: Path, target: Path) -> None:
        real(source, target)
        with path.open("ab") as writer:
            writer.write(b" and more")

    monkeypatch.setattr(os, "replace", replace_and_append)
    assert _io.replace_file(path, b"new").st_size == 3


@pytest.mark.parametrize("failing", ["write", "fsync", "fchmod", "replace"])
def test_a_failure_leaves_the_old_bytes_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")

    def fail(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="disk full"):
        _io.atomic_write(path, "new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x.md"]


def test_a_write_that_takes_only_some_bytes_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:2]))
    _io.atomic_write(tmp_path / "x.md", "seven b")
    assert (tmp_path / "x.md").read_text() == "seven b"


def test_the_file_is_durable_before_its_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(handle: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        real_sync(handle)

    def replace(source: Path, target: Path) -> None:
        steps.append("replace")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    _io.atomic_write(tmp_path / "x.md", "new")
    assert steps == ["file", "replace", "folder"]


@pytest.mark.parametrize("name", ["n" * 252 + ".md", "記" * 84 + ".md", "n" * 232])
def test_a_name_as_long_as_the_file_system_takes_can_be_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    _io.atomic_write(path, "new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == [name]


def test_temporary_files_are_known_by_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = os.replace

    def look(source: Path, target: Path) -> None:
        seen.append(source.name)
        real(source, target)

    monkeypatch.setattr(os, "replace", look)
    _io.atomic_write(tmp_path / "x.md", "new")
    _io.atomic_write(tmp_path / ("n" * 255), "new")
    assert all(_io.TEMPORARY.match(name) for name in seen)
    assert len(seen) == 2


@pytest.mark.parametrize(
    "name",
    ["x.md", ".x.md.tmp", ".x.md.12345678.tmp", "x.md.12345678.atomicd.tmp", ".12345678.atomicd.tmp\n"],
)
def test_other_names_are_not_taken_for_our_temporary_files(name: str) -> None:
    assert not _io.TEMPORARY.match(name)


def test_a_file_is_created_with_mode_and_content(tmp_path: Path) -> None:
    assert _io.create_file(tmp_path / "x.md", b"new", mode=0o600)
    assert (tmp_path / "x.md").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "x.md").stat().st_mode) == 0o600
    assert names(tmp_path) == ["x.md"]


@NEEDS_ROOT
def test_a_created_file_gets_the_owner_that_was_asked_for(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.touch()
    os.chown(other, 77, 78)
    assert _io.create_file(tmp_path / "x.md", b"new", owner_of=other.stat())
    assert ((tmp_path / "x.md").stat().st_uid, (tmp_path / "x.md").stat().st_gid) == (77, 78)


@pytest.mark.parametrize("hard_links", [True, False])
def test_creating_never_touches_what_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hard_links: bool
) -> None:
    if not hard_links:
        monkeypatch.setattr(os, "link", _no_hard_links)
    (tmp_path / "x.md").write_bytes(b"old")
    assert not _io.create_file(tmp_path / "x.md", b"new")
    assert (tmp_path / "x.md").read_bytes() == b"old"
    assert names(tmp_path) == ["x.md"]


def test_a_dangling_link_has_a_name_too(tmp_path: Path) -> None:
    (tmp_path / "x.md").symlink_to("nowhere")
    assert not _io.create_file(tmp_path / "x.md", b"new")
    assert names(tmp_path) == ["x.md"]


def test_a_file_system_without_hard_links_can_create_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", _no_hard_links)
    assert _io.create_file(tmp_path / "x.md", b"new")
    assert (tmp_path / "x.md").read_bytes() == b"new"
    assert names(tmp_path) == ["x.md"]


def test_other_errors_of_linking_pass_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError(errno.EIO, "broken disk")

    monkeypatch.setattr(os, "link", fail)
    with pytest.raises(OSError, match="broken disk"):
        _io.create_file(tmp_path / "x.md", b"new")
    assert names(tmp_path) == []


def test_a_name_that_was_claimed_is_given_back_when_the_file_cannot_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise OSError(errno.EIO, "broken disk")

    monkeypatch.setattr(os, "link", _no_hard_links)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="broken disk"):
        _io.create_file(tmp_path / "x.md", b"new")
    assert names(tmp_path) == []


def _no_hard_links(*_args: object, **_kwargs: object) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def test_missing_parents_are_made_with_the_mode(tmp_path: Path) -> None:
    _io.make_folder(tmp_path / "a" / "b", mode=0o750)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o750


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    _io.make_folder(tmp_path / "a", mode=0o700)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o755


def test_a_file_in_the_place_of_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(OSError):
        _io.make_folder(tmp_path / "a" / "b")


def test_a_file_system_that_cannot_sync_folders_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int) -> None:
        raise OSError(errno.EINVAL, "not here")

    monkeypatch.setattr(os, "fsync", refuse)
    _io.sync_folder(tmp_path)


def test_a_folder_that_fails_to_sync_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_handle: int) -> None:
        raise OSError(errno.EIO, "broken disk")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="broken disk"):
        _io.sync_folder(tmp_path)
