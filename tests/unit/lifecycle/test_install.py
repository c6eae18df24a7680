"""Coming up, or not; see test_launchd.py for the whole way."""

from __future__ import annotations

import pytest

from atomic_agents.lifecycle.install import Seen, wait_until_up
from atomic_agents.lifecycle.manager import DidNotComeUpError
from fakes.rims import PlayedRim


def test_a_daemon_that_is_up_is_not_waited_for() -> None:
    rim = PlayedRim()
    assert wait_until_up(rim, lambda: Seen("up"))
    assert rim.paused == 0


def test_a_daemon_on_its_way_is_waited_for() -> None:
    seen = iter([Seen("silent"), Seen("coming"), Seen("up")])
    assert wait_until_up(PlayedRim(), lambda: next(seen))


def test_a_long_first_sweep_is_no_failure() -> None:
    rim = PlayedRim()
    assert not wait_until_up(rim, lambda: Seen("coming"), limit=10)
    assert 10 <= rim.paused < 11


def test_no_sign_at_all_is_a_failure() -> None:
    with pytest.raises(DidNotComeUpError, match="no sign of the daemon within 10 s"):
        wait_until_up(PlayedRim(), lambda: Seen("silent"), limit=10)


def test_a_daemon_that_ended_is_a_failure_at_once() -> None:
    rim = PlayedRim()
    with pytest.raises(DidNotComeUpError, match="ended"):
        wait_until_up(rim, lambda: Seen("down"))
    assert rim.paused == 0
