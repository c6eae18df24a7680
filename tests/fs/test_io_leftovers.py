"""Temporary files that a kill left behind (contract [D-5])."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from atomic_agents import _io

HOUR = 3600.0


@pytest.fixture
def living():
    """A process that lives until the test ends."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.stdin.close()


@pytest.fixture(scope="module")
def dead():
    """The number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def leave(folder, pid, *, name="x.md", age=0.0):
    path = folder / f".{name}.{pid:x}-0a1b2c3d.atomicd.tmp"
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_a_file_whose_writer_is_dead_is_removed(tmp_path, dead):
    path = leave(tmp_path, dead)
    assert _io.remove_leftover(path, time.time())
    assert not path.exists()
    assert not _io.remove_leftover(path, time.time())


def test_a_file_whose_writer_lives_stays_for_an_hour(tmp_path, living):
    path = leave(tmp_path, living)
    assert not _io.remove_leftover(path, time.time())
    assert path.exists()
    assert _io.remove_leftover(path, time.time() + HOUR + 60)


def test_a_former_process_may_have_had_our_own_number(tmp_path):
    assert _io.remove_leftover(leave(tmp_path, os.getpid()), time.time())


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="needs a clock that counts from the boot")
def test_a_file_from_before_the_boot_has_no_writer_whoever_has_its_number_now(tmp_path, living, monkeypatch):
    path = leave(tmp_path, living, age=100)
    monkeypatch.setattr(time, "clock_gettime", lambda _clock: 50.0)
    assert _io.remove_leftover(path, time.time())


def test_a_name_without_a_number_is_removed_after_an_hour_only(tmp_path):
    path = tmp_path / ".x.md.0a1b2c3d.atomicd.tmp"
    path.touch()
    assert not _io.remove_leftover(path, time.time())
    assert _io.remove_leftover(path, time.time() + HOUR + 60)


@pytest.mark.parametrize("pid", [0, 0xFFFFFFFF])
def test_an_impossible_number_is_nobody(tmp_path, pid):
    assert _io.remove_leftover(leave(tmp_path, pid), time.time()) is (pid != 0)


def test_a_writer_of_another_user_is_alive_too(tmp_path, living, monkeypatch):
    def refuse(_pid, _signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert not _io.remove_leftover(leave(tmp_path, living), time.time())


def test_only_regular_files_with_such_a_name_are_ever_removed(tmp_path, dead):
    name = f"{dead:x}-0a1b2c3d.atomicd.tmp"
    link, folder, fifo = (tmp_path / f".{what}.{name}" for what in ("link", "folder", "fifo"))
    link.symlink_to("nowhere")
    folder.mkdir()
    os.mkfifo(fifo)
    other = tmp_path / f"x.{name}"
    other.touch()
    for path in (link, folder, fifo, other):
        assert not _io.remove_leftover(path, time.time() + 2 * HOUR)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("name", ["x.md", "n" * 255, "記" * 85])
def test_a_name_tells_its_writer(tmp_path, monkeypatch, name):
    seen = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda source, target: (seen.append(source), real(source, target)))
    _io.atomic_write(tmp_path / name, "new")
    (temporary,) = seen
    assert int(_io.TEMPORARY.match(temporary.name)["pid"], 16) == os.getpid()


def test_a_second_name_of_a_finished_file_goes_and_the_file_stays(tmp_path):
    path = leave(tmp_path, os.getpid())
    os.link(path, tmp_path / "x.md")
    assert _io.remove_leftover(path, time.time())
    assert (tmp_path / "x.md").read_bytes() == b"half"
    assert (tmp_path / "x.md").stat().st_nlink == 1
