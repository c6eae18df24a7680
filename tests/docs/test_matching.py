"""The comparison itself: it sees differences, and only those that matter."""

from __future__ import annotations

import pytest

from pages.matching import difference
from pages.parsing import blocks_of

SHOWN = ("19:03:05  ✓ watching    /home/you/vault", "…", "19:03:05  ✓ ready       7 notes and pages")


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (
            SHOWN,
            (
                "01:00:00  ✓ watching    /home/you/vault",
                "x",
                "y",
                "01:00:01  ✓ ready       7 notes and pages",
            ),
        ),
        (SHOWN, ("01:00:00  ✓ watching    /home/you/vault", "01:00:01  ✓ ready       7 notes and pages")),
        (("kept: show 3905b895",), ("kept: show 0123abcd",)),
        (("blocked in 9.5 s",), ("blocked in 9.2 s",)),
        (("a … z",), ("a b c z",)),
        (("ready",), ("            2 warnings; atomicd lint shows them", "ready")),
    ],
)
def test_times_hashes_and_what_is_left_out_may_differ(shown, printed):
    assert difference(shown, printed) == ""


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (SHOWN, ("01:00:00  ✓ watching    /home/you/vault", "01:00:01  ✓ ready       8 notes and pages")),
        (("a",), ("a", "b")),
        (("a", "b"), ("a",)),
        (("a.c",), ("abc",)),
        (("a … z",), ("a b c",)),
    ],
)
def test_other_differences_are_seen(shown, printed):
    assert difference(shown, printed)


def test_a_background_command_may_have_printed_more():
    assert difference(("a",), ("a", "b"), whole=False) == ""
    assert difference(("b",), ("a", "b"), whole=False)


def test_a_session_is_read_with_comments_continued_lines_and_output(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- exit: 1 -->\n```console\n$ one <<E\n> two\n> E\nsaid\n$ three\n```\n\ntext\n\n```text\nx\n```\n"
    )
    session, other = blocks_of(page)
    assert session.asks == {"exit": "1"}
    assert other.asks == {}
    first, second = session.commands()
    assert (first.text, first.output) == ("one <<E\ntwo\nE", ("said",))
    assert second.text == "three"
