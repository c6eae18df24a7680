"""Folders that come, go and move: nothing below them is missed, nothing outside is heard."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from atomic_agents.intake.events import FolderGone, LayoutChanged, SweepWanted, Touched
from atomic_agents.vault.walk import Survey
from e2e.observing import Watched

if sys.platform != "linux":
    pytest.skip("the folder by folder watcher is for Linux", allow_module_level=True)

from atomic_agents.intake.inotify import InotifyWatcher


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Watched]:
    root = tmp_path / "vault"
    (root / "alpha" / "memory").mkdir(parents=True)
    watcher = InotifyWatcher(root, tmp_path / "canary", mode="native")
    yield Watched(root, watcher)
    watcher.stop()


def count(vault: Watched) -> int:
    return vault.watcher.health(0.0).watches


def test_agents_made_with_their_files_at_once_are_all_seen(vault: Watched) -> None:
    wanted = {
        vault.make(f"agent{number}/memory/x.md").relative_to(vault.root).as_posix() for number in range(200)
    }
    assert vault.touched() == wanted
    assert count(vault) == 5 + 2 * 200


def test_deep_trees_made_while_others_are_listed_are_all_seen(vault: Watched) -> None:
    def make(worker: int) -> None:
        for number in range(60):
            folder = vault.root / f"w{worker}/t{number}/memory/a/b"
            folder.mkdir(parents=True)
            (folder / "x.md").write_text("x")
            (folder.parent / "y.md").write_text("y")

    threads = [threading.Thread(target=make, args=(worker,)) for worker in range(3)]
    seen: set[str] = set()
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen |= {event.path for event in vault.watcher.take(0.01) if isinstance(event, Touched)}
    seen |= vault.touched()
    names = ("a/b/x.md", "a/y.md")
    assert seen >= {f"w{w}/t{n}/memory/{name}" for w in range(3) for n in range(60) for name in names}


def test_folders_made_under_one_name_and_renamed_at_once_are_all_seen(vault: Watched) -> None:
    for number in range(100):
        vault.make(f"new/memory/x{number}.md")
        (vault.root / "new").rename(vault.root / f"agent{number}")
    assert vault.touched() >= {f"agent{number}/memory/x{number}.md" for number in range(100)}
    vault.make("agent7/memory/later.md")
    assert vault.touched() == {"agent7/memory/later.md"}


def test_a_renamed_agent_is_told_under_both_names_and_heard_under_the_new_one(vault: Watched) -> None:
    vault.make("alpha/memory/sub/x.md")
    vault.told()
    (vault.root / "alpha").rename(vault.root / "gamma")
    assert set(vault.told()) == {FolderGone("alpha"), Touched("gamma/memory/sub/x.md")}
    vault.make("gamma/memory/sub/x.md")
    vault.make("gamma/memory/y.md")
    assert vault.touched() == {"gamma/memory/sub/x.md", "gamma/memory/y.md"}
    assert count(vault) == 6


def test_an_agent_that_was_moved_out_is_heard_no_more(vault: Watched, tmp_path: Path) -> None:
    vault.make("alpha/memory/x.md")
    vault.told()
    (vault.root / "alpha").rename(tmp_path / "outside")
    assert vault.told() == [FolderGone("alpha")]
    (tmp_path / "outside/memory/x.md").write_text("elsewhere")
    (tmp_path / "outside/memory/y.md").write_text("elsewhere")
    assert vault.told() == []
    assert count(vault) == 3


def test_an_agent_that_was_moved_in_is_seen_whole_and_heard(vault: Watched, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / "outside/memory").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"outside/memory/{name}.md").write_text(name)
    (tmp_path / "outside").rename(vault.root / "beta")
    assert vault.touched() == {"beta/memory/x.md", "beta/memory/y.md"}
    vault.make("beta/memory/z.md")
    assert vault.touched() == {"beta/memory/z.md"}


def test_an_agent_that_goes_out_and_comes_back_is_heard_again(vault: Watched, tmp_path: Path) -> None:
    vault.make("alpha/memory/x.md")
    vault.told()
    for _ in range(20):
        (vault.root / "alpha").rename(tmp_path / "outside")
        (tmp_path / "outside").rename(vault.root / "alpha")
    assert Touched("alpha/memory/x.md") in vault.told()
    vault.make("alpha/memory/y.md")
    assert vault.touched() == {"alpha/memory/y.md"}
    assert count(vault) == 5


def test_an_agent_that_is_removed_and_restored_is_heard_again(vault: Watched) -> None:
    vault.make("alpha/memory/x.md")
    vault.told()
    shutil.rmtree(vault.root / "alpha")
    assert FolderGone("alpha") in vault.told()
    assert count(vault) == 3
    vault.make("alpha/memory/x.md")
    assert vault.touched() == {"alpha/memory/x.md"}


def test_two_agents_that_change_places_are_both_heard(vault: Watched) -> None:
    vault.make("alpha/memory/x.md")
    vault.make("beta/memory/sub/y.md")
    vault.told()
    paths = [os.fsencode(vault.root / name) for name in ("alpha", "beta")]
    assert ctypes.CDLL(None).renameat2(-100, paths[0], -100, paths[1], 2) == 0
    events = vault.told()
    assert {FolderGone("alpha"), FolderGone("beta")} <= set(events)
    assert {Touched("beta/memory/x.md"), Touched("alpha/memory/sub/y.md")} <= set(events)
    vault.make("alpha/memory/sub/y.md", "again")
    vault.make("beta/memory/z.md")
    assert vault.touched() == {"alpha/memory/sub/y.md", "beta/memory/z.md"}


def test_a_folder_renamed_over_an_empty_one_is_heard(vault: Watched) -> None:
    (vault.root / "beta").mkdir()
    vault.make("alpha/memory/x.md")
    vault.told()
    (vault.root / "alpha").rename(vault.root / "beta")
    assert Touched("beta/memory/x.md") in vault.told()
    vault.make("beta/memory/y.md")
    assert vault.touched() == {"beta/memory/y.md"}
    assert count(vault) == 5


def test_a_note_that_becomes_a_folder_is_told_with_what_is_in_it(vault: Watched) -> None:
    path = vault.make("alpha/memory/x.md")
    vault.told()
    path.unlink()
    vault.make("alpha/memory/x.md/inner.md")
    assert vault.touched() == {"alpha/memory/x.md", "alpha/memory/x.md/inner.md"}


def test_folders_that_cannot_hold_units_cost_no_watch_and_tell_nothing(vault: Watched) -> None:
    before = count(vault)
    for folder in (
        "alpha/.git",
        "_quarantine/a",
        "node_modules",
        "alpha/raw/deep",
        "alpha/log",
        "alpha/memory/.versions",
    ):
        vault.make(f"{folder}/memory/x.md")
    assert vault.told() == []
    assert count(vault) == before
    vault.sweep()
    assert count(vault) == before


def test_a_large_tree_that_moves_in_is_a_matter_for_a_sweep(vault: Watched, tmp_path: Path) -> None:
    (tmp_path / "outside/memory").mkdir(parents=True)
    for number in range(5001):
        (tmp_path / f"outside/memory/x{number}.md").touch()
    (tmp_path / "outside").rename(vault.root / "beta")
    assert vault.told() == [SweepWanted("beta came with 5001 files")]
    vault.make("beta/memory/y.md")
    assert vault.touched() == {"beta/memory/y.md"}


def test_folders_that_come_and_go_at_once_never_end_the_thread(vault: Watched) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(300):
            (vault.root / f"alpha/memory/d{number}/m").mkdir(parents=True)
        for number in range(300):
            shutil.rmtree(vault.root / f"alpha/memory/d{number}")
            (vault.root / f"alpha/memory/d{number}/m").mkdir(parents=True)
            vault.watcher.take(0)
        vault.told()
    assert vault.watcher.health(0.0).ok
    assert count(vault) == 5 + 600
    vault.make("alpha/memory/d299/m/x.md")
    assert vault.touched() == {"alpha/memory/d299/m/x.md"}


def test_links_in_circles_are_armed_in_no_time_and_once(vault: Watched) -> None:
    before = count(vault)
    for name in ("up1", "up2"):
        (vault.root / "alpha" / name).symlink_to("..")
    vault.sweep()
    assert count(vault) == before
    vault.make("alpha/memory/x.md")
    assert vault.touched() == {"alpha/memory/x.md"}


def test_a_linked_folder_is_watched_under_its_name_in_the_vault(vault: Watched) -> None:
    vault.make("_shared/deep/x.md")
    (vault.root / "alpha/memory/shared").symlink_to("../../_shared")
    vault.sweep()
    vault.make("_shared/deep/x.md")
    vault.make("_shared/y.md")
    assert vault.touched() == {"alpha/memory/shared/deep/x.md", "alpha/memory/shared/y.md"}
    (vault.root / "_shared").rename(vault.root / "_moved")
    assert FolderGone("alpha/memory/shared") in vault.told()


def test_a_link_that_leads_out_of_the_vault_is_not_watched(vault: Watched, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (vault.root / "alpha/memory/out").symlink_to(tmp_path / "outside")
    before = count(vault)
    vault.sweep()
    (tmp_path / "outside/x.md").write_text("x")
    assert vault.told() == []
    assert count(vault) == before


def test_a_folder_replaced_by_a_link_while_it_is_armed_is_not_followed_out(
    vault: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    (vault.root / "beta/memory").mkdir(parents=True)
    vault.watcher.arm(vault.watcher._layout)
    walked = vault.watcher.walk(Survey())
    shutil.rmtree(vault.root / "beta/memory")
    (vault.root / "beta/memory").symlink_to(tmp_path / "outside")
    vault.watcher._arming.watches.watch("beta/memory")
    list(walked)
    (tmp_path / "outside/x.md").write_text("x")
    assert Touched("beta/memory/x.md") not in vault.told()


@contextmanager
def without_privileges() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public_vault() -> Iterator[Watched]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        root = Path(folder, "vault")
        (root / "alpha" / "memory").mkdir(parents=True)
        with without_privileges():
            (Path(folder) / "canary").mkdir()
        watcher = InotifyWatcher(root, Path(folder, "canary"), mode="native")
        yield Watched(root, watcher)
        watcher.stop()


def test_an_unreadable_folder_is_watched_as_soon_as_it_can_be_read(public_vault: Watched) -> None:
    vault = public_vault
    vault.make("alpha/memory/x.md")
    (vault.root / "alpha/memory").chmod(0)
    with without_privileges():
        assert vault.sweep() == []
        assert vault.watcher.health(0.0).ok
        survey = Survey()
        list(vault.watcher.walk(survey))
        assert "alpha/memory" in survey.unreadable
        assert vault.kernel_watches() == 5
    (vault.root / "alpha/memory").chmod(0o755)
    with without_privileges():
        vault.until(lambda events: Touched("alpha/memory/x.md") in events)
    (vault.root / "alpha/memory/y.md").write_text("y")
    with without_privileges():
        vault.until(lambda events: Touched("alpha/memory/y.md") in events)


def test_a_watched_folder_that_loses_its_rights_is_not_gone(vault: Watched) -> None:
    (vault.root / "alpha/memory").chmod(0)
    assert vault.told() == []
    (vault.root / "alpha/memory").chmod(0o755)
    assert vault.told() == []


def test_a_change_of_the_ignore_file_changes_the_layout(vault: Watched) -> None:
    vault.make(".atomicdignore", "drafts/\n")
    assert LayoutChanged() in vault.told()
    vault.make("drafts/memory/x.md")
    vault.sweep()
    vault.make("drafts/memory/y.md")
    assert vault.told() == []


@pytest.mark.parametrize("name", ["memory", "persona"])
def test_a_root_that_becomes_an_agent_and_ceases_to_be_one_changes_the_layout(
    vault: Watched, name: str
) -> None:
    (vault.root / name).mkdir()
    assert LayoutChanged() in vault.told()
    vault.sweep()
    (vault.root / name / "deeper").mkdir()
    assert LayoutChanged() not in vault.told()
    shutil.rmtree(vault.root / name)
    assert LayoutChanged() in vault.told()


def test_arming_again_and_again_leaks_neither_handles_nor_threads(vault: Watched) -> None:
    handles, threads = len(list(Path("/dev/fd").iterdir())), threading.active_count()
    for _ in range(20):
        vault.sweep()
    assert len(list(Path("/dev/fd").iterdir())) == handles
    assert threading.active_count() == threads
    vault.watcher.stop()
    assert threading.active_count() == threads - 1
