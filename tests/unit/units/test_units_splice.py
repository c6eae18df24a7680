from __future__ import annotations

import datetime as dt
import enum
from decimal import Decimal
from typing import Any

import pytest

from atomic_agents.units import REMOVED, SpliceError, read, rewrite, splice, write_meta

DOCUMENT = """---
# keep me
schema_version: 1   # v
name: "Sample rule"
description: 'it works'

# about zeta
zeta:   # nothing yet
sources: # where from
  # the first
  - observation  # seen
  - "journal/2026-05-06.md"

tags: [a, b]  # flow
text: |  # header
  one
  two

folded: >-
  one
  two
nested:
  a: 1
  b: 2
long: one
  two
last: x
# the end
---

    indented body  \t

no final newline"""


def _changed(**changes: Any) -> str:
    return splice(DOCUMENT.encode(), changes).decode()


def _edited(*replacements: tuple[str, str]) -> str:
    text = DOCUMENT
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("field", "value", "old", "new"),
    [
        ("schema_version", 2, "schema_version: 1   # v", "schema_version: 2   # v"),
        ("name", "Other", '"Sample rule"', '"Other"'),
        ("name", 'A "b"', '"Sample rule"', "'A \"b\"'"),
        ("name", True, '"Sample rule"', "true"),
        ("description", "it's", "'it works'", "'it''s'"),
        ("description", "one\ntwo", "'it works'", '"one\\ntwo"'),
        ("zeta", "there", "zeta:   # nothing yet", "zeta: there   # nothing yet"),
        ("zeta", [1], "zeta:   # nothing yet\n", "zeta:   # nothing yet\n  - 1\n"),
        (
            "sources",
            ["observation", "journal/2026-05-06.md", "raw/x.md"],
            '06.md"\n',
            '06.md"\n  - raw/x.md\n',
        ),
        (
            "sources",
            ["raw/x.md", "observation", "journal/2026-05-06.md"],
            "  - observation",
            "  - raw/x.md\n  - observation",
        ),
        ("sources", ["journal/2026-05-06.md"], "  - observation  # seen\n", ""),
        ("sources", ["observation"], '  - "journal/2026-05-06.md"\n', ""),
        ("sources", ["observation", "x"], '"journal/2026-05-06.md"', "x"),
        (
            "sources",
            ["x", "y"],
            ' # where from\n  # the first\n  - observation  # seen\n  - "journal/2026-05-06.md"\n',
            "  # where from\n  - x\n  - y\n",
        ),
        (
            "sources",
            [],
            ' # where from\n  # the first\n  - observation  # seen\n  - "journal/2026-05-06.md"\n',
            " []  # where from\n",
        ),
        (
            "sources",
            "x",
            ' # where from\n  # the first\n  - observation  # seen\n  - "journal/2026-05-06.md"\n',
            " x  # where from\n",
        ),
        ("tags", ["a", "b", "c d"], "[a, b]", "[a, b, c d]"),
        ("tags", ["on", "2026-01-01"], "[a, b]", "['on', '2026-01-01']"),
        ("tags", "x", "[a, b]", "x"),
        ("text", "short", "|  # header\n  one\n  two\n", "short  # header\n"),
        ("text", "one\nthree\n", "|  # header\n  one\n  two\n", '"one\\nthree\\n"  # header\n'),
        ("folded", None, ">-\n  one\n  two\n", "null\n"),
        ("nested", {"a": 1}, "\n  a: 1\n  b: 2\n", "\n  a: 1\n"),
        ("nested", {}, "\n  a: 1\n  b: 2\n", " {}\n"),
        ("nested", 5, "\n  a: 1\n  b: 2\n", " 5\n"),
        ("long", "three", "one\n  two\nlast", "three\nlast"),
        ("last", dt.date(2026, 5, 6), "last: x", "last: 2026-05-06"),
        ("last", "2026-05-06", "last: x", "last: '2026-05-06'"),
        ("last", 1.5, "last: x", "last: 1.5"),
        ("last", "🚀 é", "last: x", "last: 🚀 é"),
        ("last", "x" * 300 + " y", "last: x", "last: " + "x" * 300 + " y"),
    ],
)
def test_only_the_lines_of_the_changed_field_change(field: str, value: Any, old: str, new: str) -> None:
    assert _changed(**{field: value}) == _edited((old, new))


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("schema_version", "schema_version: 1   # v\n"),
        ("zeta", "zeta:   # nothing yet\n"),
        ("text", "text: |  # header\n  one\n  two\n"),
        ("nested", "nested:\n  a: 1\n  b: 2\n"),
        ("long", "long: one\n  two\n"),
        ("last", "last: x\n"),
    ],
)
def test_a_removed_field_takes_its_lines_and_leaves_the_comments_around(field: str, lines: str) -> None:
    assert _changed(**{field: REMOVED}) == _edited((lines, ""))


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("text", "new: text\n"),
        (None, "new: null\n"),
        ([], "new: []\n"),
        ({}, "new: {}\n"),
        (["a", "b: c"], "new:\n  - a\n  - 'b: c'\n"),
        (
            [["a"], {"b": [1], "c": {"d": 2}}, []],
            "new:\n  - - a\n  - b:\n      - 1\n    c:\n      d: 2\n  - []\n",
        ),
        ({"a": {"b": "c"}, 1: True}, "new:\n  a:\n    b: c\n  1: true\n"),
        (b"hi", 'new: !!binary "aGk="\n'),
        ({"b", "a"}, "new: !!set {a: null, b: null}\n"),
        ((1, 2), "new:\n  - 1\n  - 2\n"),
    ],
)
def test_a_new_field_is_added_before_the_closing_fence(value: Any, lines: str) -> None:
    assert _changed(new=value) == _edited(("# the end\n", f"# the end\n{lines}"))


def test_several_changes_are_made_at_once_and_new_fields_keep_their_order() -> None:
    changed = _changed(schema_version=2, name=REMOVED, beta=1, alpha=2)
    wanted = _edited(
        ("1   # v", "2   # v"),
        ('name: "Sample rule"\n', ""),
        ("# the end\n", "# the end\nbeta: 1\nalpha: 2\n"),
    )
    assert changed == wanted


def test_a_key_that_needs_quotes_gets_them() -> None:
    assert splice(b"---\na: 1\n---\n", {"on": 1, "x: y": 2}) == b"---\na: 1\n'on': 1\n'x: y': 2\n---\n"


def test_lists_follow_the_indentation_of_the_file() -> None:
    data = b"---\nsources:\n- a\n---\n"
    assert splice(data, {"tags": ["x"]}) == b"---\nsources:\n- a\ntags:\n- x\n---\n"
    assert splice(data, {"sources": ["b"]}) == b"---\nsources:\n- b\n---\n"
    assert (
        splice(b"---\nsources:\n      - a\n---\n", {"sources": ["b"]}) == b"---\nsources:\n      - b\n---\n"
    )


def test_a_comment_above_a_list_item_stays_with_its_item() -> None:
    data = b"---\ns:\n  - a\n  # about c\n  - c\n---\n"
    assert splice(data, {"s": ["a", "b", "c"]}) == b"---\ns:\n  - a\n  - b\n  # about c\n  - c\n---\n"
    assert splice(data, {"s": ["c"]}) == b"---\ns:\n  # about c\n  - c\n---\n"


def test_crlf_bom_and_mixed_ends_are_kept() -> None:
    data = b"\xef\xbb\xbf---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n\n"
    wanted = b"\xef\xbb\xbf---\r\na: 3\r\nb: 2\r\nc:\r\n  - x\r\n---\r\nbody\r\n\n"
    assert splice(data, {"a": 3, "c": ["x"]}) == wanted


@pytest.mark.parametrize("line_break", ["\r", "\x85", "\u2028", "\u2029"])
def test_the_rarer_line_breaks_of_yaml_part_lines_too(line_break: str) -> None:
    data = f"---\na: 1{line_break}b: 2\nc: 3\n---\n".encode()
    assert splice(data, {"b": 5}) == data.replace(b"2\n", b"5\n")
    assert splice(data, {"a": REMOVED}) == b"---\nb: 2\nc: 3\n---\n"


def test_an_indented_mapping_keeps_its_indentation() -> None:
    assert (
        splice(b"---\n  a: 1\n  b: 2\n---\n", {"a": [1], "c": 3})
        == b"---\n  a:\n    - 1\n  b: 2\n  c: 3\n---\n"
    )


def test_an_explicit_key_is_written_in_the_usual_form() -> None:
    assert splice(b"---\n? a\n: 1\n? b\nc: 2\n---\n", {"a": 5, "b": 6}) == b"---\na: 5\nb: 6\nc: 2\n---\n"


def test_a_new_field_stands_before_the_end_mark_of_yaml() -> None:
    assert splice(b"---\na: 1\n...\n---\n", {"b": 2}) == b"---\na: 1\nb: 2\n...\n---\n"


def test_a_value_on_the_next_line_is_replaced_there() -> None:
    assert splice(b"---\na:\n  one\nb: 2\n---\n", {"a": "two"}) == b"---\na:\n  two\nb: 2\n---\n"


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"a": "x: y"}, "{\"a\": 'x: y', b, c: [x] , }\n"),
        ({"b": 5}, '{"a": 1, b: 5, c: [x] , }\n'),
        ({"c": [1, {"d": "e"}]}, '{"a": 1, b, c: [1, {d: e}] , }\n'),
        ({"a": REMOVED}, "{b, c: [x] , }\n"),
        ({"b": REMOVED}, '{"a": 1, c: [x] , }\n'),
        ({"c": REMOVED}, '{"a": 1, b , }\n'),
        ({"b": REMOVED, "c": REMOVED}, '{"a": 1 , }\n'),
        ({"d": 1, "e": [2]}, '{"a": 1, b, c: [x], d: 1, e: [2] , }\n'),
        ({"c": REMOVED, "d": 1}, '{"a": 1, b, d: 1 , }\n'),
    ],
)
def test_frontmatter_in_braces_is_changed_in_place(changes: dict[str, Any], wanted: str) -> None:
    data = b'---\n{"a": 1, b, c: [x] , }\n---\n'
    assert splice(data, changes).decode() == f"---\n{wanted}---\n"


def test_braces_that_lose_every_field_take_new_ones() -> None:
    assert splice(b"---\n{a: 1}\n---\n", {"a": REMOVED, "b": 2}) == b"---\n{b: 2}\n---\n"


def test_json_frontmatter_without_blanks_is_changed() -> None:
    assert splice(b'---\n{"a":1}\n---\n', {"a": "x"}) == b'---\n{"a": x}\n---\n'


def test_an_anchor_that_is_used_elsewhere_is_not_overwritten() -> None:
    data = b"---\na: &x [1]\nb: *x\nc: 2\n---\n"
    for value in (5, REMOVED):
        with pytest.raises(SpliceError, match=r"line 3: `\*x` takes over a value that would be changed"):
            splice(data, {"a": value})
    assert splice(data, {"b": [2]}) == data.replace(b" *x", b"\n  - 2")
    assert splice(data, {"a": 5, "b": 6}) == b"---\na: 5\nb: 6\nc: 2\n---\n"


def test_a_field_that_comes_by_a_merge_is_overridden_but_not_removed() -> None:
    data = b"---\nbase: &b {p: 1}\n<<: *b\n---\n"
    assert read(splice(data, {"p": 2})).meta == {"base": {"p": 1}, "p": 2}
    with pytest.raises(SpliceError, match="p: it comes from `<<`"):
        splice(data, {"p": REMOVED})


def test_a_file_that_cannot_be_read_is_never_written() -> None:
    with pytest.raises(SpliceError, match="yaml-syntax") as caught:
        splice(b"---\na: b: c\n---\n", {"a": 1})
    assert "quotes" in caught.value.hint
    for data in (b"no frontmatter", b"---\na: 1\na: 2\n---\n", b"---\n- a\n---\n", b"---\na: \xff\n---\n"):
        with pytest.raises(SpliceError):
            write_meta(data, {"a": 1})


class _Colour(enum.Enum):
    RED = 1


class _Word(enum.StrEnum):
    HIGH = "high"


def _endless() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Decimal(1),
        _Colour.RED,
        dt.time(1, 2),
        _endless(),
        _deep(30),
        "\ud800",
        10**2000,
        {(1, 2): 3},
        {"a": object()},
        [object()],
        [1] * 10_001,
        "\x07",
        {"a": {"b": _endless()}},
        dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(seconds=90))),
    ],
)
@pytest.mark.parametrize("data", [b"---\na: 1\n---\n", b"---\n{a: 1}\n---\n", b"---\na:\n  - 1\n---\n"])
def test_a_value_that_would_not_read_back_is_refused(data: bytes, value: Any) -> None:
    with pytest.raises(SpliceError):
        splice(data, {"a": value})
    with pytest.raises(SpliceError):
        splice(data, {"b": value})


def test_a_subclass_of_text_is_written_as_text() -> None:
    assert splice(b"---\na: 1\n---\n", {"a": _Word.HIGH}) == b"---\na: high\n---\n"


def test_a_key_that_is_no_text_is_refused() -> None:
    with pytest.raises(SpliceError, match="is no text"):
        splice(b"---\na: 1\n---\n", {1: 2})  # type: ignore[dict-item]


def test_the_last_field_is_not_taken_away() -> None:
    with pytest.raises(SpliceError, match="no field would be left"):
        splice(b"---\na: 1\n---\n", {"a": REMOVED})


def test_what_is_the_same_already_is_no_change() -> None:
    reading = read(DOCUMENT.encode())
    assert reading.meta is not None
    assert rewrite(reading, dict(reading.meta)) is reading
    assert write_meta(DOCUMENT.encode(), reading.meta) == DOCUMENT.encode()
    assert (
        splice(DOCUMENT.encode(), {"gone": REMOVED, "schema_version": 1, "tags": ("a", "b")})
        == DOCUMENT.encode()
    )


@pytest.mark.parametrize(
    ("old", "new"), [("1", True), ("1", 1.0), ("2026-05-06", "2026-05-06"), ("'1'", 1), ("1.0", 1)]
)
def test_values_that_are_equal_to_python_alone_are_changes(old: str, new: Any) -> None:
    data = f"---\na: {old}\n---\n".encode()
    changed = splice(data, {"a": new})
    assert changed != data
    reread = read(changed).meta
    assert reread is not None
    assert type(reread["a"]) is type(new)


def test_write_meta_removes_what_is_not_in_it_and_renames_by_that() -> None:
    data = b"---\nschema_version: 1\nsources: [a]\nname: x\n---\nbody"
    meta = dict(read(data).meta or {})
    meta["evidence"] = meta.pop("sources")
    meta["schema_version"] = 2
    assert write_meta(data, meta) == b"---\nschema_version: 2\nname: x\nevidence:\n  - a\n---\nbody"


def test_a_list_whose_items_stand_below_their_dashes_is_written_anew() -> None:
    data = b"---\ns:\n  -\n    a\n  - b\n---\n"
    assert splice(data, {"s": ["a", "b", "c"]}) == b"---\ns:\n  - a\n  - b\n  - c\n---\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [(float("inf"), ".inf"), (float("-inf"), "-.inf"), (float("nan"), ".nan"), (1e300, "1.0e+300")],
)
def test_numbers_beyond_the_usual_are_written_as_yaml_writes_them(value: float, text: str) -> None:
    assert splice(b"---\na: 1\n---\n", {"a": value}) == f"---\na: {text}\n---\n".encode()


def test_a_number_that_is_not_a_number_is_no_change_to_itself() -> None:
    data = b"---\na: .nan\n---\n"
    assert splice(data, {"a": float("nan")}) == data


def test_blocks_deeper_than_can_be_read_are_refused() -> None:
    value: Any = "x"
    for _ in range(25):
        value = {"k": value}
    with pytest.raises(SpliceError, match="more than 20 levels"):
        splice(b"---\na: 1\n---\n", {"b": value})


def test_a_list_behind_an_alias_is_written_out() -> None:
    data = b"---\na: &x [1]\nb: *x\n---\n"
    assert splice(data, {"b": [1, 2]}) == b"---\na: &x [1]\nb:\n  - 1\n  - 2\n---\n"


def test_a_mapping_in_brackets_stays_in_brackets() -> None:
    data = b"---\na: {b: 1}\n---\n"
    assert splice(data, {"a": {"b": 1, "c": {"d": []}}}) == b"---\na: {b: 1, c: {d: []}}\n---\n"
