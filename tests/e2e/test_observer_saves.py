"""Every way to save a note is told as a touch of its path, and nothing else is."""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer

from atomic_agents.intake.events import Editing, FolderGone, SweepWanted, Touched
from atomic_agents.intake.observer import Watcher
from atomic_agents.intake.recursive import RecursiveWatcher
from e2e.observing import Watched

# watchdog's own inotify observer stands in for the one of macOS; its thread warns when folders come quickly.
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the folder by folder watcher is for Linux"),
    pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning"),
]

NOTE = "alpha/memory/feedback_x.md"


def native(root: Path, canary: Path) -> Watcher:
    from atomic_agents.intake.inotify import InotifyWatcher

    return InotifyWatcher(root, canary, mode="native")


def recursive(root: Path, canary: Path) -> Watcher:
    return RecursiveWatcher(root, canary, observer=Observer)


def watched(tmp_path: Path, make: Callable[[Path, Path], Watcher]) -> Iterator[Watched]:
    root = tmp_path / "vault"
    (root / "alpha" / "memory").mkdir(parents=True)
    (root / NOTE).write_text("before")
    watcher = make(root, tmp_path / "canary")
    yield Watched(root, watcher)
    watcher.stop()


@pytest.fixture(params=[native, recursive])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    yield from watched(tmp_path, request.param)


@pytest.fixture
def native_vault(tmp_path: Path) -> Iterator[Watched]:
    yield from watched(tmp_path, native)


def in_place(path: Path) -> None:
    path.write_text("after")


def truncate_then_write(path: Path) -> None:
    with path.open("w") as file:
        file.flush()
        file.write("after")


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("after")


def write_and_never_close(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY)
    os.write(handle, b"after")
    _open_handles.append(handle)


_open_handles: list[int] = []


def rename_over(name: str) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        temporary = path.with_name(name)
        temporary.write_text("after")
        os.replace(temporary, path)

    save.__name__ = f"rename_over_from_{name}"
    return save


def delete_and_create(path: Path) -> None:
    path.unlink()
    path.write_text("after")


def delete(path: Path) -> None:
    path.unlink()


def rename_away(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere.txt")


def copy_with_times(path: Path) -> None:
    other = path.with_name("other.txt")
    other.write_text("after")
    subprocess.run(["cp", "-p", other, path], check=True)


def sed(path: Path) -> None:
    subprocess.run(["sed", "-i", "s/before/after/", path], check=True)


def touch(path: Path) -> None:
    os.utime(path)


def chmod(path: Path) -> None:
    path.chmod(0o600)


def hard_link_over(path: Path) -> None:
    other = path.with_name("other.txt")
    other.write_text("after")
    path.unlink()
    os.link(other, path)


def link_to(path: Path) -> None:
    (path.parents[1] / "_real.md").write_text("after")
    path.unlink()
    path.symlink_to("../_real.md")


def mapped(path: Path) -> None:
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        view[:5] = b"after"


def exchange(path: Path) -> None:
    other = path.with_name("other.txt")
    other.write_text("after")
    renameat2 = ctypes.CDLL(None).renameat2
    assert renameat2(-100, os.fsencode(other), -100, os.fsencode(path), 2) == 0


def unnamed_then_linked(path: Path) -> None:
    handle = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(handle, b"after")
    path.unlink()
    source = f"/proc/self/fd/{handle}".encode()
    assert ctypes.CDLL(None).linkat(-100, source, -100, os.fsencode(path), 0x400) == 0
    os.close(handle)


SAVES = [
    in_place, truncate_then_write, append, write_and_never_close, delete_and_create, delete, rename_away,
    rename_over(".feedback_x.md.tmp"), rename_over("feedback_x.md.tmp.4242.1719"), rename_over("sedRzD5HT"),
    rename_over(".goutputstream-AB12CD"), rename_over("feedback_x.md~"), rename_over("#x#"),
    copy_with_times, sed, touch, chmod, hard_link_over, link_to, exchange, unnamed_then_linked,
]  # fmt: skip


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
def test_each_way_to_save_touches_the_note_and_nothing_else(
    vault: Watched, save: Callable[[Path], None]
) -> None:
    save(vault.root / NOTE)
    assert vault.touched() == {NOTE}
    while _open_handles:
        os.close(_open_handles.pop())


def test_a_vim_save_touches_the_note_and_tells_that_it_is_open(vault: Watched) -> None:
    vim = shutil.which("vim")
    if vim is None:
        pytest.skip("vim is not installed")
    keys = ["-c", "set backupskip= backupcopy=no swapfile directory=.", "-c", "%s/before/after/", "-c", "wq"]
    subprocess.run([vim, "-u", "NONE", "-N", "-es", *keys, str(vault.root / NOTE)], check=True, timeout=30)
    assert (vault.root / NOTE).read_text() == "after\n"
    assert set(vault.told()) == {Touched(NOTE), Editing(NOTE)}


def test_an_emacs_save_touches_the_note_and_tells_that_it_is_open(vault: Watched) -> None:
    path = vault.root / NOTE
    lock, saved = path.with_name(f".#{path.name}"), path.with_name(f"#{path.name}#")
    lock.symlink_to("user@host.1234:1700000000")
    assert set(vault.told()) == {Editing(NOTE)}
    saved.write_text("half")
    path.rename(path.with_name(f"{path.name}~"))
    path.write_text("after")
    saved.unlink()
    lock.unlink()
    assert set(vault.told()) == {Touched(NOTE), Editing(NOTE)}


def test_reading_listing_and_looking_tell_nothing(vault: Watched) -> None:
    for _ in range(5):
        (vault.root / NOTE).read_text()
        list((vault.root / "alpha" / "memory").iterdir())
        (vault.root / NOTE).stat()
    assert vault.told() == []


def test_temporary_files_locks_and_other_files_tell_nothing(vault: Watched) -> None:
    for name in (
        ".feedback_x.md.tmp",
        "x.lock",
        "4913",
        "x.md~",
        "x.txt",
        "README.md",
        ".x.md.1a2b3c4d.atomicd.tmp",
    ):
        vault.make(f"alpha/memory/{name}")
        (vault.root / "alpha" / "memory" / name).unlink()
    vault.make(".migration.lock")
    assert vault.told() == []


def test_a_cloud_client_that_takes_the_bytes_away_touches_the_note(vault: Watched) -> None:
    (vault.root / NOTE).unlink()
    vault.make("alpha/memory/.feedback_x.md.icloud")
    assert vault.touched() == {NOTE}
    (vault.root / "alpha/memory/.feedback_x.md.icloud").unlink()
    assert vault.touched() == {NOTE}


@pytest.mark.parametrize(
    "name",
    [
        b"line\nbreak.md",
        b"caf\xe9.md",
        "é.md".encode(),
        unicodedata.normalize("NFD", "é.md").encode(),
        b"\x1b[31m.md",
        b"UPPER.MD",
    ],
)
def test_names_come_as_they_are(vault: Watched, name: bytes) -> None:
    path = os.fsdecode(b"alpha/memory/" + name)
    vault.make(path)
    assert vault.touched() == {path}


def test_a_rename_touches_both_names(vault: Watched) -> None:
    (vault.root / NOTE).rename(vault.root / "alpha/memory/Feedback_X.md")
    assert vault.touched() == {NOTE, "alpha/memory/Feedback_X.md"}


def test_many_writes_of_one_note_are_told_many_times_but_never_pile_up(vault: Watched) -> None:
    for number in range(500):
        (vault.root / NOTE).write_text(str(number))
    assert vault.told().count(Touched(NOTE)) <= 5


def test_a_checkout_of_another_branch_touches_the_notes_and_nothing_of_git(native_vault: Watched) -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")

    def run(*words: str) -> None:
        command = [
            git,
            "-C",
            str(native_vault.root),
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            *words,
        ]
        subprocess.run(command, check=True, capture_output=True)

    run("init", "-q", "-b", "one")
    run("add", "-A")
    run("commit", "-qm", "one")
    run("checkout", "-q", "-b", "two")
    (native_vault.root / NOTE).write_text("other branch")
    native_vault.make("beta/memory/y.md")
    run("add", "-A")
    run("commit", "-qm", "two")
    native_vault.told()
    run("checkout", "-q", "one")
    events = native_vault.told()
    assert Touched(NOTE) in events
    assert {Touched("beta/memory/y.md"), FolderGone("beta")} & set(events)
    assert all(isinstance(event, Touched | FolderGone) for event in events)
    assert not any(".git" in event.path for event in events if isinstance(event, Touched | FolderGone))
    run("checkout", "-q", "two")
    assert {NOTE, "beta/memory/y.md"} <= native_vault.touched()


def test_a_link_to_a_folder_wants_a_sweep_and_its_end_is_a_folder_gone(native_vault: Watched) -> None:
    native_vault.make("_shared/x.md")
    (native_vault.root / "alpha/memory/shared").symlink_to("../../_shared")
    assert SweepWanted("the link alpha/memory/shared came") in native_vault.told()
    assert "alpha/memory/shared/x.md" in native_vault.sweep()
    (native_vault.root / "alpha/memory/shared").unlink()
    assert FolderGone("alpha/memory/shared") in native_vault.told()
