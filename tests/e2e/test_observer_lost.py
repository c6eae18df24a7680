"""Whatever ends the hearing is noticed, and a vault that is away is never an empty one."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter

from atomic_agents.intake import inotify
from atomic_agents.intake.events import FolderGone, LayoutChanged, Lost, Overflow, Touched, Wake
from atomic_agents.intake.health import Condition
from atomic_agents.intake.inbox import Inbox
from atomic_agents.intake.mounts import Mount
from atomic_agents.intake.noticing import Noticed, TreeHandler
from atomic_agents.intake.observer import open_watcher
from atomic_agents.intake.poll import PollWatcher
from atomic_agents.intake.recursive import RecursiveWatcher
from atomic_agents.intake.sweep import compare
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey
from e2e.observing import LIMIT_SECONDS, Watched

if sys.platform != "linux":
    pytest.skip("the folder by folder watcher is for Linux", allow_module_level=True)

from atomic_agents.intake.ear import Ear, Reader
from atomic_agents.intake.inotify import InotifyWatcher

# watchdog's own inotify observer stands in for the one of macOS; its thread warns when folders come quickly.
pytestmark = pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")


def build(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "alpha" / "memory").mkdir(parents=True)
    (root / "alpha" / "memory" / "x.md").write_text("x")
    return root


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Watched]:
    root = build(tmp_path)
    watcher = InotifyWatcher(root, tmp_path / "canary", mode="native")
    yield Watched(root, watcher)
    watcher.stop()


@pytest.fixture(params=["native", "poll", "recursive"])
def any_vault(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    root = build(tmp_path)
    if request.param == "recursive":
        watcher = RecursiveWatcher(root, tmp_path / "canary", observer=Observer)
    else:
        watcher = open_watcher(root, tmp_path / "canary", mode=request.param)
    yield Watched(root, watcher)
    watcher.stop()


def condition(vault: Watched, now: float = 0.0) -> Condition:
    return vault.watcher.health(now).condition


def test_a_healthy_watcher_says_so(any_vault: Watched) -> None:
    assert any_vault.watcher.health(0.0).ok


def test_waking_ends_the_wait_from_another_thread(any_vault: Watched) -> None:
    thread = threading.Thread(target=any_vault.watcher.wake)
    thread.start()
    assert Wake() in any_vault.until(bool)
    thread.join()


def test_a_root_that_was_renamed_away_is_missing_and_nothing_has_vanished(
    any_vault: Watched, tmp_path: Path
) -> None:
    known = {found.place.path: (found.stamp, 0.0) for found in any_vault.watcher.walk(Survey())}
    any_vault.root.rename(tmp_path / "away")
    assert condition(any_vault) is Condition.ROOT_MISSING
    survey = Survey()
    difference = compare(any_vault.watcher.walk(survey), known, survey)
    assert difference.vanished == ()
    assert "alpha/memory/x.md" in difference.unknown
    (tmp_path / "away").rename(any_vault.root)
    assert condition(any_vault) is Condition.ROOT_CHANGED
    assert "alpha/memory/x.md" in any_vault.sweep()
    assert condition(any_vault) is Condition.GOOD


def test_a_root_that_was_deleted_and_made_again_is_armed_again(any_vault: Watched) -> None:
    shutil.rmtree(any_vault.root)
    assert condition(any_vault) is Condition.ROOT_MISSING
    any_vault.make("alpha/memory/y.md")
    (any_vault.root / "zz/memory").mkdir(parents=True)
    assert condition(any_vault) is Condition.ROOT_CHANGED
    assert any_vault.sweep() == ["alpha/memory/y.md"]
    assert condition(any_vault) is Condition.GOOD


def test_a_root_that_was_swapped_is_another_one_and_nothing_has_vanished(
    any_vault: Watched, tmp_path: Path
) -> None:
    known = {found.place.path: (found.stamp, 0.0) for found in any_vault.watcher.walk(Survey())}
    (tmp_path / "other/alpha/memory").mkdir(parents=True)
    (tmp_path / "other/alpha/memory/foreign.md").touch()
    any_vault.root.rename(tmp_path / "away")
    (tmp_path / "other").rename(any_vault.root)
    assert condition(any_vault) is Condition.ROOT_CHANGED
    survey = Survey()
    difference = compare(any_vault.watcher.walk(survey), known, survey)
    assert (difference.vanished, difference.changed) == ((), ())


def test_a_root_that_is_swapped_in_the_middle_of_a_walk_makes_nothing_vanish(
    any_vault: Watched, tmp_path: Path
) -> None:
    any_vault.make("beta/memory/y.md")
    known = {found.place.path: (found.stamp, 0.0) for found in any_vault.watcher.walk(Survey())}
    (tmp_path / "empty").mkdir()
    survey = Survey()
    walked = any_vault.watcher.walk(survey)
    first = next(walked)
    any_vault.root.rename(tmp_path / "away")
    (tmp_path / "empty").rename(any_vault.root)
    difference = compare([first, *walked], known, survey)
    assert difference.vanished == ()
    assert len(difference.unknown) == len(known) - 1


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_a_root_that_is_no_folder_any_more_is_missing(any_vault: Watched, tmp_path: Path, kind: str) -> None:
    any_vault.root.rename(tmp_path / "away")
    if kind == "file":
        any_vault.root.touch()
    else:
        any_vault.root.symlink_to("nowhere")
    assert condition(any_vault) is Condition.ROOT_MISSING


def test_a_missing_root_can_be_armed_and_is_missing(any_vault: Watched) -> None:
    shutil.rmtree(any_vault.root)
    any_vault.watcher.arm(Layout())
    assert condition(any_vault) is Condition.ROOT_MISSING
    assert list(any_vault.watcher.walk(Survey())) == []
    any_vault.make("alpha/memory/y.md")
    assert condition(any_vault) is Condition.ROOT_CHANGED


@pytest.mark.parametrize("end", ["rename", "delete"])
def test_the_end_of_the_root_is_told_at_once(vault: Watched, tmp_path: Path, end: str) -> None:
    if end == "rename":
        vault.root.rename(tmp_path / "away")
    else:
        shutil.rmtree(vault.root)
    vault.until(lambda events: any(isinstance(event, Lost) for event in events))


def test_a_root_with_the_same_inode_as_before_is_still_known_for_lost(vault: Watched, tmp_path: Path) -> None:
    vault.root.rename(tmp_path / "away")
    (tmp_path / "away").rename(vault.root)
    vault.until(lambda events: any(isinstance(event, Lost) for event in events))
    assert condition(vault) is Condition.DEAF


def test_a_root_behind_a_link_is_watched_where_it_is(tmp_path: Path) -> None:
    root = build(tmp_path)
    (tmp_path / "link").symlink_to("vault")
    watcher = InotifyWatcher(Path(os.path.realpath(tmp_path / "link")), tmp_path / "canary", mode="native")
    watched = Watched(root, watcher)
    (tmp_path / "link/alpha/memory/y.md").write_text("y")
    assert watched.touched() == {"alpha/memory/y.md"}
    watcher.stop()


def test_an_overflow_of_the_kernels_queue_is_told_once_and_arms_anew(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, stopped = threading.Event(), threading.Event()
    real = Ear.on_event

    def stand_still(ear: Ear, event) -> None:
        stopped.set()
        go_on.wait(LIMIT_SECONDS)
        real(ear, event)

    monkeypatch.setattr(Ear, "on_event", stand_still)
    vault.make("alpha/memory/first.md")
    assert stopped.wait(LIMIT_SECONDS)
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    names = [vault.root / "alpha/memory" / name for name in ("a.md", "b.md")]
    for number in range(limit // 2 + 2048):
        os.utime(_touch(names[number % 2]))
    (vault.root / "late/memory").mkdir(parents=True)
    monkeypatch.setattr(Ear, "on_event", real)
    go_on.set()
    events = vault.until(lambda events: Overflow() in events)
    assert events.count(Overflow()) == 1
    vault.make("late/memory/x.md")
    assert "late/memory/x.md" in [found.place.path for found in vault.watcher.walk(Survey())]
    vault.make("late/memory/y.md")
    assert "late/memory/y.md" in vault.touched()
    assert condition(vault) is Condition.GOOD


def _touch(path: Path) -> Path:
    path.open("a").close()
    return path


def test_a_worker_that_does_not_take_loses_events_for_one_sweep(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    small: Inbox = Inbox(cap=10)
    monkeypatch.setattr(vault.watcher, "_inbox", small)
    vault.sweep()
    for number in range(50):
        vault.make(f"alpha/memory/n{number}.md")
    assert Overflow() in vault.until(lambda events: Overflow() in events)
    assert len(vault.sweep()) >= 51


def test_an_error_in_the_reading_thread_is_logged_told_and_healed(
    vault: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    real = Ear.on_event
    monkeypatch.setattr(Ear, "on_event", fail)
    with caplog.at_level(logging.ERROR):
        vault.make("alpha/memory/y.md")
        (lost,) = vault.until(bool)
    assert isinstance(lost, Lost)
    assert "a fault of ours" in lost.reason
    assert "ZeroDivisionError" in caplog.text
    assert condition(vault) is Condition.DEAF
    handles = len(list(Path("/dev/fd").iterdir()))
    monkeypatch.setattr(Ear, "on_event", real)
    vault.sweep()
    assert len(list(Path("/dev/fd").iterdir())) == handles
    vault.make("alpha/memory/z.md")
    assert vault.touched() == {"alpha/memory/z.md"}


def test_a_reading_thread_that_ended_without_a_word_is_noticed(vault: Watched) -> None:
    reader = vault.watcher._arming.watches._reader
    reader.stop()
    reader.join(LIMIT_SECONDS)
    health = vault.watcher.health(0.0)
    assert health.condition is Condition.DEAF
    assert "thread" in health.reason
    vault.sweep()
    assert condition(vault) is Condition.GOOD


def test_a_broken_read_ends_the_thread_gives_the_handles_back_and_is_told(
    vault: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: object) -> bool:
        raise OSError(errno.EIO, "broken")

    handles = len(list(Path("/dev/fd").iterdir()))
    with monkeypatch.context() as patched:
        patched.setattr(Reader, "_check_inotify_fd", fail)
        vault.make("alpha/memory/y.md")
        vault.until(lambda events: any(isinstance(event, Lost) for event in events))
    assert "broken" in caplog.text
    vault.sweep()
    assert len(list(Path("/dev/fd").iterdir())) == handles
    assert condition(vault) is Condition.GOOD


def test_a_folder_that_the_system_will_not_watch_is_polled_whatever_the_reason(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Reader.listen

    def refuse(reader: Reader, path: bytes, mask: int) -> int:
        if path.endswith(b"alpha/memory"):
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return real(reader, path, mask)

    with monkeypatch.context() as patched:
        patched.setattr(Reader, "listen", refuse)
        vault.sweep()
    health = vault.watcher.health(0.0)
    assert (health.condition, health.mode) == (Condition.LIMITED, "mixed")
    assert health.reason == "4 of 5 folders are watched: Cannot allocate memory; the rest is polled"
    list(vault.watcher.walk(Survey()))
    assert vault.watcher.health(0.0).ok


def test_a_thread_that_cannot_start_leaves_polling_and_no_handles(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    vault.watcher.stop()
    handles = len(list(Path("/dev/fd").iterdir()))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        vault.sweep()
    health = vault.watcher.health(0.0)
    assert (health.condition, health.mode) == (Condition.LIMITED, "poll")
    assert "can't start new thread" in health.reason
    assert len(list(Path("/dev/fd").iterdir())) == handles


def test_stopping_leaves_nothing_behind_to_take(vault: Watched) -> None:
    vault.watcher.stop()
    assert vault.watcher._inbox.drain(0) == []


def wait_until_heard(vault: Watched) -> None:
    vault.told()
    assert vault.watcher._arming.has_heard


def test_the_canary_is_heard_and_writes_nothing(vault: Watched, tmp_path: Path) -> None:
    before = (tmp_path / "canary").stat()
    for now in range(0, 100, 5):
        assert condition(vault, float(now)) is Condition.GOOD
        wait_until_heard(vault)
    assert list((tmp_path / "canary").iterdir()) == []
    assert (tmp_path / "canary").stat().st_mtime_ns == before.st_mtime_ns


def test_an_ear_that_hears_nothing_is_noticed_within_thirty_seconds(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ear, "on_event", lambda *_: None)
    seen = [condition(vault, float(now)) for now in range(31)]
    assert seen[0] is Condition.GOOD
    assert seen[-1] is Condition.DEAF


def test_after_three_deaf_armings_the_vault_is_polled(
    vault: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ear, "on_event", lambda *_: None)
    now = 0.0
    for _ in range(inotify.MAX_DEAF):
        assert not vault.watcher.health(now).polls
        while condition(vault, now) is not Condition.DEAF:
            now += 1
        vault.sweep()
    health = vault.watcher.health(now)
    assert health.condition is Condition.LIMITED
    assert health.polls
    assert "told nothing" in health.reason
    assert "alpha/memory/x.md" in [found.place.path for found in vault.watcher.walk(Survey())]


def test_a_canarys_folder_that_is_gone_is_made_again(vault: Watched, tmp_path: Path) -> None:
    (tmp_path / "canary").rmdir()
    assert condition(vault, 0.0) is Condition.DEAF
    vault.sweep()
    assert condition(vault, 1.0) is Condition.GOOD
    assert (tmp_path / "canary").is_dir()


def test_a_canarys_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    root = build(tmp_path)
    (tmp_path / "state").touch()
    watcher = InotifyWatcher(root, tmp_path / "state/canary", mode="native")
    watched = Watched(root, watcher)
    assert [condition(watched, float(now)) for now in range(0, 60, 5)] == [Condition.GOOD] * 12
    watched.make("alpha/memory/y.md")
    assert watched.touched() == {"alpha/memory/y.md"}
    watcher.stop()


def test_a_stopped_watcher_says_so_and_can_be_armed_again(vault: Watched) -> None:
    vault.watcher.stop()
    vault.watcher.stop()
    assert vault.watcher.health(0.0).reason == "stopped"
    assert vault.watcher.take(0) == []
    vault.sweep()
    vault.make("alpha/memory/y.md")
    assert vault.touched() == {"alpha/memory/y.md"}


def test_what_a_former_arming_heard_means_nothing(vault: Watched) -> None:
    vault.make("alpha/memory/y.md")
    vault.sweep()
    assert vault.touched() <= {"alpha/memory/y.md"}
    assert LayoutChanged() not in vault.told()


def test_a_vault_on_a_remote_mount_is_polled_and_says_why(tmp_path: Path) -> None:
    root = build(tmp_path)
    watcher = InotifyWatcher(
        root, tmp_path / "canary", mounts=lambda: (Mount("/", "ext4"), Mount(str(tmp_path), "nfs4"))
    )
    watched = Watched(root, watcher)
    health = watcher.health(0.0)
    assert (health.mode, health.ok, health.watches) == ("poll", True, 0)
    assert "nfs4" in health.reason
    watched.make("alpha/memory/y.md")
    assert watcher.take(0.05) == []
    assert watched.sweep() == ["alpha/memory/x.md", "alpha/memory/y.md"]


def test_a_remote_mount_inside_the_vault_is_polled_beside_the_watching(tmp_path: Path) -> None:
    root = build(tmp_path)
    mounts = [Mount("/", "ext4")]
    watcher = InotifyWatcher(root, tmp_path / "canary", mounts=lambda: tuple(mounts))
    watched = Watched(root, watcher)
    assert watcher.health(0.0).mode == "native"
    mounts.append(Mount(str(root / "beta"), "fuse.sshfs"))
    list(watcher.walk(Survey()))
    health = watcher.health(0.0)
    assert (health.mode, health.polls, health.ok) == ("mixed", True, True)
    assert "fuse.sshfs" in health.reason
    watched.make("alpha/memory/y.md")
    assert watched.touched() == {"alpha/memory/y.md"}
    watcher.stop()


def test_the_native_mode_does_not_ask_what_is_mounted(tmp_path: Path) -> None:
    root = build(tmp_path)
    watcher = InotifyWatcher(root, tmp_path / "canary", mode="native", mounts=lambda: (Mount("/", "nfs"),))
    watcher.arm(Layout())
    assert watcher.health(0.0).mode == "native"
    watcher.stop()


def test_the_mode_decides_which_watcher_it_is(tmp_path: Path) -> None:
    assert isinstance(open_watcher(tmp_path, tmp_path, mode="poll"), PollWatcher)
    assert isinstance(open_watcher(tmp_path, tmp_path, mode="auto"), InotifyWatcher)
    assert open_watcher(tmp_path, tmp_path, mode="poll").health(0.0).polls


UNMOUNT = """
import subprocess, sys
from pathlib import Path
from atomic_agents.intake.events import Lost, SweepWanted
from atomic_agents.intake.inotify import InotifyWatcher
from atomic_agents.intake.sweep import compare
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey

root = Path(sys.argv[1], "vault")
root.mkdir()

def run(*words):
    subprocess.run(words, check=True)

def look(known):
    survey = Survey()
    difference = compare(watcher.walk(survey), known, survey)
    return f"vanished {len(difference.vanished)} unknown {len(difference.unknown)}"

run("mount", "-t", "tmpfs", "none", str(root))
(root / "alpha/memory").mkdir(parents=True)
(root / "alpha/memory/x.md").write_text("x")
watcher = InotifyWatcher(root, Path(sys.argv[1], "canary"))
watcher.arm(Layout())
known = {found.place.path: (found.stamp, 0.0) for found in watcher.walk(Survey())}
print(len(known), watcher.health(0.0).condition)
(root / "beta/memory").mkdir(parents=True)
list(watcher.walk(Survey()))
armed = watcher.health(0.5).watches
run("mount", "-t", "tmpfs", "none", str(root / "beta/memory"))
(root / "beta/memory/deep").mkdir()
list(watcher.walk(Survey()))
watcher.arm(Layout())
list(watcher.walk(Survey()))
print("inner", watcher.health(0.6).watches - armed)
run("umount", str(root / "beta/memory"))
while not any(isinstance(event, SweepWanted) for event in watcher.take(5)):
    pass
list(watcher.walk(Survey()))
print("inner", watcher.health(0.7).watches - armed)
run("umount", str(root))
events = watcher.take(5)
while not any(isinstance(event, Lost) for event in events):
    events += watcher.take(5)
print("lost", watcher.health(1.0).condition, look(known))
run("mount", "-t", "tmpfs", "none", str(root))
watcher.arm(Layout())
print(watcher.health(2.0).condition)
watcher.stop()
"""


def test_an_unmounted_vault_is_lost_and_not_empty(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    command = [unshare or "unshare", "-m", sys.executable, "-W", "error", "-c", UNMOUNT, str(tmp_path)]
    if (
        unshare is None
        or subprocess.run([unshare, "-m", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("no mount namespace to be had here")
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "1 good",
        "inner 1",
        "inner 0",
        "lost root-changed vanished 0 unknown 1",
        "good",
    ]


class SilentObserver(BaseObserver):
    """An observer whose emitters say nothing."""

    def __init__(self) -> None:
        super().__init__(EventEmitter, timeout=0.05)


def test_an_observer_that_says_nothing_is_noticed(tmp_path: Path) -> None:
    root = build(tmp_path)
    watcher = RecursiveWatcher(root, tmp_path / "canary", observer=SilentObserver)
    watcher.arm(Layout())
    seen = [watcher.health(float(now)).condition for now in range(31)]
    assert seen[0] is Condition.GOOD
    assert seen[-1] is Condition.DEAF
    watcher.stop()


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Watched]:
    root = build(tmp_path)
    watcher = RecursiveWatcher(root, tmp_path / "canary", observer=Observer)
    yield Watched(root, watcher)
    watcher.stop()


def test_a_handler_that_fails_is_logged_told_and_does_not_end_the_observer(
    tree: Watched, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr(TreeHandler, "_notice", fail)
        tree.make("alpha/memory/y.md")
        events = tree.until(bool)
    assert isinstance(events[0], Lost)
    assert "ZeroDivisionError" in caplog.text
    assert condition(tree) is Condition.DEAF
    tree.sweep()
    tree.make("alpha/memory/z.md")
    assert Touched("alpha/memory/z.md") in tree.told()


def test_an_observer_with_a_dead_thread_is_noticed(tree: Watched) -> None:
    emitter = next(iter(tree.watcher._observer.emitters))
    emitter.stop()
    emitter.join(LIMIT_SECONDS)
    assert condition(tree) is Condition.DEAF


def test_an_observer_that_cannot_start_leaves_polling(tmp_path: Path) -> None:
    root = build(tmp_path)

    def fail() -> BaseObserver:
        raise OSError(24, "no more")

    watcher = RecursiveWatcher(root, tmp_path / "canary", observer=fail)
    watched = Watched(root, watcher)
    assert condition(watched) is Condition.LIMITED
    assert watcher.health(0.0).polls
    assert watched.sweep() == ["alpha/memory/x.md"]


def test_a_canary_file_that_is_gone_is_noticed(tree: Watched, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "canary")
    assert condition(tree) is Condition.DEAF


def test_the_canary_of_an_observer_is_heard(tree: Watched) -> None:
    for now in range(0, 100, 10):
        songs = tree.watcher._ear.songs
        assert condition(tree, float(now)) is Condition.GOOD
        tree.until(lambda _events, songs=songs: tree.watcher._ear.songs > songs)


def test_what_a_former_observer_noticed_means_nothing(tree: Watched) -> None:
    tree.make("alpha/memory/y.md")
    tree.until(bool)
    tree.watcher._inbox.put(Noticed(0, "alpha/memory/old.md", is_folder=False, came=True, went=False))
    assert Touched("alpha/memory/old.md") not in tree.told()


def test_an_observer_whose_queue_is_full_is_armed_anew(
    tree: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree.watcher, "_inbox", Inbox(cap=5))
    tree.sweep()
    for number in range(50):
        tree.make(f"alpha/memory/n{number}.md")
    assert Overflow() in tree.until(lambda events: Overflow() in events)


def test_folders_that_move_are_told_by_an_observer_too(tree: Watched) -> None:
    (tree.root / "alpha").rename(tree.root / "gamma")
    events = tree.told()
    assert FolderGone("alpha") in events
    assert Touched("gamma/memory/x.md") in events
