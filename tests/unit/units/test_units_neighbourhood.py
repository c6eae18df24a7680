from __future__ import annotations

import pytest

from atomic_agents.units import Limits, name_key
from unit.units.samples import NOTE_PATH, PAGE_PATH, FakeNeighbours, codes, note, only, page, unit, verdict

OTHER = "alpha/memory/feedback_other_rule.md"
THIRD = "alpha/memory/feedback_third_rule.md"


def _judged(neighbours: FakeNeighbours, **changes: str) -> list[str]:
    return codes(verdict(note(**changes), neighbours=neighbours))


@pytest.mark.parametrize(
    "link",
    [
        "feedback_other_rule.md",
        "feedback_other_rule",
        "[[feedback_other_rule]]",
        "[[feedback_other_rule|The other]]",
        "memory/feedback_other_rule.md",
        "../memory/feedback_other_rule.md",
        "alpha/memory/feedback_other_rule.md",
        "/memory/feedback_other_rule.md",
        "feedback_other_rule.md#section",
        "persona/USER.md#communication",
        "feedback_deep_rule.md",
        "debt_methods.md",
    ],
)
def test_a_link_is_found_beside_in_both_layers_at_the_roots_and_by_its_name(link: str) -> None:
    files = [
        OTHER,
        "alpha/persona/USER.md",
        "alpha/memory/sub/feedback_deep_rule.md",
        "alpha/wiki/debt_methods.md",
    ]
    assert _judged(FakeNeighbours(*files), superseded_by=f'"{link}"') == []


@pytest.mark.parametrize(
    "link",
    [
        "feedback_gone_rule.md",
        "../../../etc/passwd",
        "..",
        ".",
        "sub/feedback_other_rule.md",
        "beta/memory/x.md",
        "#part",
    ],
)
def test_a_link_to_no_file_is_a_warning(link: str) -> None:
    neighbours = FakeNeighbours(OTHER, "alpha/memory/x/sub/other.md")
    judged = verdict(page(related=f'["{link}"]'), PAGE_PATH, neighbours=neighbours)
    missing = [problem.field for problem in judged.problems if problem.code == "link-missing"]
    assert missing == ["related"]


@pytest.mark.parametrize("field", ["supersedes", "superseded_by"])
def test_a_missing_target_is_named_with_its_field_and_line(field: str) -> None:
    problem = only(
        verdict(note(**{field: "feedback_gone_rule.md"}), neighbours=FakeNeighbours()), "link-missing"
    )
    assert (problem.field, problem.line, problem.found) == (field, 10, "`feedback_gone_rule.md`")


def test_every_missing_related_file_is_a_warning_of_its_own() -> None:
    judged = verdict(
        page(related="[a.md, b.md, '']"), PAGE_PATH, neighbours=FakeNeighbours("alpha/raw/report.md")
    )
    assert [problem.found for problem in judged.problems] == ["`a.md`", "`b.md`"]


def test_notes_do_not_have_related_files_judged_unless_they_are_a_list_of_text() -> None:
    assert _judged(FakeNeighbours(), related="5") == []


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ({"superseded_by": "feedback_answer_first.md"}, []),
        ({"superseded_by": "[[feedback_answer_first]]"}, []),
        ({}, ["supersede-mismatch"]),
        ({"superseded_by": "feedback_third_rule.md"}, ["supersede-mismatch"]),
        ({"superseded_by": "persona/USER.md"}, ["supersede-mismatch"]),
    ],
)
def test_the_older_file_has_to_name_the_newer(theirs: dict[str, str], expected: list[str]) -> None:
    neighbours = FakeNeighbours(NOTE_PATH, THIRD, units=[unit(OTHER, **theirs)])
    assert _judged(neighbours, supersedes="feedback_other_rule.md") == expected


def test_the_newer_file_has_to_name_the_older() -> None:
    neighbours = FakeNeighbours(NOTE_PATH, units=[unit(OTHER)])
    problem = only(
        verdict(note(superseded_by="feedback_other_rule.md"), neighbours=neighbours), "supersede-mismatch"
    )
    assert problem.found == "supersedes: nothing in feedback_other_rule.md"
    assert "Write `supersedes: feedback_answer_first.md` into feedback_other_rule.md" in problem.fix


def test_promotion_to_a_persona_file_and_an_invalid_counterpart_are_no_mismatch() -> None:
    assert _judged(FakeNeighbours("alpha/persona/USER.md"), superseded_by="persona/USER.md") == []
    assert _judged(FakeNeighbours(OTHER), superseded_by="feedback_other_rule.md") == []


def test_a_unit_that_supersedes_itself_is_a_cycle() -> None:
    neighbours = FakeNeighbours(units=[unit(NOTE_PATH, superseded_by="feedback_answer_first.md")])
    assert _judged(neighbours, superseded_by="feedback_answer_first.md") == ["supersede-cycle"]


def test_a_chain_that_leads_back_is_a_cycle() -> None:
    units = [
        unit(OTHER, superseded_by="feedback_third_rule.md"),
        unit(THIRD, superseded_by="feedback_answer_first.md"),
    ]
    neighbours = FakeNeighbours(NOTE_PATH, units=units)
    problem = only(
        verdict(note(superseded_by="feedback_other_rule.md"), neighbours=neighbours), "supersede-cycle"
    )
    assert problem.found == "`feedback_other_rule.md` leads back here"


def test_a_cycle_that_does_not_hold_the_unit_itself_ends_the_search() -> None:
    units = [
        unit(OTHER, supersedes="feedback_answer_first.md", superseded_by="feedback_third_rule.md"),
        unit(THIRD, superseded_by="feedback_other_rule.md"),
    ]
    assert _judged(FakeNeighbours(NOTE_PATH, units=units), superseded_by="feedback_other_rule.md") == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Answer before background", ["duplicate-name"]),
        ("  Answer before background ", ["duplicate-name"]),
        ("answer-before background", ["similar-name"]),
        ("Answer before\u00a0Background!", ["similar-name"]),
        ("Answer before backgrounds", []),
        ("Réponse", []),
    ],
)
def test_names_of_a_layer_are_compared(name: str, expected: list[str]) -> None:
    neighbours = FakeNeighbours(NOTE_PATH, units=[unit(OTHER, name=name)])
    assert _judged(neighbours) == expected


def test_the_unit_itself_and_other_layers_do_not_count() -> None:
    same = "Answer before background"
    units = [
        unit(NOTE_PATH, name=same),
        unit("alpha/wiki/x_y.md", name=same),
        unit("beta/memory/feedback_x_y.md", name=same),
    ]
    assert _judged(FakeNeighbours(units=units)) == []


def test_the_other_file_of_a_shared_name_is_told() -> None:
    units = [unit(THIRD, name="Answer before background"), unit(OTHER, name="Answer before background")]
    problem = only(verdict(note(), neighbours=FakeNeighbours(units=units)), "duplicate-name")
    assert (problem.field, problem.found) == ("name", "the name of feedback_other_rule.md and 1 more")


def test_names_of_signs_alone_are_not_compared() -> None:
    assert _judged(FakeNeighbours(units=[unit(OTHER, name="!!")]), name='"??"') == []


@pytest.mark.parametrize(
    ("one", "other"), [("Ａnswer", "answer"), ("Straße", "STRASSE"), ("a-b", "A b."), ("हिंदी", "हिंदी!")]
)
def test_the_key_of_a_name_drops_case_blanks_and_signs(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_the_key_of_a_name_keeps_the_marks_of_a_script() -> None:
    assert name_key("हिंदी") != name_key("हदी")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("raw/report.md", None),
        ("raw/./report.md", None),
        ("raw/sub/../report.md", None),
        ("raw/report.md#page-2", None),
        ("raw/gone.md", "`raw/gone.md`, not there"),
        ("conversation_2026-05-06", "`conversation_2026-05-06`"),
        ("raw/../memory/x.md", "`raw/../memory/x.md`"),
        ("raw", "`raw`"),
        ("/raw/report.md", "`/raw/report.md`"),
        ("../alpha/raw/report.md", None),
    ],
)
def test_a_page_has_its_sources_below_raw(source: str, found: str | None) -> None:
    neighbours = FakeNeighbours("alpha/raw/report.md")
    judged = verdict(page(sources=f"[{source}]"), PAGE_PATH, neighbours=neighbours)
    assert [problem.found for problem in judged.problems] == ([found] if found else [])


def test_pages_of_an_agent_at_the_root_have_their_raw_there() -> None:
    judged = verdict(page(), "wiki/debt_methods.md", neighbours=FakeNeighbours("raw/report.md"))
    assert judged.problems == ()


def _pinned(count: int, **changes: object) -> list[object]:
    return [
        unit(f"alpha/memory/feedback_pin_{n}.md", name=f"Pin {n}", pinned=True, **changes)
        for n in range(count)
    ]


@pytest.mark.parametrize(("others", "expected"), [(9, []), (10, ["pinned-budget"])])
def test_the_pinned_units_beyond_ten_of_a_layer_are_told(others: int, expected: list[str]) -> None:
    neighbours = FakeNeighbours(units=_pinned(others, captured="2026-01-01"))
    assert _judged(neighbours, pinned="true") == expected


def test_older_pinned_units_keep_their_place_in_the_budget() -> None:
    neighbours = FakeNeighbours(units=_pinned(10, captured="2026-11-25"))
    assert _judged(neighbours, pinned="true") == []


def test_a_unit_that_is_not_pinned_has_no_budget() -> None:
    assert _judged(FakeNeighbours(units=_pinned(20))) == []


def test_the_budget_is_configurable() -> None:
    neighbours = FakeNeighbours(units=_pinned(1, captured="2026-01-01"))
    judged = verdict(note(pinned="true"), neighbours=neighbours, limits=Limits(max_pinned=1))
    assert only(judged, "pinned-budget").found == "2 pinned units in alpha/memory"


@pytest.mark.parametrize(("indexed", "expected"), [(True, []), (False, ["not-indexed"]), (None, [])])
def test_a_valid_unit_that_no_index_names_is_told(indexed: bool | None, expected: list[str]) -> None:
    assert _judged(FakeNeighbours(indexed=indexed)) == expected


def test_an_invalid_unit_is_not_judged_among_its_neighbours() -> None:
    neighbours = FakeNeighbours(indexed=False)
    assert _judged(neighbours, confidence="High", supersedes="feedback_gone_rule.md") == ["field-enum"]
