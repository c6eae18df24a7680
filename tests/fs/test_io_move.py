"""Moving one file: never over another, durable in the new place before it is gone from the old one."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents._files import move
from atomic_agents.exceptions import FileChangedError, NotRegularFileError

BYTES = b"note\r\n\xff"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    source = tmp_path / "from" / "x.md"
    source.write_bytes(BYTES)
    source.chmod(0o640)
    return source, tmp_path / "to" / "y.md"


@pytest.fixture
def other_disk(places: tuple[Path, Path]) -> Iterator[tuple[Path, Path]]:
    """A target on another real file system."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == places[0].stat().st_dev:
        pytest.skip("no second file system at hand")
    folder = memory / f"atomicd-{os.getpid()}-{id(places)}"
    folder.mkdir()
    yield places[0], folder / "y.md"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def test_a_file_moves_with_its_inode_on_one_file_system(places: tuple[Path, Path]) -> None:
    source, target = places
    inode = source.stat().st_ino
    _io.move_file(source, target)
    assert not source.exists()
    assert target.stat().st_ino == inode
    assert target.read_bytes() == BYTES


def test_a_file_moves_to_another_file_system_with_bytes_mode_and_time(other_disk: tuple[Path, Path]) -> None:
    source, target = other_disk
    os.utime(source, ns=(10**9, 2 * 10**9))
    _io.move_file(source, target, sha256=hashlib.sha256(BYTES).hexdigest())
    assert not source.exists()
    assert target.read_bytes() == BYTES
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.stat().st_mtime_ns == 2 * 10**9
    assert names(target.parent) == ["y.md"]


@pytest.mark.parametrize("ways", ["rename", "link", "claim"])
def test_what_has_the_new_name_is_never_overwritten(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, ways: str
) -> None:
    source, target = places
    target.write_bytes(b"older")
    if ways != "rename":
        monkeypatch.setattr(move, "_rename_call", lambda *_: errno.ENOSYS)
    if ways == "claim":
        monkeypatch.setattr(os, "link", _refuse(errno.EPERM))
    with pytest.raises(FileExistsError):
        _io.move_file(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (BYTES, b"older")


def test_what_has_the_new_name_on_another_file_system_is_never_overwritten(
    other_disk: tuple[Path, Path],
) -> None:
    source, target = other_disk
    target.write_bytes(b"older")
    with pytest.raises(FileExistsError):
        _io.move_file(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (BYTES, b"older")
    assert names(target.parent) == ["y.md"]


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL])
@pytest.mark.parametrize("hard_links", [True, False])
def test_a_file_system_without_exclusive_renames_or_hard_links_moves_too(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, code: int, hard_links: bool
) -> None:
    source, target = places
    monkeypatch.setattr(move, "_rename_call", lambda *_: code)
    if not hard_links:
        monkeypatch.setattr(os, "link", _refuse(errno.ENOTSUP))
    _io.move_file(source, target)
    assert not source.exists()
    assert target.read_bytes() == BYTES


@pytest.mark.parametrize("kind", ["folder", "link", "fifo"])
def test_only_regular_files_are_moved_and_nothing_is_left_for_others(tmp_path: Path, kind: str) -> None:
    source, target = tmp_path / "x.md", tmp_path / "y.md"
    match kind:
        case "folder":
            source.mkdir()
        case "link":
            source.symlink_to("z.md")
        case "fifo":
            os.mkfifo(source)
    with pytest.raises(NotRegularFileError):
        _io.move_file(source, target)
    assert names(tmp_path) == ["x.md"]


def test_a_missing_file_is_not_moved(places: tuple[Path, Path]) -> None:
    source, target = places
    source.unlink()
    with pytest.raises(FileNotFoundError):
        _io.move_file(source, target)
    assert not target.exists()


def test_other_errors_pass_and_the_source_stays(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = places
    monkeypatch.setattr(move, "_rename_call", lambda *_: errno.ENOSPC)
    with pytest.raises(OSError, match="No space"):
        _io.move_file(source, target)
    assert source.read_bytes() == BYTES
    assert not target.exists()


def test_bytes_that_are_not_the_expected_ones_are_not_moved(other_disk: tuple[Path, Path]) -> None:
    source, target = other_disk
    with pytest.raises(FileChangedError, match="before it was moved"):
        _io.move_file(source, target, sha256="0" * 64)
    assert source.exists()
    assert not target.exists()


def test_a_copy_with_other_bytes_is_thrown_away(
    other_disk: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = other_disk
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(len(data))))
    with pytest.raises(FileChangedError, match="the copy has other bytes"):
        _io.move_file(source, target)
    assert source.read_bytes() == BYTES
    assert names(target.parent) == []


def test_a_source_that_changes_during_the_copy_stays(
    other_disk: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = other_disk
    real = os.link

    def write_meanwhile(old: Path, new: Path, *, follow_symlinks: bool) -> None:
        real(old, new, follow_symlinks=follow_symlinks)
        if old.parent == target.parent:
            source.write_bytes(b"newer")

    monkeypatch.setattr(os, "link", write_meanwhile)
    with pytest.raises(FileChangedError, match="so it stays"):
        _io.move_file(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (b"newer", BYTES)


@pytest.mark.parametrize("gone", [True, False])
def test_a_newer_version_that_takes_the_old_name_meanwhile_is_never_deleted(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    source, target = places
    real = os.link

    def save_meanwhile(old: Path, new: Path, *, follow_symlinks: bool) -> None:
        real(old, new, follow_symlinks=follow_symlinks)
        source.unlink()
        if not gone:
            source.write_bytes(b"newer")

    monkeypatch.setattr(move, "_rename_call", lambda *_: errno.ENOSYS)
    monkeypatch.setattr(os, "link", save_meanwhile)
    _io.move_file(source, target)
    assert target.read_bytes() == BYTES
    assert source.exists() != gone


def test_the_new_name_is_durable_before_the_old_one_goes(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = places
    monkeypatch.setattr(move, "_rename_call", lambda *_: errno.ENOSYS)
    steps = _record(monkeypatch, source, target)
    _io.move_file(source, target)
    assert steps.index("sync to") < steps.index("unlink x.md") < steps.index("sync from")


def test_the_copy_and_its_name_are_durable_before_the_source_goes(
    other_disk: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = other_disk
    steps = _record(monkeypatch, source, target)
    _io.move_file(source, target)
    assert steps.index("sync file") < steps.index(f"sync {target.parent.name}") < steps.index("unlink x.md")


def _record(monkeypatch: pytest.MonkeyPatch, source: Path, target: Path) -> list[str]:
    steps: list[str] = []
    real_sync, real_unlink = os.fsync, os.unlink
    folders = {folder.stat().st_ino: folder.name for folder in (source.parent, target.parent)}

    def sync(handle: int) -> None:
        status = os.fstat(handle)
        steps.append(f"sync {folders[status.st_ino]}" if stat.S_ISDIR(status.st_mode) else "sync file")
        real_sync(handle)

    def unlink(path: Path) -> None:
        real_unlink(path)
        steps.append(f"unlink {path.name}")

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "unlink", unlink)
    return steps


def _refuse(code: int):
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(code, "refused")

    return refuse
