"""When the canary sings, and when its silence means something."""

from atomic_agents.intake.canary import Canary


def test_it_sings_at_once_and_then_once_a_period() -> None:
    canary = Canary(period=10, patience=5)
    assert canary.look(100.0, heard=False) == "sing"
    assert canary.look(101.0, heard=True) == "wait"
    assert canary.look(109.9, heard=False) == "wait"
    assert canary.look(110.0, heard=False) == "sing"


def test_a_song_that_is_not_heard_in_time_means_deaf() -> None:
    canary = Canary(period=10, patience=5)
    canary.look(100.0, heard=False)
    assert canary.look(103.0, heard=False) == "wait"
    assert canary.look(105.0, heard=False) == "wait"
    assert canary.look(105.1, heard=False) == "deaf"


def test_a_song_that_is_heard_late_but_in_time_is_heard() -> None:
    canary = Canary(period=10, patience=5)
    canary.look(100.0, heard=False)
    canary.look(104.0, heard=False)
    assert canary.look(105.0, heard=True) == "wait"
    assert canary.look(107.0, heard=False) == "wait"


def test_after_a_look_that_comes_late_the_song_is_sung_again_before_it_is_judged() -> None:
    canary = Canary(period=10, patience=5)
    canary.look(100.0, heard=False)
    assert canary.look(160.0, heard=False) == "sing"
    assert canary.look(164.0, heard=False) == "wait"
    assert canary.look(165.5, heard=False) == "deaf"


def test_a_song_that_was_heard_before_a_late_look_counts() -> None:
    canary = Canary(period=10, patience=5)
    canary.look(100.0, heard=False)
    assert canary.look(160.0, heard=True) == "sing"
    assert canary.look(161.0, heard=True) == "wait"
