"""Relative links in a text that lead nowhere."""

from __future__ import annotations

import pytest

from atomic_agents.lint.links import judge_links

FILES = {"alpha/memory/feedback_a_rule.md", "alpha/raw/my report.pdf", "alpha/wiki", "shared/x.md"}
PATH = "alpha/memory/user_b_note.md"


def lines(text: str) -> list[int | None]:
    return [fault.line for fault in judge_links(PATH, text, FILES.__contains__)]


@pytest.mark.parametrize(
    "text",
    [
        "[a](feedback_a_rule.md)",
        "[a](./feedback_a_rule.md#part)",
        "[a](../raw/my%20report.pdf)",
        "[a](<../raw/my report.pdf>)",
        "[a](../wiki/)",
        "[a](../../shared/x.md)",
        "[a](https://example.org/gone.md) [b](mailto:x@example.org) [c](#part) [d](/etc/passwd)",
        "[a](../../../outside.md)",
        "[[gone]]",
        "`[a](gone.md)` and\n```\n[a](gone.md)\n```\n<!-- [a](gone.md) -->",
        "gone.md (see there)",
    ],
)
def test_a_link_that_holds_or_is_none_of_ours_is_fine(text: str) -> None:
    assert lines(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n[a](gone.md)", [2]),
        ("[a](gone.md) [b](feedback_a_rule.md) [c](sub/feedback_a_rule.md)", [1, 1]),
        ("![a](gone.png)", [1]),
        ("x\n\n[a]: gone.md", [3]),
        ("[a](feedback_a_rule.md/x)", [1]),
    ],
)
def test_a_link_that_leads_nowhere_is_told_with_its_line(text: str, expected: list[int]) -> None:
    assert lines(text) == expected


def test_a_name_that_no_file_system_takes_is_not_there(tmp_path):
    import datetime as dt

    from atomic_agents._schema import SchemaSet
    from atomic_agents.lint import Linting
    from atomic_agents.units import Limits
    from atomic_agents.vault.kinds import Layout

    linting = Linting(tmp_path, Layout(), SchemaSet.packaged(), Limits(), dt.date(2026, 12, 1))
    (problem,) = linting.judge(Layout().place("a/persona/NOTES.md"), b"[x](a%00b.md)\n")
    assert problem.code == "body-link"
