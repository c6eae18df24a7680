"""The root before and after a walk."""

import shutil
from pathlib import Path

import pytest

from atomic_agents.intake.health import Condition, Health
from atomic_agents.intake.root_guard import RootGuard
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault/alpha/memory").mkdir(parents=True)
    (tmp_path / "vault/alpha/memory/x.md").touch()
    return tmp_path / "vault"


def test_a_root_that_is_armed_and_stays_is_walked(root: Path) -> None:
    guard = RootGuard(root)
    guard.arm()
    survey = Survey()
    assert [found.place.path for found in guard.walk(Layout(), survey)] == ["alpha/memory/x.md"]
    assert survey.knows("alpha/memory/y.md")


def test_a_root_that_goes_just_before_the_walk_makes_everything_unknown(root: Path) -> None:
    guard = RootGuard(root)
    guard.arm()
    survey = Survey()
    assert list(guard.walk(Layout(), survey, lambda _folder: shutil.rmtree(root))) == []
    assert not survey.knows("alpha/memory/x.md")


def test_a_root_that_goes_and_comes_back_during_the_walk_is_not_believed(root: Path, tmp_path: Path) -> None:
    guard = RootGuard(root)
    guard.arm()
    survey = Survey()

    def away(folder: str) -> None:
        if not folder:
            root.rename(tmp_path / "away")

    walked = guard.walk(Layout(), survey, away)
    assert next(walked, None) is None
    (tmp_path / "away").rename(root)
    assert not survey.knows("alpha/memory/x.md")
    assert guard.check() == (Condition.ROOT_CHANGED, f"vault {root}: is back")


def test_a_root_that_was_never_armed_is_not_walked(root: Path) -> None:
    survey = Survey()
    assert list(RootGuard(root).walk(Layout(), survey)) == []
    assert not survey.knows("")


@pytest.mark.parametrize(
    ("condition", "ok"), [(Condition.GOOD, True), (Condition.LIMITED, False), (Condition.DEAF, False)]
)
def test_only_a_good_condition_is_all_right(condition: Condition, ok: bool) -> None:
    assert Health("native", 1, condition).ok is ok


@pytest.mark.parametrize(("mode", "polls"), [("native", False), ("mixed", True), ("poll", True)])
def test_what_is_not_heard_everywhere_is_polled(mode, polls: bool) -> None:
    assert Health(mode).polls is polls
