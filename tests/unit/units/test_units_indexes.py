from __future__ import annotations

import pytest

from atomic_agents.units import Limits, judge_index
from atomic_agents.vault.kinds import Layout

PLACE = Layout().place("alpha/memory/INDEX.md")


def _codes(data: bytes, **limits: int) -> list[str]:
    return [problem.code for problem in judge_index(PLACE, data, Limits(**limits))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"line\n" * 150, []),
        (b"line\n" * 149 + b"line", []),
        (b"line\n" * 151, ["index-long"]),
        (b"line\r\n" * 151, ["index-long"]),
        ("line\u2028\n".encode() * 150, []),
    ],
)
def test_an_index_of_more_than_150_lines_is_long(data: bytes, expected: list[str]) -> None:
    assert _codes(data) == expected


def test_the_number_of_lines_is_configurable() -> None:
    assert _codes(b"a\nb\nc\n", max_index_lines=2) == ["index-long"]


def test_conflict_markers_in_an_index_are_told() -> None:
    assert _codes(b"<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> theirs\n") == ["conflict-markers"]


def test_an_index_that_cannot_be_decoded_is_told() -> None:
    assert _codes(b"# caf\xe9\n") == ["not-utf8"]
    assert _codes(b"\0" * 10) == ["nul-byte"]


def test_a_bom_and_frontmatter_of_an_index_are_its_own_matter() -> None:
    assert _codes(b"\xef\xbb\xbf---\nname: x\n---\n# Index\n") == []


def test_a_disabled_warning_is_not_given() -> None:
    limits = Limits(disabled=frozenset({"index-long"}))
    assert judge_index(PLACE, b"line\n" * 200, limits) == ()
