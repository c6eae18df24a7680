"""Writers that repeat the same invalid bytes (contract [Q-1]): pure, time is passed in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.quarantine import Loops

NOW = 1_780_000_000.0


def moved(*moments, sha256="a", path="p"):
    loops = Loops()
    for moment in moments:
        loops = loops.record(path, sha256, NOW + moment)
    return loops


def test_five_moves_within_a_minute_are_a_loop():
    assert not moved(0, 10, 20, 30).is_loop("p", "a", NOW + 31)
    assert moved(0, 10, 20, 30, 40).is_loop("p", "a", NOW + 41)
    assert moved(0, 15, 30, 45, 60).is_loop("p", "a", NOW + 61)
    assert not moved(0, 16, 32, 48, 61).is_loop("p", "a", NOW + 62)


def test_only_the_same_bytes_at_the_same_path_are_a_loop():
    loops = moved(0, 1, 2, 3, 4)
    assert not loops.is_loop("p", "b", NOW + 5)
    assert not loops.is_loop("q", "a", NOW + 5)
    assert not loops.record("p", "b", NOW + 5).is_loop("p", "a", NOW + 6)


def test_a_loop_lasts_until_an_hour_passed_without_a_move():
    loops = moved(0, 1, 2, 3, 4)
    assert loops.is_loop("p", "a", NOW + 3604)
    assert not loops.is_loop("p", "a", NOW + 3605)


def test_a_clock_that_was_set_back_ends_a_loop_and_starts_the_count_anew():
    loops = moved(0, 1, 2, 3, 4)
    assert not loops.is_loop("p", "a", NOW - 100)
    assert not loops.record("p", "a", NOW - 100).is_loop("p", "a", NOW - 99)


def test_a_mended_path_is_a_new_one():
    loops = moved(0, 1, 2, 3, 4)
    assert not loops.forget("p").is_loop("p", "a", NOW + 5)
    assert loops.forget("other") is loops


def test_the_store_keeps_it_also_for_a_name_that_is_no_utf8():
    loops = moved(0, 1, 2, 3, 4, path="caf\udce9.md")
    assert Loops.from_json(loops.as_json()) == loops
    assert Loops.from_json(None) == Loops()


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("ab"), st.floats(0, 9000)), max_size=80))
def test_the_memory_holds_a_handful_of_moves_of_the_last_hour_only(moves):
    loops = Loops()
    for path, sha256, moment in sorted(moves, key=lambda move: move[2]):
        loops = loops.record(path, sha256, NOW + moment)
        assert all(len(trail.moves) <= 5 for trail in loops.trails.values())
        assert all(NOW + moment - trail.moves[-1] <= 3600 for trail in loops.trails.values())
