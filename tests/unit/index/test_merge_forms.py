"""The three forms of entries, the style of an INDEX, and entries that only a title identifies ([INDEX-2])."""

from __future__ import annotations

import pytest

from unit.index.desk import SECTIONS, Desk

HEAD = "# M\n\n## Critical Feedback\n\n"
TAIL = "\n## Locked Decisions\n"


def index(*lines, tail=TAIL):
    return HEAD + "".join(f"{line}\n" for line in lines) + tail


@pytest.mark.parametrize(
    ("lines", "new"),
    [
        (["- [A](feedback_a.md) — a"], "- [X](feedback_x.md) — use it"),
        (["- [[feedback_a|A]] — a"], "- [[feedback_x|X]] — use it"),
        (["- `A` — a"], "- `X` — use it"),
        (["* [A](feedback_a.md): a"], "* [X](feedback_x.md): use it"),
        (["- **[A](feedback_a.md)** -- a"], "- **[X](feedback_x.md)** -- use it"),
        (["- [[feedback_a|A]] — a", "- [B](feedback_b.md) - b", "- [C](feedback_c.md) - c"],
         "- [X](feedback_x.md) - use it"),
        (["- [A](feedback_a.md)"], "- [X](feedback_x.md) — use it"),
    ],
)  # fmt: skip
def test_new_entries_take_the_style_that_most_have(lines, new):
    desk = Desk(index(*lines)).note("feedback_a.md", "A", "a").note("feedback_x.md", "X")
    desk.note("decision_x.md", "X2").sync()
    assert desk.text.split(TAIL)[0] == index(*lines, new, tail="")
    assert f"## Locked Decisions\n\n{new.replace('feedback', 'decision').replace('X', 'X2')}\n" in desk.text


@pytest.mark.parametrize(
    ("style", "new"),
    [("link", "[X](feedback_x.md)"), ("wikilink", "[[feedback_x|X]]"), ("code", "`X`")],
)
def test_an_index_without_entries_gets_the_configured_form(style, new):
    desk = Desk(index(), entry_style=style).note("feedback_x.md", "X")
    desk.sync()
    assert f"- {new} — use it\n" in desk.text


@pytest.mark.parametrize(
    ("style", "file", "name"),
    [
        ("wikilink", "feedback_x.md", "a ]] b"),
        ("wikilink", "feedback_x.md", "a | b"),
        ("wikilink", "feedback_x.md", "`a`"),
        ("wikilink", "s #1/feedback_x.md", "a"),
        ("code", "feedback_x.md", "a `b`"),
    ],
)
def test_a_unit_that_the_form_cannot_name_gets_a_link(style, file, name):
    desk = Desk(index(), entry_style=style).note(file, name)
    desk.sync()
    assert ".md) — use it\n" in desk.text


def test_a_wikilink_counts_as_the_entry_and_its_text_stays():
    desk = Desk(SECTIONS.replace("(none)", "- [[feedback_sample_rule|Nice title]] — by hand"))
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded").note("feedback_sample_rule.md", "Sample rule")
    assert desk.sync().files == {}


def test_entries_in_all_three_forms_follow_their_units_in_one_file():
    desk = Desk(
        index("- [A](feedback_a.md) — a", "- [[feedback_b|B]] — b", "- `C` — c", "- [[feedback_d]] — d")
    )
    for name in "abcd":
        desk.note(f"feedback_{name}.md", name.upper(), name)
    desk.sync()
    for name in "abcd":
        desk.change(f"feedback_{name}.md", name=name * 2, description=f"new {name}")
    desk.sync()
    assert desk.text == index(
        "- [aa](feedback_a.md) — new a",
        "- [[feedback_b|bb]] — new b",
        "- `cc` — new c",
        "- [[feedback_d]] — new d",
    )


def test_a_wikilink_or_code_title_takes_no_character_that_would_end_it():
    desk = Desk(index("- [[feedback_b|B]] — b", "- `C` — c")).note("feedback_b.md", "B", "b")
    desk.note("feedback_c.md", "C", "c").sync()
    desk.change("feedback_b.md", name="x ]] | y").change("feedback_c.md", name="x ` y").sync()
    assert desk.text == index("- [[feedback_b|x )) / y]] — b", "- `x ' y` — c")


def test_a_wikilink_finds_a_file_in_a_folder_by_its_name_alone_if_that_is_unique():
    desk = Desk(index("- [[feedback_a|A]] — a")).note("sub/feedback_a.md", "A", "a")
    assert desk.sync().files == {}
    desk.note("other/feedback_a.md", "A2", "a2").sync()
    assert "(sub/feedback_a.md)" in desk.text or "[[sub/feedback_a|A]]" in desk.text


@pytest.mark.parametrize(
    "target",
    ["./feedback_a.md", "../memory/feedback_a.md", "feedback%5Fa.md", "<feedback_a.md>", "feedback_a.md#x",
     "feedback_a.md?raw=1", "../../alpha/memory/feedback_a.md", "x/../feedback_a.md", 'feedback_a.md "A"'],
)  # fmt: skip
def test_a_link_is_followed_however_it_is_written(target):
    desk = Desk(index(f"- [Mine]({target}) — mine")).note("feedback_a.md", "A", "a")
    assert desk.sync().files == {}


@pytest.mark.parametrize(
    "target", ["../feedback_a.md", "http://x.y/feedback_a.md", "/feedback_a.md", "#feedback_a.md"]
)
def test_a_link_that_leads_elsewhere_is_no_entry_of_the_unit(target):
    desk = Desk(index(f"- [Mine]({target}) — mine")).note("feedback_a.md", "A", "a")
    desk.sync()
    assert "- [A](feedback_a.md) — a\n" in desk.text
    assert f"- [Mine]({target}) — mine\n" in desk.text


def shared(*lines):
    desk = Desk(index(*lines))
    return desk.note("feedback_a.md", "Rule", "text a").note("decision_b.md", "Rule", "text b")


def test_titles_that_two_units_share_are_told_apart_by_their_hooks():
    desk = shared("- `Rule` — text b", "- `Rule` — text a")
    desk.sync()
    desk.change("feedback_a.md", description="new a").sync()
    assert desk.text == index("- `Rule` — text b", "- `Rule` — new a")


def test_titles_that_two_units_share_are_told_apart_by_their_sections():
    desk = Desk(index("- `Rule` — mine") + "\n- `Rule` — mine too\n")
    desk.note("feedback_a.md", "Rule", "text a").note("decision_b.md", "Rule", "text b")
    assert desk.sync().files == {}
    desk.drop("decision_b.md")
    desk.sync()
    assert desk.text == index("- `Rule` — mine") + "\n"


def test_titles_that_two_units_share_are_told_apart_by_elimination():
    desk = shared("- `Rule` — mine", "- [Rule](decision_b.md) — text b")
    assert desk.sync().files == {}
    desk.drop("feedback_a.md")
    desk.sync()
    assert desk.text == index("- [Rule](decision_b.md) — text b")


def test_titles_that_nothing_tells_apart_are_left_alone():
    desk = Desk(index("- `Rule` — mine", "- `Rule` — mine too"))
    desk.note("feedback_a.md", "Rule", "text a").note("feedback_b.md", "Rule", "text b")
    assert desk.sync().files == {}
    desk.change("feedback_a.md", description="new a")
    assert desk.sync().files == {}


def test_units_that_one_shared_title_cannot_cover_get_links():
    desk = Desk(index("- `Rule` — mine"))
    desk.note("feedback_a.md", "Rule", "text a").note("feedback_b.md", "Rule", "text b").sync()
    assert desk.text == index(
        "- `Rule` — mine", "- [Rule](feedback_a.md) — text a", "- [Rule](feedback_b.md) — text b"
    )


def test_a_new_unit_of_a_name_that_is_taken_gets_a_link():
    desk = Desk(index("- `Rule` — text a")).note("feedback_a.md", "Rule", "text a")
    desk.sync()
    desk.note("feedback_b.md", "Rule", "text b").sync()
    assert desk.text == index("- `Rule` — text a", "- [Rule](feedback_b.md) — text b")


def test_a_title_that_a_person_changed_is_known_by_its_hook():
    desk = Desk(index("- `A` — text a")).note("feedback_a.md", "A", "text a")
    desk.sync()
    desk.edit("`A`", "`My A`")
    assert desk.sync().files == {}
    desk.change("feedback_a.md", description="new").sync()
    assert desk.text == index("- `My A` — new")


def test_bullets_with_code_that_name_no_unit_are_left_alone():
    text = index("- `move <rows>` — move step 1; see `move.txt`", "- **Copy**: `copy` — from row 0")
    desk = Desk(text).note("feedback_a.md", "A", "a")
    desk.sync()
    assert desk.text == text.replace("row 0\n", "row 0\n- [A](feedback_a.md) — a\n")


def test_a_renamed_wikilink_keeps_its_style():
    desk = Desk(index("- [[feedback_a#top|Mine]] — a", "- [[feedback_b.md|B]] — b"))
    desk.note("feedback_a.md", "A", "a").note("feedback_b.md", "B", "b").sync()
    desk.rename("feedback_a.md", "feedback_c.md")
    desk.rename("feedback_b.md", "sub/feedback_d.md")
    assert desk.text == index("- [[feedback_c#top|Mine]] — a", "- [[sub/feedback_d.md|B]] — b")


def test_lines_that_say_the_same_are_told_apart_by_where_they_stood():
    desk = Desk(index("- `Rule` — mine", "- [X](feedback_x.md) — use it", "- `Rule` — mine"))
    desk.note("feedback_a.md", "Rule", "mine").note("feedback_b.md", "Rule", "mine").note(
        "feedback_x.md", "X"
    ).sync()
    desk.edit(
        "- [X](feedback_x.md) — use it\n- `Rule` — mine", "- [X](feedback_x.md) — use it\n- `Rule` — b's"
    )
    desk.change("feedback_a.md", description="a's").sync()
    desk.change("feedback_b.md", description="b's").sync()
    assert desk.sync().files == {}


def test_a_line_by_title_is_known_again_among_its_like():
    desk = (
        Desk(index("- `A` — text", "- `B` — text"))
        .note("feedback_a.md", "A", "text")
        .note("feedback_b.md", "B", "text")
    )
    desk.sync()
    desk.change("feedback_b.md", name="A").sync()
    assert desk.text == index("- `A` — text", "- `A` — text")
    desk.drop("feedback_a.md")
    desk.sync()
    assert desk.text == index("- `A` — text")
    desk.change("feedback_b.md", description="new").sync()
    assert desk.text == index("- `A` — new")
