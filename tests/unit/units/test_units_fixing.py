"""What `fix` mends, what it leaves to people, and that nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.units import Limits
from atomic_agents.units.decoding import BOM
from atomic_agents.units.fixing import Fix, fix
from atomic_agents.units.frontmatter import read
from atomic_agents.vault.kinds import Layout
from unit.units.samples import NOTE, NOTE_PATH, PAGE_PATH, TODAY, frontmatter, note, page


def mended(data: bytes, path: str = NOTE_PATH) -> Fix:
    return fix(
        Layout().place(path), data, schemas=SchemaSet.packaged(), today=TODAY, limits=Limits(stale_days=9999)
    )


def changed_lines(before: bytes, after: bytes) -> list[str]:
    """Return the lines of `after` that differ, where no line came or went."""
    old, new = before.decode().split("\n"), after.decode().split("\n")
    assert len(old) == len(new)
    return [line for was, line in zip(old, new, strict=True) if was != line]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Rule: always do X", '"Rule: always do X"'),
        ('Rule: say "no" first', "'Rule: say \"no\" first'"),
        ("Rule: it's his", '"Rule: it\'s his"'),
        ('It\'s a rule: say "no"', "'It''s a rule: say \"no\"'"),
        ("C:\\temp: the place", "'C:\\temp: the place'"),
        ("*important* thing", '"*important* thing"'),
        ("@sam said", '"@sam said"'),
        ("`code` first", '"`code` first"'),
        ("[WIP] thing", '"[WIP] thing"'),
        ("[x] done", '"[x] done"'),
        ("{{template}}", '"{{template}}"'),
        ("{a} b", '"{a} b"'),
        ("%foo", '"%foo"'),
        ("!important", '"!important"'),
        ("| pipe", '"| pipe"'),
        ("> quote", '"> quote"'),
        ("] odd", '"] odd"'),
        (", odd", '", odd"'),
        ('"quoted" then more', "'\"quoted\" then more'"),
        ("'quoted' then more", "\"'quoted' then more\""),
        ("- dash", '"- dash"'),
        ("when: then: and: so", '"when: then: and: so"'),
        ("Ends with a colon:", '"Ends with a colon:"'),
        ("Rule: X  # a comment, as all can see", '"Rule: X"  # a comment, as all can see'),
        ("Regel: „nie“ — 行列", '"Regel: „nie“ — 行列"'),
    ],
)
def test_a_value_that_yaml_cannot_read_is_put_in_quotes_as_it_stands(value: str, expected: str) -> None:
    before = note(description=value)
    result = mended(before)
    assert result.before.errors
    assert changed_lines(before, result.data) == [f"description: {expected}"]
    assert not result.left
    assert [(mend.first, mend.field) for mend in result.mends] == [(4, "description")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("use #tag here", '"use #tag here"'),
        ("no gap, #12 shut, #13 shut", '"no gap, #12 shut, #13 shut"'),
        ("&co stuff", '"&co stuff"'),
        ("! stop", '"! stop"'),
        ("#tag alone", '"#tag alone"'),
    ],
)
def test_text_that_yaml_drops_without_a_word_is_taken_back(value: str, expected: str) -> None:
    before = note(description=value)
    result = mended(before)
    assert changed_lines(before, result.data) == [f"description: {expected}"]
    assert not result.left


@pytest.mark.parametrize(
    "value",
    [
        "use # sharp",
        "Rule: use # sharp",
        '"never closed',
        "'tis: the season",
        "Rule: C # and D #",
    ],
)
def test_a_value_whose_end_is_not_clear_is_left_and_explained(value: str) -> None:
    before = note(description=value)
    result = mended(before)
    assert result.data == before
    assert not result.mends
    assert result.left[0].field == "description"
    assert result.left[0].fix


def test_a_comment_that_all_can_see_is_one_is_left_alone() -> None:
    before = note(description="use it  # a comment")
    assert mended(before) == Fix(mended(before).before, mended(before).before, before)


def test_several_values_of_one_file_are_mended_together() -> None:
    before = note(name="@sam: rules", description="Rule: X", confidence="high")
    result = mended(before)
    assert changed_lines(before, result.data) == ['name: "@sam: rules"', 'description: "Rule: X"']
    assert [mend.field for mend in result.mends] == ["name", "description"]


def test_one_value_that_nobody_can_tell_keeps_the_whole_file_as_it_is() -> None:
    before = note(name="@sam", description='"never closed')
    assert mended(before).data == before


def test_a_text_over_several_lines_gets_quotes_at_both_ends() -> None:
    before = note(description="Rule: always\n  do it's: X\n\n  and Y")
    result = mended(before)
    assert b'description: "Rule: always\n  do it\'s: X\n\n  and Y"\n' in result.data
    assert read(result.data).values["description"] == "Rule: always do it's: X\nand Y"


def test_apostrophes_are_doubled_where_single_quotes_come_around_a_text_over_several_lines() -> None:
    before = note(description='Rule: "always"\n  do it\'s: X')
    result = mended(before)
    assert b"description: 'Rule: \"always\"\n  do it''s: X'\n" in result.data
    assert read(result.data).values["description"] == 'Rule: "always" do it\'s: X'


def test_items_of_a_list_are_put_in_quotes() -> None:
    before = note(sources="\n  - @sam\n  - observation\n  - see: a: b")
    result = mended(before)
    assert changed_lines(before, result.data) == ['  - "@sam"', '  - "see: a: b"']
    assert read(result.data).values["sources"] == ["@sam", "observation", "see: a: b"]


def test_a_value_below_another_key_is_put_in_quotes() -> None:
    before = note(description="Rule: X", metadata="\n  note: a: b\n  text: |\n    kept: as: it is\n  by: sam")
    result = mended(before)
    assert changed_lines(before, result.data) == ['description: "Rule: X"', '  note: "a: b"']
    assert read(result.data).values["metadata"]["text"] == "kept: as: it is\n"


def test_a_mapping_in_an_unknown_list_keeps_its_keys() -> None:
    before = note(steps="\n  - do: this: now\n    by: sam")
    result = mended(before)
    assert changed_lines(before, result.data) == ['  - do: "this: now"']


def test_an_alias_that_has_its_anchor_is_no_text() -> None:
    before = note(description="Rule: X", first="&who sam", second="*who")
    result = mended(before)
    assert changed_lines(before, result.data) == ['description: "Rule: X"']
    assert read(result.data).values["second"] == "sam"


@pytest.mark.parametrize("field", ["captured", "tags", "confidence", "pinned"])
def test_quotes_do_not_come_where_they_would_make_another_error(field: str) -> None:
    before = note(**{field: "[a]: b: c"})
    result = mended(before)
    assert result.data == before
    assert result.left[0].code == "yaml-syntax"


def test_tabs_that_indent_become_blanks() -> None:
    before = note(sources="\n\t- observation\n\t- journal/2026-11-20.md")
    result = mended(before)
    assert changed_lines(before, result.data) == ["  - observation", "  - journal/2026-11-20.md"]
    assert not result.left


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-5-6", "2026-05-06"),
        ("2026/5/16", "2026-05-16"),
        ("2026.11.6", "2026-11-06"),
        ("'2026-5-6'", "'2026-05-06'"),
        ('"2026-5-6"', '"2026-05-06"'),
        ("20260506", "2026-05-06"),
        ("2026-05-06T10:00:00Z", "2026-05-06"),
        ("2026-05-06 10:00:00 +02:00", "2026-05-06"),
        ("2026-05-06T23:30:00.123+09:00", "2026-05-06"),
        ('"2026-05-06T10:00"', '"2026-05-06"'),
        ("2026-5-6  # as told", "2026-05-06  # as told"),
    ],
)
def test_a_day_in_another_form_is_written_as_a_day(value: str, expected: str) -> None:
    before = note(captured=value)
    result = mended(before)
    assert changed_lines(before, result.data) == [f"captured: {expected}"]
    assert not result.left


@pytest.mark.parametrize(
    "value", ["2026-02-30", "2026-13-1", "6.5.2026", "05/06/2026", "May 2026", "2026-05"]
)
def test_a_day_that_is_not_clear_is_left(value: str) -> None:
    before = note(captured=value)
    result = mended(before)
    assert result.data == before
    assert [(each.code, each.field) for each in result.left] == [("date-invalid", "captured")]


def test_a_wrong_day_does_not_keep_a_value_from_being_quoted() -> None:
    before = note(description="Rule: X", captured="2026-02-30")
    result = mended(before)
    assert changed_lines(before, result.data) == ['description: "Rule: X"']
    assert [each.code for each in result.left] == ["date-invalid"]


@pytest.mark.parametrize("value", ['"1"', "'1'"])
def test_the_quotes_of_a_version_go(value: str) -> None:
    before = note(schema_version=value)
    assert changed_lines(before, mended(before).data) == ["schema_version: 1"]


@pytest.mark.parametrize("value", ['"9"', "1.0", "v1", "true"])
def test_another_version_is_left(value: str) -> None:
    before = note(schema_version=value)
    assert mended(before).data == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_type_below_metadata_is_written_at_the_top_and_stays_below(newline: str) -> None:
    before = note(type=None, metadata="\n  type: feedback\n  node_type: x").replace(b"\n", newline.encode())
    result = mended(before)
    wanted = f"type: feedback{newline}metadata:".encode()
    assert result.data == before.replace(b"metadata:", wanted)
    assert not result.left


def test_a_type_that_the_file_name_denies_is_left() -> None:
    before = note(type=None, metadata="\n  type: project")
    assert mended(before).data == before


def test_a_page_takes_its_type_from_metadata_too() -> None:
    before = page(type=None, metadata="\n  type: wiki_page")
    assert b"\ntype: wiki_page\nmetadata:" in mended(before, PAGE_PATH).data


def test_a_byte_order_mark_goes() -> None:
    result = mended(BOM + note())
    assert result.data == note()
    assert [(mend.code, mend.first) for mend in result.mends] == [("bom", 1)]


@pytest.mark.parametrize(
    "opening", ["\n---\n", "\n \n\n---\n", "----\n", "\u2014\u2014\n", "  ---\n", "\u200b---\n"]
)
def test_what_was_meant_as_the_first_fence_becomes_one(opening: str) -> None:
    before = opening.encode() + note().removeprefix(b"---\n")
    assert mended(before).data == note()


@pytest.mark.parametrize("closing", ["...\n", "----\n", " ---\n", "\u2014\n", "---- \n"])
def test_what_was_meant_as_the_second_fence_becomes_one(closing: str) -> None:
    before = note().replace(b"\n---\n\nBody", b"\n" + closing.encode() + b"\nBody")
    result = mended(before)
    assert result.data == note()
    assert [(mend.code, mend.first) for mend in result.mends] == [("frontmatter-unclosed", 10)]


def test_both_fences_and_a_value_are_mended_at_once() -> None:
    before = note(description="Rule: X").replace(b"---", b"----")
    result = mended(before)
    assert result.data == note(description='"Rule: X"')
    assert [mend.first for mend in result.mends] == [1, 4, 10]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\nBody.\n",
        "# Title\n\nBody: with a colon.\n",
        "\n# Title\n\nNote: this is text\n",
        "\n- item\n- item\n",
        "\n    code\n",
        "Body at once.\n",
        "\nThe text.\n\n---\n\nMore text.\n",
        "\nname of the game: none\n",
    ],
)
def test_a_missing_second_fence_comes_behind_the_last_field(body: str) -> None:
    fields = f"---\n{frontmatter(NOTE)}"
    result = mended(f"{fields}{body}".encode())
    assert result.data == f"{fields}---\n{body}".encode()
    assert not result.left


def test_a_missing_second_fence_comes_behind_fields_that_blank_lines_part() -> None:
    fields = f"---\n{frontmatter(NOTE)}\ntags: [a]\n\n# why\npinned: true\n"
    assert mended(f"{fields}\nBody.\n".encode()).data == f"{fields}---\n\nBody.\n".encode()


def test_a_missing_second_fence_leaves_a_text_with_blank_lines_whole() -> None:
    fields = f"---\n{frontmatter(NOTE | {'description': '|'})}".replace("|\n", "|\n  one\n\n  # two\n")
    assert mended(f"{fields}\nBody.\n".encode()).data == f"{fields}---\n\nBody.\n".encode()


def test_a_file_without_final_newline_gets_its_second_fence_on_a_line_of_its_own() -> None:
    before = f"---\n{frontmatter(NOTE)}".removesuffix("\n")
    result = mended(before.encode())
    assert result.data == f"{before}\n---\n".encode()
    assert result.mends[0].first == 9


@pytest.mark.parametrize(
    "behind",
    ["Note: so it is.\nAnd goes on.\n", "# Title\nNote: text or field?\n"],
    ids=["a field or a sentence", "a heading or a comment"],
)
def test_a_second_fence_whose_place_is_not_clear_is_left_to_people(behind: str) -> None:
    before = f"---\n{frontmatter(NOTE)}{behind}".encode()
    result = mended(before)
    assert result.data == before
    assert [each.code for each in result.left] == ["frontmatter-unclosed"]


@pytest.mark.parametrize(
    "text",
    ["", "Just text.\n", "-----\n\nA rule, then text.\n", "---\n", "---\n\nText.\n", "+++\nname = 1\n+++\n"],
)
def test_a_text_without_fields_gets_no_frontmatter(text: str) -> None:
    assert mended(text.encode()).data == text.encode()


@pytest.mark.parametrize(
    "data",
    [
        note().replace(b"Answer", b"Antw\xf6rt"),
        note() + b"\0",
        note(description="Rule: X", body="\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"),
        note(schema_version="9", captured="2026-5-6"),
        note(description="Rule: X", body="x" * (1 << 20)),
    ],
    ids=["not utf-8", "nul", "conflict", "newer version", "too large"],
)
def test_files_that_only_their_owner_can_mend_are_not_touched(data: bytes) -> None:
    result = mended(data)
    assert result.data == data
    assert result.left


def test_a_conflict_copy_is_not_touched() -> None:
    data = note(captured="2026-5-6")
    path = "alpha/memory/feedback_answer_first.sync-conflict-20260512-101500-ABCDEFG.md"
    assert mended(data, path).data == data


def test_a_valid_file_with_other_warnings_is_not_touched() -> None:
    data = note(name="x" * 90, captured="2026-12-24", last_seen="2026-11-20")
    result = mended(data)
    assert {each.code for each in result.before.problems} == {"name-long", "dates-order"}
    assert result.data == data


def test_errors_that_could_not_be_seen_before_are_told_after() -> None:
    result = mended(note(description="Rule: X", captured=None, confidence="sure"))
    assert [each.code for each in result.mends] == ["yaml-syntax"]
    assert {each.code for each in result.left} == {"field-missing", "field-enum"}


def test_very_long_frontmatter_is_left_to_people() -> None:
    before = note(**{"description": "Rule: X", **{f"k{number}": "1" for number in range(400)}})
    assert mended(before).data == before


@pytest.mark.shared
def test_every_value_of_the_reported_case_is_mended(shared: Path) -> None:
    case = json.loads((shared / "cases" / "YM16" / "case.json").read_text("utf-8"))
    for step in case["steps"]:
        result = mended(step["text"].encode(), step["path"])
        line = next(line for line in step["text"].split("\n") if line.startswith("description: "))
        assert result.after.is_valid
        assert not result.left
        assert read(result.data).values["description"] == line.removeprefix("description: ")
