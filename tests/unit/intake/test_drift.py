"""Sleep, stalls and clocks that are set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.intake.drift import Drift


def test_the_first_tick_says_nothing() -> None:
    assert Drift().tick(1e9, 5.0) is None


def test_clocks_that_run_alike_say_nothing() -> None:
    drift = Drift()
    assert [drift.tick(1e9 + second, 5.0 + second) for second in range(0, 100, 10)] == [None] * 10


@pytest.mark.parametrize("jump", [3600.0, -3600.0, 5.5, -5.5])
def test_a_clock_that_was_set_is_noticed_once(jump: float) -> None:
    drift = Drift()
    drift.tick(1e9, 5.0)
    assert "clock moved" in (drift.tick(1e9 + 1 + jump, 6.0) or "")
    assert drift.tick(1e9 + 2 + jump, 7.0) is None


def test_sleep_during_which_the_monotonic_clock_stands_still_is_noticed() -> None:
    drift = Drift()
    drift.tick(1e9, 5.0)
    assert "+28800 s" in (drift.tick(1e9 + 8 * 3600 + 1, 6.0) or "")


def test_a_process_that_did_not_run_is_noticed() -> None:
    drift = Drift(gap=60)
    drift.tick(1e9, 5.0)
    assert drift.tick(1e9 + 60, 65.0) is None
    assert "nothing ran for 61 s" in (drift.tick(1e9 + 121, 126.0) or "")


@given(st.lists(st.floats(0.01, 30), max_size=20), st.floats(-0.1, 0.1))
def test_a_clock_that_is_slewed_says_nothing(steps: list[float], slew: float) -> None:
    drift = Drift()
    wall, monotonic = 1e9, 0.0
    for step in steps:
        wall, monotonic = wall + step * (1 + slew), monotonic + step
        assert drift.tick(wall, monotonic) is None
