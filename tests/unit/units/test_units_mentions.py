from __future__ import annotations

import pytest

from atomic_agents.units.mentions import Mentions, visible_lines

PATH = "alpha/memory/feedback_x_rule.md"


def _names(
    text: str, *, index: str = "alpha/memory/INDEX.md", path: str = PATH, title: str = "The rule"
) -> bool:
    mentions = Mentions()
    mentions.add(index, text)
    return mentions.name(path, title)


@pytest.mark.parametrize(
    "text",
    [
        "- [Title](feedback_x_rule.md) — hook\n",
        "* [a [b] c](./feedback_x_rule.md)\n",
        "See [x](<feedback_x_rule.md>) and more\n",
        '[x](feedback_x_rule.md "title")\r\n',
        "| [x](feedback_x_rule.md#part) | y |\n",
        "[x](feedback%5Fx%5Frule.md)\n",
        "[x](../memory/feedback_x_rule.md)\n",
        "[x]: feedback_x_rule.md\n",
        "- [[feedback_x_rule]]\n",
        "- [[feedback_x_rule|Title]] — hook\n",
        "- [[memory/feedback_x_rule.md]]\n",
        "- `The rule` — hook\n",
        "1. **`The rule`** — hook\n",
        "<!-- note --> [x](feedback_x_rule.md)\n",
        "text <!-- [x](feedback_x_rule.md)\n",
        "```\ncode\n```\n[x](feedback_x_rule.md)\n",
        "<!--\nhidden\n-->\n[x](feedback_x_rule.md)\n",
    ],
)
def test_a_unit_is_named_by_any_link_or_title(text: str) -> None:
    assert _names(text)


@pytest.mark.parametrize(
    "text",
    [
        "- [Title](feedback_y_rule.md) — feedback_x_rule.md\n",
        "- feedback_x_rule.md\n",
        "```\n[x](feedback_x_rule.md)\n```\n",
        "~~~~\n```\n[x](feedback_x_rule.md)\n~~~~\n",
        "```\nunclosed\n[x](feedback_x_rule.md)\n",
        "<!-- [x](feedback_x_rule.md) -->\n",
        "<!--\n[x](feedback_x_rule.md)\n-->\n",
        "<!--\n[x](feedback_x_rule.md)\n",
        "[x](https://example.org/feedback_x_rule.md)\n",
        "[x](archive/feedback_x_rule.md)\n",
        "- `Another rule` — hook\n",
        "`The rule` in prose\n",
        "- [[#part]]\n",
    ],
)
def test_a_unit_is_not_named_by_prose_fences_and_comments(text: str) -> None:
    assert not _names(text)


def test_file_names_compare_in_nfc() -> None:
    assert _names("[x](feedback_café_rule.md)", path="alpha/memory/feedback_cafe\u0301_rule.md")


def test_links_of_an_index_in_a_folder_are_read_from_there() -> None:
    assert _names("[x](y_z.md)", index="alpha/memory/old/INDEX.md", path="alpha/memory/old/y_z.md")
    assert not _names("[x](y_z.md)", index="alpha/memory/old/INDEX.md", path="alpha/memory/y_z.md")


def test_targets_with_blanks_and_brackets_are_read() -> None:
    assert _names("[x](<a b (1).md>)", path="alpha/memory/a b (1).md")
    assert _names(r"[x](a\(1\).md)", path="alpha/memory/a(1).md")
    assert _names("[x](a(1).md)", path="alpha/memory/a(1).md")


def test_a_unit_without_a_known_name_is_named_by_file_alone() -> None:
    assert not _names("- `` — hook\n", title="")


def test_lines_are_split_at_lf_alone() -> None:
    assert list(visible_lines("a\u2028b\r\nc")) == ["a\u2028b", "c"]
