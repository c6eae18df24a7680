"""What the agent is told (contract [Q-3]): deterministic, short, and nothing in it acts."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from atomic_agents.model import Problem
from atomic_agents.quarantine import Incident
from atomic_agents.quarantine.notice import MAX_LINES, is_edited, is_ours, render

COMMONMARK = MarkdownIt("commonmark")
PATH = "alpha/memory/feedback_x_rule.md"


def problem(path=PATH, **changes):
    value = Problem(
        path, "field-enum", "error", "certain", "high, medium or low", "Write `high`.", "confidence", 8
    )
    return dataclasses.replace(value, **changes)


def incident(number=1, *, path=PATH, problems=None, **changes):
    value = Incident(
        id=f"20260528T{number:06}Z_alpha_x_aaaaaaaa",
        path=path,
        sha256="a" * 64,
        size=4,
        mtime="2026-05-28T20:26:40.000+00:00",
        mode="0640",
        problems=problems or (problem(path),),
        first_seen="2026-05-28T20:26:40.000+00:00",
        last_seen=f"2026-05-28T20:{number // 60:02}:{number % 60:02}.000+00:00",
    )
    return dataclasses.replace(value, **changes)


def test_it_tells_file_rule_field_line_found_expected_fix_and_when():
    text = render([incident(occurrences=3, restored="b" * 64)])
    assert text.splitlines()[1] == "# Blocked writes"
    assert text.splitlines()[-3:] == [
        "## `memory/feedback_x_rule.md`",
        "Blocked 2026-05-28T20:00:01Z, 3 times; the last good version is back in its place.",
        (
            "- `field-enum` (line 8, field `confidence`): found `certain`, expected high, medium or low."
            " Fix: Write `high`."
        ),
    ]


def test_nothing_open_is_no_text():
    assert render([]) == ""


def test_the_vault_itself_can_be_the_agent():
    path = "memory/feedback_x_rule.md"
    assert "## `memory/feedback_x_rule.md`\n" in render([incident(path=path)])


def test_the_order_in_which_incidents_come_does_not_matter_and_the_newest_is_first():
    several = [incident(number, path=f"alpha/memory/feedback_{number}_x.md") for number in range(5)]
    text = render(several)
    assert text == render(several[::-1])
    assert text.index("feedback_4_x") < text.index("feedback_0_x")


@given(st.lists(st.integers(1, 30), max_size=60))
def test_it_is_never_longer_than_fifty_lines_and_tells_what_it_leaves_out(counts):
    several = [
        incident(number, path=f"alpha/memory/x_{number}.md", problems=(problem(),) * count)
        for number, count in enumerate(counts)
    ]
    lines = render(several).splitlines()
    assert len(lines) <= MAX_LINES
    told = sum(line.startswith("## ") for line in lines)
    if counts:
        assert told >= 1
    if told < len(counts):
        assert lines[-1] == f"{len(counts) - told} more are told of when these are mended."
    else:
        assert all(count <= 8 or f"- {count - 8} more problem" in "\n".join(lines) for count in counts[-1:])


NASTY = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            ["`", "``", "```\n", "\n# x\n", "<!--", "-->", "<img src=x>", "[a](b)", "![a](b)", "[[a]]", "\\", "]", "\u202e",
             "\n- [x](y.md)\n", "---\n", "&lt;", "|", "*", "_", "x", " ", "\r", "\t", "\x1b[31m", "http://x.y", "<http://x>"]
        ),
        max_size=12,
    ).map("".join),
)  # fmt: skip


@given(NASTY, NASTY, NASTY, NASTY, st.one_of(st.none(), NASTY))
def test_nothing_from_a_file_acts_as_markdown_or_html(name, found, expected, fix, field):
    path = "alpha/memory/" + (name.replace("/", "").replace("\0", "") or "x") + ".md"
    bad = problem(path, found=found, expected=expected, fix=fix, field=field)
    text = render([incident(path=path, problems=(bad,))])
    assert all(
        char.isprintable() for char in text.replace("\n", "").replace("\u00a0", "").replace("\u3000", "")
    )
    tokens = COMMONMARK.parse(text)
    opened = [token.type for token in tokens if token.type.endswith("_open") and token.level == 0]
    assert opened == ["heading_open", "paragraph_open", "heading_open", "paragraph_open", "bullet_list_open"]
    inline = [child.type for token in tokens for child in token.children or []]
    assert set(inline) <= {"text", "code_inline", "softbreak", "text_special", "em_open", "em_close", "strong_open",
                           "strong_close", "entity"}  # fmt: skip
    assert [token.content[:5] for token in tokens if token.type == "html_block"] == ["<!-- "]
    assert text.count("<!--") == 1
    assert len(text.splitlines()) == 10


@given(NASTY)
def test_a_quoted_value_can_be_read_in_full(found):
    text = render([incident(problems=(problem(found=found),))])
    shown = [
        child.content
        for token in COMMONMARK.parse(text)
        for child in token.children or []
        if child.type == "code_inline"
    ][3]
    words = "".join(found.split())
    if words.isascii() and words.isprintable() and len(found) < 150 and "<!--" not in found:
        assert "".join(shown.split()) == words


def test_a_generated_text_is_known_and_so_is_one_that_was_edited():
    text = render([incident()])
    assert is_ours(text.encode())
    assert not is_edited(text.encode())
    assert is_ours((text + "mine\n").encode())
    assert is_edited((text + "mine\n").encode())
    assert is_edited((text.rstrip("\n")).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"# mine\n", b"\xff\xfe", b"<!-- atomicd: mine -->\n", b"\n" + render([incident()]).encode()],
)
def test_a_file_that_somebody_else_made_is_not_ours(data):
    assert not is_ours(data)
    assert is_edited(data)
