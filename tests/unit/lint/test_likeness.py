"""Texts that are nearly the same are found, others are not, and the time grows with their number."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.lint.likeness import similar


def pairs(*texts: str) -> set[tuple[int, int]]:
    return {(first, second) for first, second, _ in similar(texts)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Answer before background", "Answer before the background"),
        ("Answer before background", "Answer befor background"),
        ("Debt priority order", "Debt priorities order"),
        ("Backgrounds", "Backgroundz"),
        ("Cackgrounds", "Backgrounds"),
        ("回答在背景之前说清楚要点", "回答在背景之前说清楚重点"),
        ("Die Antwort zuerst, dann die Gründe", "Die Antwort zuerst, dann Gründe"),
    ],
)
def test_texts_that_differ_in_little_are_found(one: str, other: str) -> None:
    assert pairs("Something else entirely", one, "And another thing", other) == {(1, 3)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Answer before background", "Answer before background"),
        ("Answer before background", "ANSWER, before background!"),
        ("Income target for Q3 2026", "Income target for Q4 2026"),
        ("Session 2026-03-15 of the crew", "Session 2026-03-16 of the crew"),
        ("Answer before background", "Background before answer"),
        ("Tea", "Teas"),
        ("", ""),
    ],
)
def test_texts_that_are_the_same_or_about_something_else_are_not(one: str, other: str) -> None:
    assert pairs(one, other) == set()


def test_words_that_many_share_do_not_make_blocks() -> None:
    texts = [
        f"the rule of {'abcdefghij'[number % 10] * 9} {'klmnopqrst'[number // 10] * 9}"
        for number in range(100)
    ]
    assert pairs(*texts) == set()


@given(st.lists(st.text("ab1 -", max_size=20), max_size=12))
def test_every_pair_is_told_once_in_order_and_is_alike(texts: list[str]) -> None:
    found = similar(texts)
    assert sorted(found) == found
    assert len({(pair.first, pair.second) for pair in found}) == len(found)
    assert all(pair.first < pair.second and pair.score >= 90 for pair in found)


def test_planted_pairs_among_thousands_are_found_in_nearly_linear_time() -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(2000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    took = {}
    for number in (2000, 8000):
        texts = [" ".join(rng.choices(words, weights, k=6)) + " of the house" for _ in range(number)]
        planted = set()
        for first in range(0, number, 200):
            cut = rng.randrange(2, len(texts[first]) - 2)
            texts[first + 100] = f"{texts[first][:cut]}q{texts[first][cut + 1 :]}"
            planted.add((first, first + 100))
        start = time.perf_counter()
        found = pairs(*texts)
        took[number] = time.perf_counter() - start
        missed = [pair for pair in planted - found if texts[pair[0]] != texts[pair[1]]]
        assert len(missed) <= len(planted) // 20
    assert took[8000] < took[2000] * 4 * 3, took
