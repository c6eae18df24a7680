"""Names and descriptions on one line, escaped only where they would act ([INDEX-5])."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from atomic_agents.index.links import links_in
from atomic_agents.index.texts import as_hook, as_title, one_line, shorten

COMMONMARK = MarkdownIt("commonmark")
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            list("[]()`<>!\\|*_#-+=~&;:/\"' \n\r\t\x00\u2028\u202e\u200b\u200d\ufe0f\U000e0041ax1")
        ),
        st.characters(),
    ),
    max_size=60,
)
FRAGMENTS = st.lists(
    st.sampled_from(
        ["](x.md)", "[[x]]", "[a]", "<!--", "-->", "`", "``", "<b>", "</b>", "<http://x.y>", "\\", "![", "]",
         "[", "(", ")", "x", " ", "\n# T", "\n- [E](e.md) — e", "```", "[^1]", "|", "*", "&lt;", "<?", "]["]
    ),
    max_size=12,
).map("".join)  # fmt: skip
TEXTS = st.one_of(HOSTILE, FRAGMENTS).map(one_line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("  a  b ", "a b"),
        ("a\n\n## B\r\n- c", "a ## B - c"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg", "a b c d e f g"),
        ("a\x00b\x1b[31mc\x7f", "ab[31mc"),
        ("a\u202eb\u2066c\u200ed", "abcd"),
        ("a\u200bb\ufeffc\u2060d\u00ade", "abcde"),
        ("a\U000e0041b\u115fc", "abc"),
        ("a\ud800b", "ab"),
        ("👩\u200d💻 emoji", "👩\u200d💻 emoji"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u200db", "ab"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("a\ufe0fb", "ab"),
        ("3\u00a0€ naïve 全部\u3000の", "3\u00a0€ naïve 全部\u3000の"),
        ("\u200b", ""),
    ],
)
def test_a_text_is_put_on_one_line_without_what_cannot_be_seen(text, line):
    assert one_line(text) == line


@given(HOSTILE)
def test_one_line_is_one_line_by_every_definition_and_stays_the_same(text):
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert one_line(line) == line


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one, two three", 9, "one, two…"),
        ("one two, three", 10, "one two…"),
        ("abcdefghij", 5, "abcd…"),
        ("全部のことを確認する", 5, "全部のこ…"),
        ("aaaae\u0301bbb", 6, "aaaa…"),
    ],
)
def test_a_long_text_is_cut_at_a_word(text, limit, short):
    assert shorten(text, limit) == short


@given(TEXTS, st.integers(20, 60))
def test_a_cut_text_is_never_longer_than_the_limit(text, limit):
    assert len(shorten(text, limit)) <= limit


@pytest.mark.parametrize(
    "text",
    [
        "Risk tolerance: moderate, debt-averse",
        "`~/agents/finance/` — load before specific dollar advice",
        "`move <commands>` — step 1.2; see `move.txt`",
        "(tax/basis/business structure)",
        "a < b, x > y, <3",
        "array [0] and (v2)",
        "50 | 60, *stress* and snake_case",
        r"C:\temp\notes",
        "No mixed-language documents; '英語' or German",
        "https://example.org/holidays?y=2026&r=1",
        "see #42 — the fix; - not a list",
    ],
)
def test_ordinary_text_is_not_escaped(text):
    assert as_hook(text) == text
    assert as_title(text) == text


@pytest.mark.parametrize(
    ("text", "hook"),
    [
        ("see [x](y.md)", r"see [x\](y.md)"),
        ("see [[x]]", r"see \[[x]]"),
        ("[a][b]", r"[a\][b]"),
        ("<!-- hidden", r"<\!-- hidden"),
        ("<script>", r"\<script>"),
        ("</div>", r"\</div>"),
        ("one ` alone", r"one \` alone"),
        ("`a` and ` alone", r"`a` and \` alone"),
        ("`[x](y)` in code", r"\`[x\](y)\` in code"),
        (r"\*not\*", r"\\*not\\*"),
        ("ends with \\", "ends with \\\\"),
    ],
)
def test_what_would_act_in_a_hook_is_escaped(text, hook):
    assert as_hook(text) == hook


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Array [Methods] (v2)", "Array [Methods] (v2)"),
        ("Array [Methods", r"Array \[Methods"),
        ("[x] begins", r"\[x\] begins"),
        ("a](b.md) c", r"a\](b.md) c"),
        ("`f()` at night", "`f()` at night"),
        ("`a[0]` first", r"\`a[0]\` first"),
        ("Array [Methods] (v2) | `x` ](", r"Array \[Methods\] (v2) | `x` \]("),
        ("<!-- open", r"<\!-- open"),
    ],
)
def test_what_would_act_in_a_title_is_escaped(text, title):
    assert as_title(text) == title


def test_where_labels_are_defined_every_bracket_is_escaped():
    assert as_hook("array [0]", defined=True) == r"array \[0\]"
    assert as_title("array [0]", defined=True) == r"array \[0\]"


def rendered(markdown):
    """Return the links (target and text), headings, raw HTML and lists that CommonMark reads."""
    tokens = COMMONMARK.parse(markdown)
    inline = [child for token in tokens for child in token.children or []]
    links, text = [], ""
    for child in inline:
        if child.type == "link_open":
            links.append(child.attrs["href"])
        text += child.content
    blocks = [token.type for token in tokens if token.type.endswith("_open")]
    raw = [token for token in [*tokens, *inline] if token.type in {"html_block", "html_inline", "image"}]
    return links, blocks, raw, text


@given(TEXTS, TEXTS)
def test_commonmark_reads_one_link_and_the_texts_whatever_a_field_holds(title, hook):
    plain = rendered("- [T](feedback_x.md) — H\n- [Next](n.md) — n\n")
    line = f"- [{as_title(title)}](feedback_x.md) — {as_hook(hook)}\n- [Next](n.md) — n\n"
    links, blocks, raw, _ = rendered(line)
    assert (links, blocks, raw) == (plain[0], plain[1], [])


@given(TEXTS, TEXTS)
def test_commonmark_reads_one_link_also_where_every_label_is_defined(title, hook):
    text = f"[a]: other.md\n[x]: other.md\n\n- [{as_title(title, defined=True)}](f.md) — {as_hook(hook, defined=True)}"
    assert rendered(text)[0] == ["f.md"]


@given(TEXTS, TEXTS)
def test_our_own_reading_finds_just_the_one_link(title, hook):
    line = f"- [{as_title(title)}](feedback_x.md) — {as_hook(hook)}"
    assert [link.target for link in links_in(line)] == ["feedback_x.md"]


@given(TEXTS.filter(lambda text: "&" not in text))
def test_what_commonmark_shows_of_a_text_is_the_text(text):
    def words(shown):
        return "".join(char for char in shown if char.isalnum())

    shown = rendered(f"x — {as_hook(text)}")[3]
    assert words(shown) == words(f"x — {text}")
