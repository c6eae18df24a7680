"""The canary, with a daemon that is played at each pause."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import CannotWriteError
from atomic_agents.lifecycle.canary import AGENT, NOTE, CanaryError, fly
from atomic_agents.model import Kind
from atomic_agents.units import Limits, judge
from atomic_agents.vault.kinds import Layout
from fakes.rims import PlayedRim

TODAY = dt.date(2026, 12, 1)


class PlayedDaemon:
    """Keeps the canary's INDEX, from the third look on."""

    def __init__(self, root: Path, *, adds: bool = True, removes: bool = True) -> None:
        self.memory = root / AGENT / "memory"
        self.adds, self.removes, self.looks = adds, removes, 0
        self.seen = b""

    def __call__(self) -> None:
        self.looks += 1
        if self.looks < 3 or not self.memory.is_dir():
            return
        there = (self.memory / NOTE).exists()
        if there:
            self.seen = (self.memory / NOTE).read_bytes()
        if there and self.adds:
            (self.memory / "INDEX.md").write_text(f"- [The canary of atomicd]({NOTE}) — hook\n")
        if not there and self.removes:
            (self.memory / "INDEX.md").write_text("# Index\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "alpha" / "memory").mkdir(parents=True)
    return tmp_path


def send(root: Path, daemon: PlayedDaemon, limit: float = 5.0):
    rim = PlayedRim()
    rim.on_pause = daemon
    return fly(rim, root, TODAY, limit=limit)


def left(root: Path) -> list[str]:
    return [path.name for path in root.iterdir() if path.name != "alpha"]


def test_it_is_timed_and_leaves_nothing(root: Path) -> None:
    flight = send(root, PlayedDaemon(root))
    assert flight.as_json() == {"ok": True, "indexed_ms": 60, "removed_ms": 20}
    assert left(root) == []


def test_the_note_is_valid(root: Path) -> None:
    daemon = PlayedDaemon(root)
    send(root, daemon)
    place = Layout().place(f"{AGENT}/memory/{NOTE}")
    assert place.kind is Kind.NOTE
    verdict = judge(place, daemon.seen, schemas=SchemaSet.packaged(), today=TODAY, limits=Limits())
    assert verdict.problems == ()


def test_a_note_that_is_never_indexed_is_told_and_removed(root: Path) -> None:
    with pytest.raises(CanaryError, match="not indexed within 5 s"):
        send(root, PlayedDaemon(root, adds=False))
    assert left(root) == []


def test_a_line_that_stays_is_told_and_removed(root: Path) -> None:
    with pytest.raises(CanaryError, match="its line stayed for 5 s"):
        send(root, PlayedDaemon(root, removes=False))
    assert left(root) == []


def test_what_a_killed_check_left_is_cleared_first(root: Path) -> None:
    (root / AGENT / "memory").mkdir(parents=True)
    (root / AGENT / "memory" / NOTE).write_text("old")
    (root / AGENT / "memory" / ".INDEX.md.7-00000000.atomicd.tmp").write_text("old")
    send(root, PlayedDaemon(root))
    assert left(root) == []


@pytest.mark.parametrize("path", ["persona", "memory/feedback_real_note_here.md"])
def test_an_agent_of_that_name_is_never_touched(root: Path, path: str) -> None:
    real = root / AGENT / path
    real.parent.mkdir(parents=True)
    real.write_text("mine")
    with pytest.raises(CanaryError, match="not the canary's"):
        send(root, PlayedDaemon(root))
    assert real.read_text() == "mine"


def test_an_empty_folder_that_a_killed_check_left_is_cleared_first(root: Path) -> None:
    (root / AGENT).mkdir()
    send(root, PlayedDaemon(root))
    assert left(root) == []


def test_a_vault_that_refuses_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, **_rest: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CannotWriteError, match="Permission denied"):
        send(root, PlayedDaemon(root))


def test_a_folder_that_cannot_be_cleared_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, _target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(CannotWriteError) as caught:
        send(root, PlayedDaemon(root))
    assert AGENT in caught.value.hint
