"""Links that follow a file to its new name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.index.relinking import Renames, relink

OLD = "alpha/memory/old-rule.md"
RENAMES = Renames({OLD: "feedback_old_rule.md"})


def relinked(text: str, folder: str = "alpha/memory") -> str:
    return relink(text, folder, RENAMES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](old-rule.md)", "[a](feedback_old_rule.md)"),
        ('[a](./old-rule.md#top "t")', '[a](./feedback_old_rule.md#top "t")'),
        ("[a](<old-rule.md>)", "[a](<feedback_old_rule.md>)"),
        ("[a](old%2Drule.md)", "[a](feedback_old_rule.md)"),
        ("[[old-rule]]", "[[feedback_old_rule]]"),
        ("[[old-rule.md|Rule]]", "[[feedback_old_rule.md|Rule]]"),
        ("[[old-rule#top]]", "[[feedback_old_rule#top]]"),
        ("[[memory/old-rule ]]", "[[memory/old-rule ]]"),
        ("[a]: old-rule.md", "[a]: feedback_old_rule.md"),
        (
            "[a](old-rule.md) and [b](old-rule.md)\r",
            "[a](feedback_old_rule.md) and [b](feedback_old_rule.md)\r",
        ),
        ("![a](old-rule.md)", "![a](feedback_old_rule.md)"),
    ],
)
def test_a_link_follows_in_its_own_form(before: str, after: str) -> None:
    assert relinked(f"one\n{before}\ntwo") == f"one\n{after}\ntwo"


@pytest.mark.parametrize(
    "text",
    [
        "[a](other.md)",
        "[a](sub/old-rule.md)",
        "[a](https://example.org/old-rule.md)",
        "[a](/old-rule.md)",
        "`[a](old-rule.md)`",
        "```\n[a](old-rule.md)\n```",
        "<!-- [a](old-rule.md) -->",
        "<!--\n[a](old-rule.md)\n--> [a](old-rule.md)",
        "old-rule.md",
        "[old-rule.md](x.md)",
    ],
)
def test_other_links_code_comments_and_plain_words_stay(text: str) -> None:
    assert relinked(text) == text


def test_a_link_follows_from_another_folder() -> None:
    assert relinked("[a](../memory/old-rule.md)", "alpha/wiki") == "[a](../memory/feedback_old_rule.md)"
    assert relinked("[[old-rule]]", "alpha/wiki") == "[[feedback_old_rule]]"
    assert relinked("[a](old-rule.md)", "alpha/wiki") == "[a](old-rule.md)"


def test_a_bare_name_that_two_files_share_is_left_to_people() -> None:
    both = Renames({OLD: "feedback_old_rule.md", "alpha/memory/sub/old-rule.md": "feedback_old_rule.md"})
    assert relink("[[old-rule]]", "alpha/wiki", both) == "[[old-rule]]"
    assert relink("[[old-rule]]", "alpha/memory", both) == "[[feedback_old_rule]]"


def test_a_name_with_blanks_is_written_so_that_the_link_holds() -> None:
    renames = Renames({"a/memory/old note.md": "feedback_ol d.md"})
    assert relink("[a](old%20note.md)", "a/memory", renames) == "[a](feedback_ol%20d.md)"


@given(st.text("[]()ab`<!->#|.md old-rule\n\r\\%2D", max_size=80))
def test_whatever_the_text_only_old_names_change(text: str) -> None:
    mask = "\0"
    after = relinked(text)
    for name in ("feedback_old_rule", "old-rule", "old%2Drule"):
        after, text = after.replace(name, mask), text.replace(name, mask)
    assert after == text
