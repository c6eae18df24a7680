"""Reading one file: bounded, never blocking, never through a last link."""

import errno
import os
import socket
import stat
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError


def test_the_bytes_come_with_the_status_and_hash_that_belong_to_them(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"one\r\ntwo")
    reading = _io.read_file(path)
    assert reading.data == b"one\r\ntwo"
    assert reading.status.st_size == 8
    assert reading.sha256 == _io.hash_file(path)[0]


def test_an_empty_file_is_read_as_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "x.md").touch()
    assert _io.read_file(tmp_path / "x.md").data == b""


def test_a_file_longer_than_one_piece_is_read_whole(tmp_path: Path) -> None:
    data = os.urandom((1 << 20) + 17)
    (tmp_path / "x.md").write_bytes(data)
    assert _io.read_file(tmp_path / "x.md").data == data


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"12345")
    assert _io.read_file(path, limit=5).data == b"12345"
    with pytest.raises(FileTooLargeError, match="5 bytes, expected at most 4"):
        _io.read_file(path, limit=4)


@pytest.mark.parametrize("read", [_io.read_file, _io.hash_file])
@pytest.mark.parametrize("make", ["fifo", "socket", "folder", "link", "dangling"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, make: str, read) -> None:
    path = tmp_path / "x.md"
    listener = socket.socket(socket.AF_UNIX)
    try:
        match make:
            case "fifo":
                os.mkfifo(path)
            case "socket":
                listener.bind(str(path))
            case "folder":
                path.mkdir()
            case "link":
                (tmp_path / "real").write_bytes(b"secret")
                path.symlink_to("real")
            case "dangling":
                path.symlink_to("nowhere")
        with pytest.raises(NotRegularFileError):
            read(path)
    finally:
        listener.close()


@pytest.mark.parametrize("read", [_io.read_file, _io.hash_file])
def test_a_missing_file_is_reported_as_the_system_does(tmp_path: Path, read) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "x.md")


@pytest.mark.parametrize("read", [_io.read_file, _io.hash_file])
def test_a_file_that_is_written_while_it_is_read_is_no_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read
) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"old")
    real = os.read

    def write_meanwhile(handle: int, count: int) -> bytes:
        piece = real(handle, count)
        path.write_bytes(b"new text")
        return piece

    monkeypatch.setattr(os, "read", write_meanwhile)
    with pytest.raises(FileChangedError):
        read(path)


def test_a_file_that_grows_as_fast_as_it_is_read_does_not_hold_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"x" * 10)
    real, calls = os.read, 0

    def grow(handle: int, count: int) -> bytes:
        nonlocal calls
        calls += 1
        assert calls < 20, "still reading a file that never ends"
        with path.open("ab") as writer:
            writer.write(b"x" * count)
        return real(handle, count)

    monkeypatch.setattr(os, "read", grow)
    with pytest.raises(FileChangedError):
        _io.read_file(path, limit=1000)


def test_no_handle_stays_open_after_a_refusal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(NotRegularFileError):
        _io.read_file(tmp_path / "x.md")
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_other_errors_of_opening_pass_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> int:
        raise OSError(errno.EIO, "broken disk")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="broken disk"):
        _io.read_file(tmp_path / "x.md")


def test_the_identity_changes_with_size_time_and_file(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"a")
    first = _io.identity(path.stat())
    os.utime(path, ns=(1, 1))
    second = _io.identity(path.stat())
    path.rename(tmp_path / "y.md")
    path.write_bytes(b"a")
    os.utime(path, ns=(1, 1))
    assert len({first, second, _io.identity(path.stat())}) == 3
    assert stat.S_ISREG(path.stat().st_mode)
