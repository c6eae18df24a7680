"""Who holds a lock, by the kernel's list; and why a vault cannot be read."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from pathlib import Path

import pytest

from atomic_agents.vault import refusal
from atomic_agents.vault.holder import lock_holder
from atomic_agents.vault.refusal import VaultRefusedError, check_readable, interpreter_binary, refusal_hint


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lock"
    path.touch()
    return path


def listing(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "locks"
    path.write_text(text)
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its locks")
def test_the_holder_of_a_real_lock_is_found(file: Path) -> None:
    assert lock_holder(file) is None
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert lock_holder(file) == os.getpid()
    assert lock_holder(file) is None


def line(path: Path, pid: int = 77, kind: str = "FLOCK", device: str | None = None, arrow: str = "") -> str:
    status = path.stat()
    named = device or f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    return f"1: {arrow}{kind}  ADVISORY  WRITE {pid} {named}:{status.st_ino} 0 EOF\n"


def test_the_right_line_is_taken(file: Path, tmp_path: Path) -> None:
    assert lock_holder(file, listing(tmp_path, line(file))) == 77


def test_a_waiter_is_no_holder(file: Path, tmp_path: Path) -> None:
    assert lock_holder(file, listing(tmp_path, line(file, arrow="-> "))) is None


def test_locks_of_another_kind_or_device_are_not_ours(file: Path, tmp_path: Path) -> None:
    text = line(file, kind="POSIX") + line(file, device="fe:fe")
    assert lock_holder(file, listing(tmp_path, text)) is None


def test_a_file_or_a_list_that_is_not_there_tells_nobody(file: Path, tmp_path: Path) -> None:
    assert lock_holder(tmp_path / "none", listing(tmp_path, line(file))) is None
    assert lock_holder(file, tmp_path / "no list") is None


def test_a_readable_vault_is_not_refused(tmp_path: Path) -> None:
    check_readable(tmp_path)


def test_a_vault_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(refusal.os, "scandir", refuse)
    with pytest.raises(VaultRefusedError, match="cannot be read: Permission denied") as caught:
        check_readable(tmp_path)
    assert caught.value.exit_code == 66


def test_the_privacy_of_a_mac_is_told_apart_from_a_file_mode() -> None:
    private = refusal_hint(PermissionError(errno.EPERM, "Operation not permitted"), platform="darwin")
    assert "Full Disk Access" in private
    assert interpreter_binary() in private
    assert "x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles" in private
    assert "Full Disk Access" not in refusal_hint(PermissionError(errno.EACCES, "x"), platform="darwin")
    assert "Full Disk Access" not in refusal_hint(PermissionError(errno.EPERM, "x"), platform="linux")


def test_a_framework_build_is_asked_about_as_an_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Resources" / "Python.app").mkdir(parents=True)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert interpreter_binary() == str(tmp_path / "Resources" / "Python.app")


def test_any_other_build_is_asked_about_behind_its_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "python").symlink_to("real")
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert interpreter_binary() == str(tmp_path / "real")
