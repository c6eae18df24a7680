"""The first lines of a unit tell its version only where the whole would say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.migration.heads import read_head, version_in
from atomic_agents.migration.readings import parse, version_of
from atomic_agents.migration.unit import UnreadableUnitError

LINES = st.sampled_from(
    [
        "schema_version: 1", "schema_version: 2   # v", "schema_version: 010", "schema_version: '3'",
        "schema_version: 1.0", "schema_version: true", "schema_version:", "  schema_version: 4", "name: x",
        "name: 'a", "b'", "tags: [a,", "schema_version: 5,", "]", "text: |", "  schema_version: 6", "# comment",
        "", "other: {", "}", "- x", "key: &a b", "a: *a", "---", "...", "name:\tx", "\u2028schema_version: 7",
        'quoted: "x', 'y"', "plain: words", "  and more", "schema_version: 9 # x",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_the_head_tells_is_what_the_whole_tells_if_it_can_be_read(
    lines: list[str], end: str, has_bom: bool
) -> None:
    text = end.join(["---", *lines, "---", "body", ""])
    data = (b"\xef\xbb\xbf" if has_bom else b"") + text.encode()
    told = version_in(data[:1024])
    if told is None:
        return
    try:
        whole = version_of(parse(data))
    except UnreadableUnitError:
        return
    assert told == whole


@pytest.mark.parametrize(
    ("head", "version"),
    [
        (b"---\nschema_version: 1\n---\n", 1),
        (b"\xef\xbb\xbf---\r\nname: x\r\nschema_version: 12  # v\r\n", 12),
        (b"---\n# c\nname: a b\nschema_version: 0\n", 0),
        (b"---\nname: 'x'\nschema_version: 1\n", None),
        (b"---\ntags: [a]\nschema_version: 1\n", None),
        (b"---\nschema_version: 010\n", None),
        (b"---\nschema_version: -1\n", None),
        (b"---\nschema_version: 1", None),
        (b"schema_version: 1\n", None),
        (b"", None),
    ],
)
def test_only_plain_first_lines_are_believed(head: bytes, version: int | None) -> None:
    assert version_in(head) == version


def test_a_file_that_cannot_be_opened_or_read_tells_nothing(tmp_path: Path) -> None:
    assert read_head(str(tmp_path / "none.md")) is None
    assert read_head(str(tmp_path)) is None
