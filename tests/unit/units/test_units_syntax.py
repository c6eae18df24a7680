from __future__ import annotations

import pytest

from unit.units.samples import note, only, verdict


@pytest.mark.parametrize(
    ("value", "column", "reason", "quote"),
    [
        ("Rule: always do X", 18, "an unquoted `: ` in the value of `description`", '"'),
        ('Posters with "weight": 1 hang: first', 35, "an unquoted `: ` in the value of `description`", "'"),
        ("@sam said", 14, "`@` may not begin an unquoted value", '"'),
        ("`code` first", 14, "a backtick may not begin an unquoted value", '"'),
        ("[WIP] thing", 20, "`[` begins a list in YAML", '"'),
        ("%foo", 14, "`%` may not begin an unquoted value", '"'),
        ("| pipe", 16, "`|` begins a block of text in YAML", '"'),
        ("> quote", 16, "`>` begins a block of text in YAML", '"'),
        ('"quoted" then more', 23, "the value ends at its second quote and goes on after it", "'"),
        ("'quoted' then more", 23, "the value ends at its second quote and goes on after it", '"'),
        ("{a} b", 18, "`{` begins a mapping in YAML", '"'),
        ("- item", 14, "`-` begins a list item in YAML", '"'),
    ],
)
def test_an_unquoted_value_is_told_with_column_reason_and_the_quotes_to_use(
    value: str, column: int, reason: str, quote: str
) -> None:
    problem = only(verdict(note(description=value)), "yaml-syntax")
    assert (problem.field, problem.line) == ("description", 4)
    assert problem.found == f"column {column}: {reason}"
    assert problem.fix == f"Put the whole value in quotes: `description: {quote}…{quote}`."


def test_a_tab_as_indentation_is_told() -> None:
    problem = only(verdict(note(sources="\n\t- observation")), "yaml-syntax")
    assert (problem.line, problem.found) == (9, "column 1: a tab where blanks have to indent")
    assert "blanks" in problem.fix


def test_a_tab_behind_the_colon_is_fine() -> None:
    assert verdict(note().replace(b"name: ", b"name:\t")).problems == ()


@pytest.mark.parametrize("quote", ["'", '"'])
def test_an_open_quote_is_told_where_it_begins(quote: str) -> None:
    problem = only(verdict(note(description=f"{quote}never closed")), "yaml-syntax")
    assert (problem.line, problem.found) == (4, "column 14: a quote that is never closed")


def test_a_backslash_in_double_quotes_is_told() -> None:
    problem = only(verdict(note(description=r'"C:\path"')), "yaml-syntax")
    assert problem.found == "column 17: a backslash that begins no escape"
    assert "single quotes" in problem.fix


def test_a_line_without_a_key_is_told_and_a_body_that_runs_in_is_recognised() -> None:
    data = b"---\nschema_version: 1\nname: x\n\nThe body begins here\nand goes on.\n\n---\n"
    problem = only(verdict(data), "yaml-syntax")
    assert problem.line in {5, 6}
    assert problem.fix == "Close the frontmatter with `---` before line 4 if the text begins there."


def test_wrong_indentation_is_told_with_its_line() -> None:
    problem = only(verdict(note(tags="\n  - a\n - b")), "yaml-syntax")
    assert problem.line == 12
    assert "indentation" in problem.fix


@pytest.mark.parametrize(
    ("blank", "name"), [("\u00a0", "U+00A0"), ("\u200b", "U+200B"), ("\u3000", "U+3000")]
)
def test_an_invisible_character_behind_a_colon_is_pointed_at(blank: str, name: str) -> None:
    problem = only(verdict(note().replace(b"name: Answer", f"name:{blank} Answer".encode())), "yaml-syntax")
    assert problem.line == 3
    assert problem.found.startswith(f"the invisible {name} in `name:")
    assert name in problem.fix


def test_an_invisible_character_before_a_line_is_pointed_at_where_yaml_stops() -> None:
    problem = only(verdict(note(sources="\n\u00a0 - observation")), "yaml-syntax")
    assert (problem.line, problem.found[:20]) == (9, "the invisible U+00A0")


def test_a_quoted_text_with_a_blank_that_is_no_blank_is_fine() -> None:
    assert verdict(note(description='"a\u00a0b\u3000c"')).problems == ()


def test_what_was_found_stays_short_for_long_lines() -> None:
    problem = only(verdict(note(**{"k" * 200: "a: b: c"})), "yaml-syntax")
    assert len(problem.found) <= 80


def test_undefined_tag_handles_are_yaml_faults() -> None:
    assert "tag" in only(verdict(note(description="!foo!bar x")), "yaml-syntax").found


def test_a_quoted_key_is_told_without_its_name() -> None:
    problem = only(verdict(note(**{'"my key"': "a: b"})), "yaml-syntax")
    assert (problem.field, problem.found) == (None, "column 12: an unquoted `: `")
    assert problem.fix == "Put the value in quotes."
