"""Every authored byte is kept, and no field acts as structure, whatever INDEX.md holds ([INDEX-3], [INDEX-5])."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from atomic_agents.index.merge import INDEX
from unit.index.desk import Desk

FILES = [f"{kind}_{name}.md" for kind in ("feedback", "decision", "user") for name in "abc"]
BLOCKS = st.sampled_from(
    [
        ["## Critical Feedback", ""],
        ["## Critical Feedback"],
        ["# locked decisions #", ""],
        ["User Profile", "---"],
        ["## My own section", "", "Prose of mine."],
        ["### Deeper", ""],
        ["- [A](feedback_a.md) — by hand"],
        ["* [B](./feedback_b.md): by hand too", "  - nested", "    1. deeper"],
        ["1. **[C](decision_a.md)** – x", "   continued"],
        ["- [[user_a|Mine]] — wiki"],
        ["- `feedback_c` — use it"],
        ["- [gone](feedback_gone.md) — dead"],
        ["- words", "lazy words"],
        ["```", "- [A](feedback_a.md) — in a fence", "## Critical Feedback", "```"],
        ["~~~~ sh", "# not a heading", "~~~", "~~~~"],
        ["<!-- a", "- [B](feedback_b.md) — hidden", "-->"],
        ["<!-- one line -->"],
        ["(none yet — placeholder", "over two lines)"],
        ["| a | b |", "|---|---|", "| [x](user_b.md) | y |"],
        ["> quoted", "> - [A](feedback_a.md)"],
        ["---"],
        [""],
        ["", ""],
        ["    indented code"],
        ["text <!-- inline --> text", "    continued"],
        [
            "<<<<<<< HEAD",
            "- [A](feedback_a.md) — one",
            "=======",
            "- [A](feedback_a.md) — two",
            ">>>>>>> theirs",
        ],
        ["[label]: https://example.org"],
        ["<pre>", "- [A](feedback_a.md)", "</pre>"],
        ["trailing blanks   ", "\ttab"],
    ]
)
TAILS = st.sampled_from([[], ["```", "open fence"], ["<!-- open"], ["- x", "  ```", "  open in a list"]])


@st.composite
def indexes(draw):
    blocks = draw(st.lists(BLOCKS, max_size=12))
    lines = [line for block in [*blocks, draw(TAILS)] for line in block]
    front = draw(st.sampled_from([[], ["---", "title: x", "---"], ["# M", ""]]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return (bom + end.join([*front, *lines]) + draw(st.sampled_from(["", end]))).encode()


def split(data):
    return data.decode().removeprefix("\ufeff").split("\n")


def is_subsequence(small, large):
    rest = iter(large)
    return all(any(one == other for other in rest) for one in small)


@given(indexes(), st.sets(st.sampled_from(FILES)), st.sets(st.sampled_from(FILES)))
def test_units_that_come_and_go_leave_every_authored_byte(data, first, second):
    desk = Desk(data)
    for file in sorted(first):
        desk.note(file, f"Name of {file[:-3]}", captured=f"2026-05-{len(file):02}")
    desk.sync()
    for file in sorted(first - second):
        desk.hold(file)
    for file in sorted(second - first):
        desk.note(file)
    desk.sync()
    for file in sorted(second - first):
        desk.drop(file)
    desk.sync()
    kept = [line.rstrip("\r") for line in split(data)]
    now = [line.rstrip("\r") for line in split(desk.files.get(INDEX, b""))]
    while kept and not kept[-1]:
        kept.pop()
    if "".join(kept):
        known_again = {line for line in kept if any(f"{file[:-3]}" in line for file in second - first)}
        assert is_subsequence([line for line in kept if line not in known_again], now)


@given(indexes(), st.sets(st.sampled_from(FILES), min_size=1))
def test_adding_units_only_adds_lines_with_the_files_own_line_end(data, files):
    desk = Desk(data)
    for file in sorted(files):
        desk.note(file, f"Name of {file[:-3]}")
    desk.sync()
    after = desk.files.get(INDEX, b"")
    if data.decode().strip("\ufeff\r\n"):
        assert after.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
        assert after.endswith(b"\n") == data.endswith(b"\n")
        end = b"\r\n" if b"\r\n" in data else b"\n"
        assert after.count(b"\n") == after.count(end) or b"\r\n" not in data
        assert is_subsequence(
            [line.rstrip("\r") for line in split(data) if line.strip()],
            [line.rstrip("\r") for line in split(after)],
        )
    links = {target for row in _rows(desk) for target in _targets(row)}
    assert all(file in links or f"{file[:-3]}" in links or _by_title(desk, file) for file in files)


def _rows(desk):
    from atomic_agents.index.sheet import read_sheet

    return read_sheet(INDEX, desk.files[INDEX]).rows


def _targets(row):
    own = [row.line.entry.target] if row.line.entry else []
    return [target.removeprefix("./") for target in [*own, *(target for target, _ in row.line.targets)]]


def _by_title(desk, file):
    return any(row.line.entry and row.line.entry.title == desk.units[file].name for row in _rows(desk))


COMMONMARK = MarkdownIt("commonmark")
PIECES = st.lists(
    st.sampled_from(
        ["](x.md)", "[[x]]", "<!--", "-->", "`", "```", "<b>", "\\", "![", "]", "[", "(", ")", "x", " ", "\n",
         "\n# T\n", "\n- [E](feedback_e.md) — e", "\r", "\u2028", "\x00", "\u202e", "\u200b", "---", "\n---\n",
         "[label]", "[^1]", "|", "*", "_", "~~~", "<script>", "&lt;!--", "#", ":", " — "]
    ),
    max_size=14,
).map("".join)  # fmt: skip


def structure(data):
    tokens = COMMONMARK.parse(data.decode())
    headings = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    inline = [child for token in tokens for child in token.children or []]
    links = [child.attrs["href"] for child in inline if child.type == "link_open"]
    odd = sorted(
        token.type
        for token in [*tokens, *inline]
        if token.type in {"html_block", "html_inline", "image", "fence", "code_block"}
    )
    return headings, links, odd


@given(
    indexes(),
    st.lists(st.tuples(PIECES, PIECES), min_size=1, max_size=4),
    st.sampled_from(["link", "wikilink", "code"]),
)
def test_hostile_fields_render_with_the_same_headings_and_links_as_plain_ones(data, fields, style):
    hostile, plain = Desk(data, entry_style=style), Desk(data, entry_style=style)
    for number, (name, description) in enumerate(fields):
        file = f"reference_{number}.md"
        hostile.note(file, name, description)
        plain.note(file, f"N{number}", "plain")
    hostile.sync()
    plain.sync()
    ours, theirs = structure(hostile.files[INDEX]), structure(plain.files[INDEX])
    assert ours[0] == theirs[0]
    assert ours[2] == theirs[2]
    own = [f"reference_{number}.md" for number in range(len(fields))]
    assert [link for link in ours[1] if link not in own] == [link for link in theirs[1] if link not in own]
    assert all(ours[1].count(link) <= 1 for link in own)
    assert hostile.files[INDEX].count(b"\n") == plain.files[INDEX].count(b"\n")
