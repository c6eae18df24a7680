from __future__ import annotations

import pytest

from atomic_agents.units import read
from atomic_agents.units.fences import Fences, find_fences
from unit.units.samples import codes, note, only, verdict


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\n---\nbody\n",
        "--- \t\na: 1\n---  \nbody\n",
        "---\r\na: 1\r\n---\r\nbody\r\n",
        "---\na: 1\n---",
        "---\na: 1\n--- ",
    ],
)
def test_a_fence_is_three_hyphens_with_blanks_behind_at_most(text: str) -> None:
    found = find_fences(text)
    assert isinstance(found, Fences)
    assert text[found.start : found.end].strip() == "a: 1"
    assert text[found.body :].strip() in {"body", ""}


def test_the_next_line_of_three_hyphens_closes_the_frontmatter() -> None:
    reading = read(b"---\na: 1\n---\ntext\n\n---\n\nmore\n")
    assert reading.meta == {"a": 1}
    assert reading.body == "text\n\n---\n\nmore\n"


@pytest.mark.parametrize(
    ("data", "found", "fix"),
    [
        (b"", "an empty file", "Begin the file"),
        (b" \n\n", "a blank file", "Begin the file"),
        (b"# Title\n", '"# Title"', "Begin the file"),
        (b"----\na: 1\n----\n", '"----"', "exactly three hyphens"),
        ("\u2014\u2014\u2014\na: 1\n".encode(), '"\u2014\u2014\u2014"', "exactly three hyphens"),
        (b"--- yaml\na: 1\n---\n", '"--- yaml"', "alone on the first line"),
        (b" ---\na: 1\n---\n", "an indented `---`", "Delete the blanks"),
        (b"\n\n---\na: 1\n---\n", "`---` on line 3, blank lines before it", "Delete the lines above"),
        (
            "\u200b---\na: 1\n---\n".encode(),
            "an invisible U+200B before `---`",
            "Delete the invisible U+200B",
        ),
        (b"+++\na = 1\n+++\n", '"+++"', "TOML is not read"),
        (b'{"a": 1}\n', '"{"a": 1}"', "JSON without them is not read"),
        (b"```yaml\n---\na: 1\n---\n```\n", '"```yaml"', "code fence"),
        (b"---\rschema_version: 1\r---\rbody\r", "line ends of CR alone", "LF or CR LF"),
    ],
)
def test_a_missing_fence_is_told_apart_from_its_look_alikes(data: bytes, found: str, fix: str) -> None:
    problem = only(verdict(data), "frontmatter-missing")
    assert problem.found == found
    assert fix in problem.fix


@pytest.mark.parametrize(
    ("end", "found", "line"),
    [
        ("", "no second line `---`", 1),
        ("...\n\nbody\n", "`...` on line 3", 3),
        ("----\nbody\n", "`----` on line 3", 3),
        ("  ---\nbody\n", "an indented `---` on line 3", 3),
        ("\u2013\u2013\u2013\n", "`\u2013\u2013\u2013` on line 3", 3),
    ],
)
def test_a_missing_closing_fence_is_named_with_its_near_miss(end: str, found: str, line: int) -> None:
    problem = only(verdict(f"---\nname: x\n{end}".encode()), "frontmatter-unclosed")
    assert (problem.found, problem.line) == (found, line)


def test_a_file_that_is_only_the_opening_fence_is_unclosed() -> None:
    assert "frontmatter-unclosed" in codes(verdict(b"---"))
    assert "frontmatter-unclosed" in codes(verdict(b"---\n"))


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("", "empty frontmatter"),
        ("# only a comment\n", "only comments"),
        ("- a\n- b\n", "a list of 2"),
        ("plain words\n", '"plain words"'),
        ("12\n", "12"),
    ],
)
def test_frontmatter_that_is_no_mapping_is_told_by_what_it_is(block: str, found: str) -> None:
    problem = only(verdict(f"---\n{block}---\nbody\n".encode()), "frontmatter-not-mapping")
    assert problem.found == found


def test_an_invisible_blank_behind_the_only_key_is_pointed_at() -> None:
    problem = only(verdict("---\nname:\u00a0x\n---\n".encode()), "frontmatter-not-mapping")
    assert "U+00A0" in problem.fix


def test_the_body_is_measured_in_bytes_behind_the_closing_fence() -> None:
    assert read("---\nname: é\n---\n\néé\n".encode()).body_bytes == 6
    assert read(b"\xef\xbb\xbf---\na: 1\n---\nxy").body_bytes == 2
    assert read(b"no frontmatter").body_bytes == 14


def test_crlf_and_missing_final_newline_are_valid_and_kept() -> None:
    data = note().replace(b"\n", b"\r\n").rstrip(b"\r\n")
    judged = verdict(data)
    assert judged.is_valid
    assert judged.problems == ()
