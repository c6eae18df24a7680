"""INDEX.md as lines: every byte kept, fences and comments told apart ([INDEX-3], case IX09)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.index.lines import Kind
from atomic_agents.index.reader import read_lines
from atomic_agents.index.sheet import read_sheet

E = "- [T](f.md) — h"
MARKS = {
    Kind.BLANK: ".", Kind.HEADING: "h", Kind.UNDERLINE: "u", Kind.RULE: "r", Kind.ITEM: "i", Kind.TEXT: "t",
    Kind.OPAQUE: "o", Kind.CONFLICT: "c",
}  # fmt: skip


def kinds(text):
    lines = read_lines(text.split("\n")).lines
    return "".join("E" if line.entry is not None else MARKS[line.kind] for line in lines)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{E}\n```\n{E}\n```\n{E}", "EoooE"),
        (f"~~~\n{E}\n```\n{E}\n~~~\n{E}", "oooooE"),
        (f"````\n{E}\n```\n{E}\n````\n{E}", "oooooE"),
        (f"   ```\n{E}\n  ```\n{E}", "oooE"),
        (f"```sh\n{E}\n```sh\n{E}", "oooo"),
        (f"```\n{E}\n    ```\n{E}", "oooo"),
        (f"```\n{E}\n{E}", "ooo"),
        (f"- x\n  ```\n  {E}\n  ```\n{E}", "ioooE"),
        (f"- x\n  ```\n  {E}\n{E}", "iooE"),
        (f"- ```\n  {E}\n  ```\n{E}", "iooE"),
        (f"<!--\n{E}\n-->\n{E}", "oooE"),
        (f"<!-- a\n{E}\nb --> {E}\n{E}", "oooE"),
        (f"<!--\n{E}\n\n{E}", "oooo"),
        (f"<!-- one line -->\n{E}", "oE"),
        (f"words <!-- a\nb --> c\n{E}", "toE"),
        (f"words <!-- a\n\n{E}\nb -->", "t.Et"),
        (f"words <!-- a\n{E}", "tE"),
        ("words `<!--` in code\n[a](x.md)", "tt"),
        (f"<pre>\n{E}\n</pre>\n{E}", "oooE"),
        (f"<script>\n{E}", "oo"),
        (f"---\ntitle: x\n---\n{E}", "oooE"),
        (f"---\n---\n{E}", "ooE"),
        (f"---\n\n# T\n\n---\n{E}", "r.h.rE"),
        (f"---\n{E}", "rE"),
        ("Title\n===\nx", "hut"),
        ("Title\n---\nx", "hut"),
        ("\n---\nx", ".rt"),
        ("- x\n---\n", "ir."),
        ("> x\n---", "tr"),
        ("- x\nlazy\n---", "itr"),
        (f"\n    {E}\n", ".o."),
        (f"words\n    {E}\n", "tt."),
        (f"- x\n\n    {E}\n", "i.E."),
        (f"- x\n\n  {E}\n\nwords\n\n    {E}", "i.E.t.o"),
        (f"1. x\n   - y\n     {E}\n  z\n", "iiEt."),
        (f"<<<<<<< HEAD\n{E}\n=======\n{E}\n>>>>>>> theirs\n{E}", "cccccE"),
        (f"<<<<<<< HEAD\n{E}\n>>>>>>> theirs\n{E}", "tEtE"),
        (f"<<<<<<< HEAD\n{E}\n", "tE."),
        ("a\n=======", "hu"),
        (f"```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n{E}", "oooooE"),
    ],
)
def test_lines_are_told_by_what_stands_around_them(text, expected):
    assert kinds(text) == expected


def test_links_in_a_conflict_count_though_nothing_in_it_is_an_entry():
    lines = read_lines(["<<<<<<< HEAD", E, "=======", ">>>>>>> theirs"]).lines
    assert [line.targets for line in lines] == [(), (("f.md", False),), (), ()]


def test_an_unclosed_fence_leaves_the_sheet_open():
    assert read_sheet("INDEX.md", b"a\n```\nb").is_open
    assert not read_sheet("INDEX.md", b"a\n```\nb\n```").is_open
    assert not read_sheet("INDEX.md", b"- a\n  ```\n  b").is_open


LINES = st.lists(
    st.sampled_from(
        ["", E, "- x", "## H", "words", "```", "~~~~", "<!--", "-->", "---", "===", "  - y", "    code",
         "<<<<<<< a", "=======", ">>>>>>> b", "| t |", "\x0b", "\u2028", "\x85 x", "a\rb", "<pre>", "</pre>"]
    ),
    max_size=30,
)  # fmt: skip


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.booleans())
def test_every_byte_is_kept(lines, end, bom, final, mixed):
    text = "".join(line + ("\n" if mixed and number % 3 == 0 else end) for number, line in enumerate(lines))
    data = (("\ufeff" if bom else "") + (text if final else text.rstrip("\r\n"))).encode()
    assert read_sheet("INDEX.md", data).data() == data


@given(st.text())
def test_any_text_is_read_and_kept(text):
    data = text.encode("utf-8", "ignore")
    assert read_sheet("INDEX.md", data).data() == data


@pytest.mark.parametrize(("data", "end"), [(b"", "\n"), (b"a\r\nb\r\nc\n", "\r\n"), (b"a\nb\r\n", "\n")])
def test_the_line_end_is_that_of_most_lines(data, end):
    assert read_sheet("INDEX.md", data).line_end == end
