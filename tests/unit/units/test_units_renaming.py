"""The file name that a unit should have, where that is beyond doubt."""

from __future__ import annotations

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.units.renaming import better_name
from atomic_agents.vault.kinds import Layout


def better(name: str, told: object = "feedback", layer: str = "memory") -> str | None:
    return better_name(Layout().place(f"alpha/{layer}/sub/{name}"), told, SchemaSet.packaged())


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("answer-first.md", "feedback", "feedback_answer_first.md"),
        ("answer first.md", "feedback", "feedback_answer_first.md"),
        ("feedback-answer-first.md", "feedback", "feedback_answer_first.md"),
        ("feedback_stamp-then-post.md", "feedback", "feedback_stamp_then_post.md"),
        ("feedback__answer__first_.md", "feedback", "feedback_answer_first.md"),
        ("feedback \u2014 answer\u2013first.md", "feedback", "feedback_answer_first.md"),
        ("project_session_2026-03-15.md", "project", "project_session_2026_03_15.md"),
        ("decision-2026-q3-income.md", "decision", "decision_2026-q3_income.md"),
        ("decision-2026-income.md", "decision", "decision_2026_income.md"),
        ("2026-07-13_記録の整理.md", "project", "project_2026_07_13_記録の整理.md"),
        ("cafe\u0301-rules.md", "user", "user_café_rules.md"),
        ("हिन्दी-नियम.md", "user", "user_हिन्दी_नियम.md"),
    ],
)
def test_a_note_gets_its_type_and_underscores(name: str, told: str, expected: str) -> None:
    assert better(name, told) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("feedback_answer_first.md", "feedback"),
        ("project_answer_first.md", "feedback"),
        ("project-answer-first.md", "feedback"),
        ("Answer-First.md", "feedback"),
        ("answer-first!.md", "feedback"),
        ("answer.first.md", "feedback"),
        ("answer-first.md", "lesson"),
        ("answer-first.md", None),
        ("answer-first.md", ["feedback"]),
        ("feedback.md", "feedback"),
        ("-.md", "feedback"),
        ("answer-first.MD", "feedback"),
    ],
)
def test_a_name_that_is_right_or_not_beyond_doubt_stays(name: str, told: object) -> None:
    assert better(name, told) is None


def test_a_page_needs_no_type() -> None:
    assert better("debt-payoff methods.md", None, "wiki") == "debt_payoff_methods.md"
    assert better("tax-strategy-2027.md", "wiki_page", "wiki") == "tax_strategy_2027.md"
    assert better("Debt-Methods.md", "wiki_page", "wiki") is None
