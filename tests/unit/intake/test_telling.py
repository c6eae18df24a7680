"""What a file's path means to the worker."""

from pathlib import Path

import pytest

from atomic_agents.intake import telling
from atomic_agents.intake.events import Editing, LayoutChanged, SweepWanted, Touched
from atomic_agents.intake.telling import says_something, tell_file, tell_folder
from atomic_agents.vault.ignore import Ignore
from atomic_agents.vault.kinds import Layout

LAYOUT = Layout(Ignore(["*.draft.md"]))


@pytest.mark.parametrize(
    ("path", "event"),
    [
        ("a/memory/x.md", Touched("a/memory/x.md")),
        ("a/wiki/deep/X.MD", Touched("a/wiki/deep/X.MD")),
        ("memory/x.md", Touched("memory/x.md")),
        ("a/memory/INDEX.md", Touched("a/memory/INDEX.md")),
        ("a/memory/INDEX_user.md", Touched("a/memory/INDEX_user.md")),
        ("a/memory/.x.md.swp", Editing("a/memory/x.md")),
        ("a/memory/.#x.md", Editing("a/memory/x.md")),
        ("a/memory/#x.md#", Editing("a/memory/x.md")),
        ("a/memory/.x.md.icloud", Touched("a/memory/x.md")),
        ("a/memory/.INDEX.md.icloud", Touched("a/memory/INDEX.md")),
        (".atomicdignore", LayoutChanged()),
        ("a/.atomicdignore", None),
        ("a/memory/.INDEX.md.swp", None),
        ("a/memory/x.draft.md", None),
        ("a/memory/.x.draft.md.swp", None),
        ("a/memory/x.txt", None),
        ("a/memory/.x.txt.swp", None),
        ("a/memory/.x.txt.icloud", None),
        ("a/memory/x.md.tmp", None),
        ("a/memory/.x.md.12345678.atomicd.tmp", None),
        ("a/memory/_old/x.md", None),
        ("a/raw/x.md", None),
        ("a/persona/SOUL.md", None),
        ("a/x.md", None),
        (".migration.lock", None),
    ],
)
def test_a_path_is_told_or_means_nothing(path: str, event: object) -> None:
    assert tell_file(LAYOUT, path) == event


@pytest.mark.parametrize(
    "name", ["x.md", "INDEX.md", ".atomicdignore", ".x.md.swp", ".x.md.icloud", "#x.md#", "X.MD"]
)
def test_names_that_say_something_are_kept_by_the_reading_thread(name: str) -> None:
    assert says_something(name)


@pytest.mark.parametrize(
    "name", ["x.txt", ".x.md.tmp", ".hidden.md", "x.md~", "4913", "x.md.tmp.1.2", ".git", "README.md"]
)
def test_names_that_say_nothing_are_dropped_by_the_reading_thread(name: str) -> None:
    assert not says_something(name)


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_a_folder_that_came_tells_its_units_and_indexes(tmp_path: Path) -> None:
    make(
        tmp_path,
        "a/memory/x.md",
        "a/memory/INDEX.md",
        "a/memory/x.txt",
        "a/raw/y.md",
        "a/.git/z.md",
        "b/memory/z.md",
    )
    entered: list[str] = []
    events = list(tell_folder(tmp_path, LAYOUT, "a", entered.append))
    assert events == [Touched("a/memory/INDEX.md"), Touched("a/memory/x.md")]
    assert entered == ["a", "a/memory", "a/raw"]


def test_a_folder_that_came_with_too_much_is_a_matter_for_a_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MAX_TOUCHED", 2)
    make(tmp_path, *(f"a/memory/x{number}.md" for number in range(3)))
    assert list(tell_folder(tmp_path, LAYOUT, "a")) == [SweepWanted("a came with 3 files")]


def test_a_folder_that_is_gone_already_tells_nothing(tmp_path: Path) -> None:
    assert list(tell_folder(tmp_path, LAYOUT, "a")) == []
