"""Grace time and breaker (contract [Q-1], [Q-6]): pure, time is passed in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.quarantine import Breaker, Hold, Holds


def test_a_held_file_is_due_when_its_grace_time_is_over():
    holds = Holds()
    assert holds.put(Hold("a.md", "1", until=10.0))
    assert holds.due(9.9) == []
    assert [hold.path for hold in holds.due(10.0)] == ["a.md"]
    assert holds.next_due() == 10.0


def test_the_same_bytes_again_are_not_news_and_keep_their_time():
    holds = Holds()
    holds.put(Hold("a.md", "1", until=10.0))
    assert not holds.put(Hold("a.md", "1", until=99.0))
    assert holds.next_due() == 10.0


def test_other_bytes_start_the_grace_time_again():
    holds = Holds()
    holds.put(Hold("a.md", "1", until=10.0))
    assert holds.put(Hold("a.md", "2", until=20.0))
    assert holds.next_due() == 20.0
    assert len(holds) == 1


def test_a_postponed_hold_never_ends_earlier():
    holds = Holds()
    holds.put(Hold("a.md", "1", until=10.0))
    holds.postpone("a.md", 5.0, "touched")
    assert holds.next_due() == 10.0
    holds.postpone("a.md", 15.0, "touched")
    assert (holds.next_due(), next(iter(holds)).reason) == (15.0, "touched")
    holds.postpone("other.md", 15.0, "touched")
    assert "other.md" not in holds


def test_a_dropped_file_is_held_no_longer():
    holds = Holds()
    holds.put(Hold("a.md", "1", until=10.0))
    dropped = holds.drop("a.md")
    assert dropped is not None
    assert dropped.sha256 == "1"
    assert holds.drop("a.md") is None
    assert holds.next_due() is None


def test_holds_come_in_path_order():
    holds = Holds()
    for name in ("c", "a", "b"):
        holds.put(Hold(name, "1", until=1.0))
    assert [hold.path for hold in holds] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("moves", "waiting", "units", "trips"),
    [
        (0, 20, 100, False),
        (0, 21, 100, True),
        (20, 1, 100, True),
        (0, 30, 400, False),
        (0, 41, 400, True),
        (0, 0, 0, False),
    ],
)
def test_the_breaker_trips_above_the_limit_or_a_tenth_of_the_vault_if_that_is_more(
    moves, waiting, units, trips
):
    breaker = Breaker()
    for number in range(moves):
        breaker = breaker.record(1000.0 + number)
    assert breaker.trips(waiting=waiting, units=units, limit=20, now=1100.0) is trips


def test_moves_older_than_ten_minutes_do_not_count():
    breaker = Breaker()
    for _ in range(20):
        breaker = breaker.record(1000.0)
    assert not breaker.trips(waiting=1, units=1, limit=20, now=1600.0)
    assert breaker.record(1700.0).moves == (1700.0,)


def test_moves_of_a_time_that_has_not_come_do_not_count():
    """After the clock was set back, the window is empty and not for ever full."""
    assert Breaker(moves=(5000.0,) * 50).count(1000.0) == 0


def test_an_open_breaker_stays_open_over_a_restart_until_it_is_closed():
    breaker = Breaker.from_json(Breaker().record(10.0).open(20.0).as_json())
    assert breaker.is_open
    assert breaker.open(30.0).opened_at == 20.0
    assert not breaker.close().is_open
    assert breaker.close().moves == ()
    assert Breaker.from_json(None) == Breaker()


@given(st.lists(st.floats(0, 5000), max_size=60), st.floats(0, 6000))
def test_the_memory_of_moves_stays_within_the_window(moments, now):
    breaker = Breaker()
    for moment in sorted(moments):
        breaker = breaker.record(moment)
    assert all(max(moments, default=0) - moment < 600 for moment in breaker.moves)
    assert breaker.count(now) <= len(breaker.moves)
