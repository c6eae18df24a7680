"""What folders and files that come and go mean, with watches that are only written down."""

from pathlib import Path

import pytest

from atomic_agents.intake.changes import Changes
from atomic_agents.intake.events import Event, FolderGone, LayoutChanged, SweepWanted, Touched
from atomic_agents.vault.kinds import Layout


class Book:
    """Watches on paper; `same` says that a name still stands for the folder that was watched."""

    def __init__(self, *folders: str, same: bool = True) -> None:
        self.folders = set(folders)
        self.same = same

    def is_watched(self, folder: str) -> bool:
        return folder in self.folders

    def watch(self, folder: str) -> None:
        self.folders.add(folder)

    def watch_again(self, folder: str) -> bool:
        self.folders.add(folder)
        return self.same

    def forget_below(self, folder: str) -> None:
        self.folders = {name for name in self.folders if name != folder and not name.startswith(f"{folder}/")}


def folder(root: Path, book: Book, path: str, *, came: bool = False, went: bool = False) -> list[Event]:
    return list(Changes(root, Layout(), book).of_folder(path, came=came, went=went))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a/memory").mkdir(parents=True)
    (tmp_path / "a/memory/x.md").touch()
    return tmp_path


def test_a_folder_that_came_is_watched_and_listed(root: Path) -> None:
    book = Book()
    assert folder(root, book, "a", came=True) == [Touched("a/memory/x.md")]
    assert book.folders == {"a", "a/memory"}


def test_a_folder_that_is_watched_already_is_not_listed_again(root: Path) -> None:
    assert folder(root, Book("a", "a/memory"), "a", came=True) == []


def test_a_folder_that_took_the_place_of_another_is_listed_and_what_was_below_is_forgotten(
    root: Path,
) -> None:
    book = Book("a", "a/wiki", "a/memory", "b", same=False)
    assert folder(root, book, "a", came=True) == [Touched("a/memory/x.md")]
    assert book.folders == {"a", "a/memory", "b"}


def test_a_folder_that_went_is_forgotten_with_all_below(tmp_path: Path) -> None:
    book = Book("a", "a/memory", "b")
    assert folder(tmp_path, book, "a", went=True) == [FolderGone("a")]
    assert book.folders == {"b"}


def test_a_folder_that_went_and_came_back_before_it_was_handled_is_listed(root: Path) -> None:
    book = Book("a", "a/memory")
    assert folder(root, book, "a", went=True) == [FolderGone("a"), Touched("a/memory/x.md")]
    assert book.folders == {"a", "a/memory"}


def test_new_rights_of_a_watched_folder_mean_nothing(root: Path) -> None:
    assert folder(root, Book("a"), "a") == []


def test_new_rights_of_a_folder_that_could_not_be_watched_make_it_listed(root: Path) -> None:
    assert folder(root, Book(), "a") == [Touched("a/memory/x.md")]


@pytest.mark.parametrize("path", ["a/.git", "_quarantine", "node_modules", "a/raw", "a/journal/2026-05"])
def test_folders_that_hold_no_units_mean_nothing(root: Path, path: str) -> None:
    (root / path / "memory").mkdir(parents=True)
    (root / path / "memory/x.md").touch()
    book = Book()
    assert folder(root, book, path, came=True) == folder(root, book, path, went=True) == []
    assert book.folders == set()


def test_a_link_that_took_the_place_of_a_folder_is_not_entered(root: Path) -> None:
    (root / "b").symlink_to("a")
    assert folder(root, Book(), "b", came=True) == []


def test_a_folder_of_an_agent_at_the_top_changes_the_layout(root: Path) -> None:
    (root / "persona").mkdir()
    assert folder(root, Book(), "persona", came=True) == [LayoutChanged()]
    changes = Changes(root, Layout(root_is_agent=True), Book())
    assert list(changes.of_folder("persona", came=True, went=False)) == []


def file(root: Path, book: Book, path: str, *, came: bool = False, went: bool = False) -> list[Event]:
    return list(Changes(root, Layout(), book).of_file(path, came=came, went=went))


def test_a_link_to_a_folder_that_came_wants_a_sweep(root: Path) -> None:
    (root / "b").symlink_to("a")
    assert file(root, Book(), "b", came=True) == [SweepWanted("the link b came")]
    assert file(root, Book(), "b") == []


@pytest.mark.parametrize("path", ["a/raw/b", "a/.b", "_b"])
def test_a_link_where_no_units_are_means_nothing(root: Path, path: str) -> None:
    (root / "a/raw").mkdir()
    (root / path).symlink_to(root / "a")
    assert file(root, Book(), path, came=True) == []


def test_an_ordinary_file_that_is_no_note_means_nothing(root: Path) -> None:
    (root / "a/memory/x.txt").touch()
    assert file(root, Book(), "a/memory/x.txt", came=True) == []
    assert file(root, Book(), "a/memory/x.txt", went=True) == []


def test_a_watched_link_that_went_is_a_folder_gone(root: Path) -> None:
    book = Book("a/memory/shared", "a/memory/shared/deep")
    assert file(root, book, "a/memory/shared", went=True) == [FolderGone("a/memory/shared")]
    assert book.folders == set()
