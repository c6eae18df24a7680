"""A file that another writer replaces or appends to in the last moment is never lost (case IX13)."""

import os
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents._files import write
from atomic_agents._files.exchange import exchange
from atomic_agents.exceptions import FileChangedError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "x.md").write_bytes(b"old")
    return tmp_path / "x.md"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_files_are_exchanged(path: Path) -> None:
    other = path.with_name("y.md")
    other.write_bytes(b"other")
    assert exchange(path, other)
    assert (path.read_bytes(), other.read_bytes()) == (b"other", b"old")


def test_nothing_changes_where_one_is_missing(path: Path) -> None:
    assert not exchange(path, path.with_name("y.md"))
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("how", ["replace", "append"])
def test_what_came_in_the_last_moment_stays(path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    def exchange_after_somebody_wrote(one: Path, other: Path) -> bool:
        monkeypatch.setattr(write, "exchange", exchange)
        if how == "replace":
            path.with_name("new").write_bytes(b"newer")
            os.replace(path.with_name("new"), path)
        else:
            with path.open("ab") as handle:
                handle.write(b"er")
        return exchange(one, other)

    monkeypatch.setattr(write, "exchange", exchange_after_somebody_wrote)
    with pytest.raises(FileChangedError):
        _io.replace_file(path, b"ours", expected=path.stat())
    assert path.read_bytes() == (b"newer" if how == "replace" else b"older")
    assert names(path.parent) == ["x.md"]


def test_a_file_is_replaced_also_where_two_cannot_be_exchanged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "exchange", lambda *_: False)
    _io.replace_file(path, b"ours", expected=path.stat())
    assert path.read_bytes() == b"ours"
    assert names(path.parent) == ["x.md"]
