"""Folders and notes that come, go and move at random: at the end every folder is heard under its right name."""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents.intake.events import FolderGone, Touched
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, walk
from e2e.observing import Watched

if sys.platform != "linux":
    pytest.skip("the folder by folder watcher is for Linux", allow_module_level=True)

from atomic_agents.intake.inotify import InotifyWatcher


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Watched]:
    root = tmp_path / "vault"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    watcher = InotifyWatcher(root, tmp_path / "canary", mode="native")
    yield Watched(root, watcher)
    watcher.stop()


class Chaos:
    """Random steps on a vault and a folder beside it."""

    def __init__(self, root: Path, outside: Path, seed: int) -> None:
        self.root = root
        self.outside = outside
        self.random = random.Random(seed)

    def step(self) -> None:
        choices = [self.make, self.make, self.write, self.write, self.write, self.rename, self.remove]
        self.random.choice([*choices, self.move_out, self.move_in, self.exchange, self.replace_note])()

    def folders(self) -> list[Path]:
        found = []
        for path, inner, _files in os.walk(self.root):
            inner[:] = sorted(name for name in inner if name != "zz")
            found += [Path(path, name) for name in inner]
        return found

    def some(self) -> Path:
        return self.random.choice([self.root, *self.folders()])

    def name(self) -> str:
        return self.random.choice(["a", "b", "c", "memory", "wiki", "raw", ".git", "x.md"])

    def make(self) -> None:
        path = self.some() / self.name()
        if not path.exists():
            path.joinpath(*(self.name() for _ in range(self.random.randint(0, 2)))).mkdir(parents=True)

    def write(self) -> None:
        path = self.some() / self.random.choice(["n1.md", "n2.md", "INDEX.md"])
        if not path.is_dir():
            path.write_text(str(self.random.random()))

    def replace_note(self) -> None:
        folder = self.some()
        (folder / ".n1.md.tmp").write_text(str(self.random.random()))
        if not (folder / "n1.md").is_dir():
            os.replace(folder / ".n1.md.tmp", folder / "n1.md")

    def rename(self) -> None:
        source, target = self.some(), self.some() / self.name()
        if source != self.root and not target.exists() and source not in [target, *target.parents]:
            source.rename(target)

    def remove(self) -> None:
        folder = self.some()
        if folder != self.root and len(self.folders()) > 6:
            shutil.rmtree(folder)

    def move_out(self) -> None:
        folder = self.some()
        if folder != self.root and len(self.folders()) > 6:
            folder.rename(self.outside / f"o{self.random.random()}")

    def move_in(self) -> None:
        gone = sorted(self.outside.iterdir())
        target = self.some() / self.name()
        if gone and not target.exists():
            self.random.choice(gone).rename(target)

    def exchange(self) -> None:
        one, other = self.some(), self.some()
        if self.root not in (one, other) and one not in other.parents and other not in one.parents:
            ctypes.CDLL(None).renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2)


def notes(root: Path, layout: Layout) -> dict[str, tuple[int, int]]:
    found = [
        item for item in walk(root, layout, Survey()) if item.place.layer and item.place.inner[-3:] == ".md"
    ]
    return {item.place.path: (item.stamp.inode, item.stamp.mtime_ns) for item in found}


def follow(model: dict[str, tuple[int, int]], vault: Watched, events: list) -> None:
    """Do what the daemon does: look at what is told, and at everything known below a folder that is gone."""
    for event in events:
        if isinstance(event, FolderGone):
            paths = [path for path in model if path.startswith(f"{event.path}/")]
        else:
            paths = [event.path] if isinstance(event, Touched) else []
        for path in paths:
            try:
                status = (vault.root / path).stat()
                is_file = (vault.root / path).is_file()
            except (FileNotFoundError, NotADirectoryError):
                is_file = False
            model.pop(path, None)
            if is_file:
                model[path] = (status.st_ino, status.st_mtime_ns)


def without_markers(paths: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    return {path: what for path, what in paths.items() if not path.startswith("zz/")}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("laziness", [1, 20, 200])
def test_after_any_steps_the_events_have_told_the_truth_and_every_folder_is_heard(
    vault: Watched, tmp_path: Path, seed: int, laziness: int
) -> None:
    chaos = Chaos(vault.root, tmp_path / "outside", seed)
    model: dict[str, tuple[int, int]] = {}
    layout = vault.watcher._layout
    for number in range(200):
        chaos.step()
        if chaos.random.randrange(laziness) == 0 or number == 199:
            follow(model, vault, vault.watcher.take(0))
    follow(model, vault, vault.told())
    check(vault, layout, model)


def test_steps_of_two_threads_at_once_are_told_too(vault: Watched, tmp_path: Path) -> None:
    model: dict[str, tuple[int, int]] = {}
    layout = vault.watcher._layout
    ends = []

    def run(seed: int) -> None:
        chaos = Chaos(vault.root, tmp_path / "outside", seed)
        for _ in range(400):
            try:
                chaos.step()
            except OSError:
                continue
        ends.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        follow(model, vault, vault.watcher.take(0.01))
    for thread in threads:
        thread.join()
    assert len(ends) == 2
    follow(model, vault, vault.told())
    check(vault, layout, model)


def check(vault: Watched, layout: Layout, model: dict[str, tuple[int, int]]) -> None:
    survey = Survey()
    list(walk(vault.root, layout, survey))
    wanted = sorted(folder for folder in survey.folders if layout.watches(folder))
    assert sorted(folder for folder in wanted if vault.watcher._arming.watches.is_watched(folder)) == wanted
    assert vault.watcher.health(0.0).watches == len(wanted)
    assert vault.kernel_watches() == len(wanted) + 1, "one is the canary's"
    assert without_markers(model) == without_markers(notes(vault.root, layout))
    layers = [
        folder
        for folder in wanted
        if layout.place(f"{folder}/probe.md").kind.is_unit and folder != "zz/memory"
    ]
    for folder in layers:
        (vault.root / folder / "probe.md").write_text("probe")
    assert vault.touched() == {f"{folder}/probe.md" for folder in layers}
