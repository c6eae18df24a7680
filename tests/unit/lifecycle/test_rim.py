"""Programs and files, for real and dry."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from atomic_agents.exceptions import CannotWriteError
from atomic_agents.lifecycle import rim as rims
from atomic_agents.lifecycle.rim import Done, DryRim, RealRim, run_program, session_environment
from atomic_agents.lifecycle.templates import read_template

REAL = RealRim(run_program)


def test_a_program_tells_its_status_and_output() -> None:
    done = REAL.ask(sys.executable, "-c", "import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)")
    assert done == Done(3, "a", "b")
    assert done.said == "b"


def test_a_program_that_is_not_there_is_127() -> None:
    assert REAL.act("/nowhere/program").status == 127


def test_a_program_that_may_not_be_run_is_126(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    assert REAL.ask(str(tmp_path / "data")).status == 126


def test_a_program_that_never_ends_is_124(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rims, "_PATIENCE_SECONDS", 0.05)
    assert REAL.ask(sys.executable, "-c", "import time; time.sleep(30)").status == 124


def test_a_file_is_written_with_its_folders_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "systemd" / "user" / "x.service"
    REAL.write(path, b"new")
    assert path.read_bytes() == b"new"
    REAL.remove(path)
    REAL.remove(path)
    assert not path.exists()


def test_a_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    REAL.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("act", ["write", "make_folder", "remove"])
def test_a_refusal_of_the_system_is_told_with_a_hint(tmp_path: Path, act: str) -> None:
    (tmp_path / "file").write_text("x")
    words = (tmp_path / "file" / "below", b"x")[: 2 if act == "write" else 1]
    with pytest.raises(CannotWriteError, match="Not a directory") as caught:
        getattr(REAL, act)(*words)
    assert "sudo" in caught.value.hint


def test_time_passes() -> None:
    before = REAL.monotonic()
    REAL.pause(0.01)
    assert REAL.monotonic() - before >= 0.01


def test_a_dry_run_asks_but_changes_nothing(tmp_path: Path) -> None:
    dry = DryRim(REAL)
    assert dry.ask(sys.executable, "-c", "print(1)").out == "1"
    assert dry.act("rm", "-rf", "/my home").status == 0
    (tmp_path / "there").touch()
    dry.write(tmp_path / "new", b"abc")
    dry.remove(tmp_path / "there")
    dry.remove(tmp_path / "not there")
    dry.make_folder(tmp_path)
    dry.make_folder(tmp_path / "folder")
    assert dry.notes == [
        "rm -rf '/my home'",
        f"write {tmp_path}/new (3 bytes)",
        f"rm {tmp_path}/there",
        f"mkdir -p -m 700 {tmp_path}/folder",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_a_dry_run_does_not_wait_though_its_time_passes() -> None:
    dry = DryRim(REAL)
    before = dry.monotonic()
    dry.pause(1000)
    assert dry.monotonic() - before >= 1000


def test_the_user_manager_is_found_without_a_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/mine")
    assert session_environment()["XDG_RUNTIME_DIR"] == "/mine"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(rims.Path, "is_dir", lambda _self: True)
    assert session_environment()["XDG_RUNTIME_DIR"].startswith("/run/user/")
    monkeypatch.setattr(rims.Path, "is_dir", lambda _self: False)
    assert "XDG_RUNTIME_DIR" not in session_environment()


def test_a_missing_template_says_what_to_do() -> None:
    with pytest.raises(Exception, match=r"service/none\.in: missing"):
        read_template("service", "none.in")
