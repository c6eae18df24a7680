"""Units of a layer among each other."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from atomic_agents.lint import judge_layer
from atomic_agents.model import Kind, Problem, Unit


def unit(name: str, title: str = "", **values: object) -> Unit:
    fields: dict[str, object] = {
        "path": f"alpha/memory/{name}.md",
        "schema_version": 1,
        "name": title or f"Title of {name}",
        "description": f"{name} " * 3,
        "type": "feedback",
        "captured": "2026-11-01",
        "last_seen": "2026-11-01",
        "sources": ("observation",),
    }
    return Unit(**(fields | values))  # type: ignore[arg-type]


def judge(
    *units: Unit, kind: Kind = Kind.NOTE, days: Mapping[str, str] | None = None, disabled: str = ""
) -> list[Problem]:
    return judge_layer(units, kind, "alpha", (days or {}).get, frozenset(disabled.split()))


def told(problems: list[Problem]) -> list[tuple[str, str, str | None]]:
    return [(problem.code, problem.path.rpartition("/")[2], problem.field) for problem in problems]


A = unit("a", "Answer before background")
B = unit("b", "Answer before the background")


def test_both_of_two_like_names_are_told_each_with_the_other() -> None:
    found = judge(A, B)
    assert told(found) == [("near-duplicate", "a.md", "name"), ("near-duplicate", "b.md", "name")]
    assert "b.md" in found[0].found


def test_names_that_differ_in_signs_alone_are_told_by_another_rule() -> None:
    assert judge(A, unit("b", "Answer-before_background!")) == []


@pytest.mark.parametrize("link", ["a.md", "[[a]]", "a"])
def test_a_unit_may_be_like_the_one_that_it_replaces(link: str) -> None:
    assert judge(A, unit("b", B.name, supersedes=link)) == []
    assert judge(unit("a", A.name, superseded_by="b.md"), B) == []


TEXT = "Lead with the answer, then give the reasons for it"


def test_like_descriptions_are_told_once_where_the_names_are_not_alike() -> None:
    one, other = unit("one", description=TEXT), unit("other", description=f"{TEXT}.s")
    assert told(judge(one, other)) == [
        ("near-duplicate", "one.md", "description"),
        ("near-duplicate", "other.md", "description"),
    ]
    both = judge(unit("a", A.name, description=TEXT), unit("b", B.name, description=f"{TEXT}.s"))
    assert {problem.field for problem in both} == {"name"}


def test_short_descriptions_are_like_many() -> None:
    assert judge(unit("one", description="see the plan"), unit("other", description="see the plans")) == []


def test_the_younger_of_two_with_the_same_sources_is_told() -> None:
    sources = ("conversation_2026-05-06", "raw/report.md", "observation")
    found = judge(unit("new", sources=sources, captured="2026-11-02"), unit("old", sources=sources))
    assert told(found) == [("overlapping-sources", "new.md", "sources")]
    assert "old.md" in found[0].found


@pytest.mark.parametrize(
    "sources",
    [
        (("observation", "x"), ("observation", "y")),
        (("conversation_2026-05-06",), ("conversation_2026-05-06",)),
        (("a.md", "b.md"), ("a.md", "b.md", "c.md", "d.md", "e.md")),
    ],
)
def test_what_many_share_or_one_day_or_a_small_part_is_no_overlap(
    sources: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    assert judge(unit("one", sources=sources[0]), unit("other", sources=sources[1])) == []


def test_units_of_two_types_or_of_one_line_may_share_their_sources() -> None:
    sources = ("a.md", "b.md")
    assert judge(unit("one", sources=sources), unit("other", sources=sources, type="user")) == []
    assert judge(unit("one", sources=sources), unit("other", sources=sources, supersedes="one.md")) == []


def test_a_source_that_a_whole_layer_names_says_nothing() -> None:
    units = [unit(f"n{number}", sources=("a.md", "b.md")) for number in range(30)]
    assert "overlapping-sources" not in {problem.code for problem in judge(*units)}


def test_a_secret_among_the_sources_is_not_shown() -> None:
    key = "ghp_" + "a1B2" * 9
    (found,) = judge(unit("one", sources=(key, "b.md")), unit("two", sources=(key, "b.md")))
    assert key not in found.found


PAGE = "alpha/wiki/debt.md"


def page(**values: object) -> Unit:
    return unit("debt", path=PAGE, type="wiki_page", sources=("raw/report.md#part", "raw/gone.md"), **values)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({"alpha/raw/report.md": "2026-11-02", PAGE: "2026-11-01"}, ["source-newer"]),
        ({"alpha/raw/report.md": "2026-11-01", PAGE: "2026-10-01"}, []),
        ({"alpha/raw/report.md": "2026-11-02", PAGE: "2026-11-02"}, []),
        ({PAGE: "2026-11-01"}, []),
    ],
)
def test_a_page_older_than_its_source_is_told(days: Mapping[str, str], expected: list[str]) -> None:
    assert [problem.code for problem in judge(page(), kind=Kind.WIKI, days=days)] == expected


def test_notes_have_no_raw_sources_to_be_older_than() -> None:
    days = {"alpha/raw/report.md": "2027-01-01"}
    assert judge(unit("a", sources=("raw/report.md",)), days=days) == []


def test_a_source_outside_of_raw_is_told_by_another_rule() -> None:
    assert (
        judge(
            unit("a", path=PAGE, sources=("../beta/raw/x.md",)),
            kind=Kind.WIKI,
            days={"beta/raw/x.md": "2027-01-01"},
        )
        == []
    )


def test_a_silenced_code_is_not_told() -> None:
    assert judge(A, B, disabled="near-duplicate") == []
