"""The vault's lock: one holder among processes, never unlinked, never made in a vault that is not there."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from atomic_agents.exceptions import CannotWriteError, VaultMissingError
from atomic_agents.vault.lock import VaultBusyError, VaultLock

HOLD = """
import fcntl, os, sys
handle = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path: Path) -> VaultLock:
    return VaultLock(tmp_path)


def test_another_process_that_holds_it_is_told_and_waited_for_no_longer_than_asked(lock: VaultLock) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(VaultBusyError, match="held by another process") as caught, lock.hold(0.05):
            pass
        assert caught.value.exit_code == 75
        other.communicate()
    with lock.hold():
        pass


def test_it_keeps_plain_flock_users_out(lock: VaultLock) -> None:
    with lock.hold():
        handle = os.open(lock.path, os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)


def test_it_can_be_entered_again_and_is_free_only_after_the_outer_one(lock: VaultLock) -> None:
    with lock.hold():
        with lock.hold():
            pass
        assert not _is_free(lock.path)
    assert _is_free(lock.path)


def test_the_file_stays_and_keeps_its_inode_and_content(lock: VaultLock) -> None:
    lock.path.write_text("somebody's words")
    before = lock.inode()
    with lock.hold():
        assert lock.inode() == before
    assert lock.path.read_text() == "somebody's words"
    assert lock.inode() == before


def test_it_is_free_after_an_error_inside(lock: VaultLock) -> None:
    with pytest.raises(ZeroDivisionError), lock.hold():
        _ = 1 / 0
    assert _is_free(lock.path)


def test_a_missing_vault_is_not_made_by_locking_it(tmp_path: Path) -> None:
    lock = VaultLock(tmp_path / "gone")
    with pytest.raises(VaultMissingError), lock.hold():
        pass
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_no_lock_file_is_named_and_left_alone(lock: VaultLock, kind: str, tmp_path: Path) -> None:
    if kind == "folder":
        lock.path.mkdir()
    else:
        lock.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CannotWriteError, match=r"\.migration\.lock"), lock.hold():
        pass
    assert not (tmp_path / "elsewhere").exists()


def _is_free(path: Path) -> bool:
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
