"""New, changed, hand-edited and removed entries: the three-way merge ([INDEX-3], [INDEX-4])."""

from __future__ import annotations

import pytest

from atomic_agents.index.merge import Notice, Scope, vanishing
from atomic_agents.index.wanted import wanted_of
from unit.index.desk import SECTIONS, Desk, added

FILE = "feedback_sample_rule.md"
LINE = "- [Sample rule](feedback_sample_rule.md) — use it when testing"


@pytest.fixture
def desk():
    desk = Desk().note(FILE, "Sample rule", "use it when testing")
    desk.sync()
    return desk


def test_a_new_unit_is_appended_to_its_section_and_no_other_byte_changes(desk):
    assert added(SECTIONS, desk.text) == [LINE]
    assert desk.text.index("feedback_seed_rule") < desk.text.index(FILE) < desk.text.index("## Locked")


def test_new_units_come_in_the_order_in_which_they_were_captured():
    desk = (
        Desk()
        .note("feedback_a_rule.md", captured="2026-06-02")
        .note("feedback_b_rule.md", captured="2026-06-01")
    )
    desk.sync()
    assert desk.text.index("feedback_b_rule") < desk.text.index("feedback_a_rule")


def test_an_entry_that_nobody_edited_follows_its_unit(desk):
    desk.change(FILE, name="New name", description="new text").sync()
    assert desk.lines(FILE) == ["- [New name](feedback_sample_rule.md) — new text"]


def test_a_hand_edited_title_and_hook_stay_whatever_the_unit_says(desk):
    desk.edit(LINE, "- [My own title](feedback_sample_rule.md) — short by hand").sync()
    merged = desk.change(FILE, name="New name", description="a new and longer text").sync()
    assert desk.lines(FILE) == ["- [My own title](feedback_sample_rule.md) — short by hand"]
    assert set(merged.notices) == {
        Notice("title", FILE, "My own title", "New name"),
        Notice("hook", FILE, "short by hand", "a new and longer text"),
    }
    assert desk.sync().notices == ()


def test_a_hand_edited_hook_does_not_freeze_the_title(desk):
    desk.edit("use it when testing", "by hand").sync()
    desk.change(FILE, name="New name").sync()
    assert desk.lines(FILE) == ["- [New name](feedback_sample_rule.md) — by hand"]


def test_a_hand_edited_hook_survives_the_loss_of_what_was_remembered(desk):
    desk.edit("use it when testing", "by hand").sync()
    desk.remembered = {}
    desk.change(FILE, description="new text").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — by hand"]


def test_an_unedited_hook_still_follows_after_the_loss_of_what_was_remembered(desk):
    desk.remembered = {}
    desk.sync()
    desk.change(FILE, description="new text").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — new text"]


def test_a_hook_that_a_person_removed_is_not_put_back(desk):
    desk.edit(LINE, "- [Sample rule](feedback_sample_rule.md)").sync()
    desk.change(FILE, description="new text").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md)"]


def test_a_hook_put_back_to_the_units_text_follows_it_again(desk):
    desk.edit("use it when testing", "by hand").sync()
    desk.edit("by hand", "use it when testing").sync()
    desk.change(FILE, description="new text").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — new text"]


def test_the_bullet_the_separator_and_the_bold_marks_of_a_line_stay(desk):
    desk.edit(LINE, "  3) [ ] **[Sample rule](./feedback_sample_rule.md#top)**: use it when testing").sync()
    desk.change(FILE, name="New", description="text").sync()
    assert "\n  3) [ ] **[New](./feedback_sample_rule.md#top)**: text\n" in desk.text


def test_a_removed_unit_loses_its_entry_and_nothing_else(desk):
    desk.drop(FILE)
    assert desk.sync().removed == (FILE,)
    assert desk.text == SECTIONS


def test_a_unit_that_comes_back_gets_its_hand_edited_entry_back_where_it_stood(desk):
    desk.note("feedback_third_rule.md").sync()
    desk.edit(LINE, "* [Mine](feedback_sample_rule.md) - by hand").sync()
    before = desk.text
    unit = desk.drop(FILE)
    desk.sync()
    assert FILE not in desk.text
    desk.units[FILE] = unit
    desk.sync()
    assert desk.text == before


def test_a_unit_may_go_and_come_again_and_again(desk):
    for _ in range(3):
        unit = desk.drop(FILE)
        desk.sync()
        assert desk.lines(FILE) == []
        desk.units[FILE] = unit
        desk.sync()
        assert desk.lines(FILE) == [LINE]


def test_entries_that_come_back_together_stand_in_their_former_order(desk):
    for name in "abcdef":
        desk.note(f"feedback_{name}_rule.md")
    desk.sync()
    before = desk.text
    units = {file: desk.drop(file) for file in list(desk.units) if file != "feedback_c_rule.md"}
    desk.sync()
    for file in sorted(units, reverse=True):
        desk.units[file] = units[file]
        if file == "feedback_d_rule.md":
            desk.sync()
    desk.sync()
    assert desk.text == before


def test_a_hand_edit_made_while_a_unit_is_invalid_comes_back_with_it(desk):
    unit = desk.hold(FILE)
    desk.sync()
    assert desk.lines(FILE) == [LINE]
    desk.edit("use it when testing", "precious").sync()
    desk.drop(FILE)
    desk.sync()
    assert desk.lines(FILE) == []
    desk.units[FILE] = unit
    desk.sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — precious"]


def test_an_unedited_entry_that_comes_back_says_what_the_unit_says_now(desk):
    desk.drop(FILE)
    desk.sync()
    desk.note(FILE, "Sample rule", "another text").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — another text"]


def test_an_entry_that_a_person_removed_is_put_back_while_the_unit_is_there(desk):
    desk.edit("use it when testing", "by hand").sync()
    before = desk.text
    desk.edit("- [Sample rule](feedback_sample_rule.md) — by hand\n", "").sync()
    assert desk.text == before


def test_the_entry_of_a_file_that_is_not_valid_stays_and_none_is_added():
    desk = Desk()
    desk.hold("feedback_seed_rule.md")
    desk.hold("feedback_other_rule.md")
    assert desk.sync().files == {}
    assert desk.remembered == {}


def test_the_entry_of_a_file_that_was_never_known_stays():
    desk = Desk(SECTIONS + "- [Later](feedback_later_rule.md) — not here yet\n").note(FILE)
    desk.sync()
    assert desk.lines("feedback_later_rule.md") == ["- [Later](feedback_later_rule.md) — not here yet"]
    desk.note("feedback_later_rule.md", "Later", "here now").sync()
    assert desk.lines("feedback_later_rule.md") == ["- [Later](feedback_later_rule.md) — not here yet"]


def test_a_second_entry_that_a_person_wrote_stays(desk):
    desk.text += "\n## Start here\n\n- [Read me first](feedback_sample_rule.md) — mine\n"
    before = desk.text
    assert desk.sync().files == {}
    desk.change(FILE, description="new text").sync()
    assert desk.text == before.replace("use it when testing", "new text")


def test_a_second_entry_stays_also_in_the_same_section(desk):
    desk.edit(LINE, f"{LINE}\n- [Read me first](feedback_sample_rule.md) — mine")
    assert desk.sync().files == {}


def test_a_line_that_a_tool_repeats_in_the_same_section_goes(desk):
    before = desk.text
    desk.edit("## Critical Feedback\n", f"## Critical Feedback\n{LINE}\n").sync()
    assert desk.text == before


def test_a_line_that_a_tool_repeats_does_not_replace_a_hand_edited_one(desk):
    desk.edit(LINE, "- [Mine](feedback_sample_rule.md) — by hand").sync()
    before = desk.text
    desk.edit("## Critical Feedback\n", f"## Critical Feedback\n{LINE}\n").sync()
    assert desk.text == before


def tool_rewrites(desk, line, file):
    """What the reference stack's writer does: the line goes wherever it was, and comes below the heading."""
    rest = [one for one in desk.text.split("\n") if f"({file})" not in one]
    rest.insert(rest.index("## Critical Feedback") + 1, line)
    desk.text = "\n".join(rest)


def test_a_hand_edited_hook_that_a_tool_replaced_comes_back(desk):
    desk.edit(LINE, "- [Mine](feedback_sample_rule.md) — by hand").sync()
    before = desk.text
    tool_rewrites(desk, LINE, FILE)
    desk.sync()
    assert desk.text == before


def test_it_comes_back_also_where_it_led_the_section_if_the_unit_was_written_too():
    desk = Desk()
    desk.sync()
    desk.edit("seeded", "by hand").sync()
    tool_rewrites(desk, "- [Seed rule](feedback_seed_rule.md) — seeded", "feedback_seed_rule.md")
    desk.sync(touched={"feedback_seed_rule.md"})
    assert desk.lines("feedback_seed_rule.md") == ["- [Seed rule](feedback_seed_rule.md) — by hand"]


def test_it_comes_back_also_where_the_units_own_text_would_act(desk):
    desk.change(FILE, description="see [x](y.md)").sync()
    desk.edit(r"see [x\](y.md)", "by hand").sync()
    before = desk.text
    tool_rewrites(desk, "- [Sample rule](feedback_sample_rule.md) — see [x](y.md)", FILE)
    desk.sync()
    assert desk.text == before


def test_a_person_may_go_back_to_the_units_text_in_place():
    desk = Desk()
    desk.sync()
    desk.edit("seeded", "by hand").sync()
    desk.edit("by hand", "seeded")
    assert desk.sync().files == {}


def test_a_line_that_a_tool_wrote_without_escapes_is_escaped(desk):
    desk.note("feedback_b_rule.md", "Array [x](y.md) <!--", "see [x](y.md)")
    desk.edit(LINE, f"{LINE}\n- [Array [x](y.md) <!--](feedback_b_rule.md) — see [x](y.md)").sync()
    assert r"- [Array \[x\](y.md) <\!--](feedback_b_rule.md) — see [x\](y.md)" in desk.text
    assert desk.text.count("feedback_b_rule.md") == 1


def test_a_long_line_that_a_tool_wrote_stays_and_still_follows_its_unit():
    long = "word " * 60 + "end"
    desk = Desk().note(FILE, "Sample rule", long)
    desk.edit("seeded\n", f"seeded\n- [Sample rule](feedback_sample_rule.md) — {long}\n")
    assert desk.sync().files == {}
    desk.change(FILE, description="short").sync()
    assert desk.lines(FILE) == ["- [Sample rule](feedback_sample_rule.md) — short"]


def test_a_generated_hook_is_cut_and_a_units_long_name_too():
    desk = Desk(max_hook=30).note(FILE, "name " * 20, "word " * 20)
    desk.sync()
    assert desk.lines(FILE) == [
        "- [name name name name name name…](feedback_sample_rule.md) — word word word word word word…"
    ]


def test_a_renamed_unit_keeps_its_entry_with_a_new_target(desk):
    desk.edit(LINE, "* **[Mine](<./feedback_sample_rule.md>#top)** — use it when testing")
    desk.edit("<./feedback_sample_rule.md>#top", "./feedback_sample_rule.md#top").sync()
    desk.rename(FILE, "feedback_new_name.md")
    assert "\n* **[Mine](./feedback_new_name.md#top)** — use it when testing\n" in desk.text
    assert FILE not in desk.text
    desk.change("feedback_new_name.md", description="new text").sync()
    assert "— new text\n" in desk.text


def test_two_units_that_swap_their_names_keep_their_entries(desk):
    desk.edit("use it when testing", "sample by hand").edit("— seeded", "— seed by hand").sync()
    units = desk.units
    units[FILE], units["feedback_seed_rule.md"] = (
        desk.change("feedback_seed_rule.md", path=f"alpha/memory/{FILE}").units["feedback_seed_rule.md"],
        desk.change(FILE, path="alpha/memory/feedback_seed_rule.md").units[FILE],
    )
    desk.sync(renames={FILE: "feedback_seed_rule.md", "feedback_seed_rule.md": FILE})
    assert desk.lines("feedback_seed_rule.md") == ["- [Sample rule](feedback_seed_rule.md) — sample by hand"]
    assert desk.lines(FILE) == ["- [Seed rule](feedback_sample_rule.md) — seed by hand"]


def test_a_unit_that_is_linked_anywhere_needs_no_entry():
    text = SECTIONS.replace("Intro text", "See [it](feedback_sample_rule.md), [[user_own_words]]. Intro text")
    desk = Desk(text + "\n| [x](reference_price_board.md) |\n")
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded")
    desk.note(FILE).note("user_own_words.md").note("reference_price_board.md")
    assert desk.sync().files == {}


def test_a_unit_gets_an_entry_once_the_only_link_to_it_is_gone():
    desk = Desk(SECTIONS.replace("Intro text", "See [it](feedback_sample_rule.md). Intro text"))
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded").note(FILE).sync()
    desk.edit("See [it](feedback_sample_rule.md). ", "").sync()
    assert desk.section(FILE) == "Critical Feedback"


def test_the_entry_of_a_unit_that_an_entry_which_goes_had_mentioned_is_added_at_once(desk):
    desk.note("feedback_other_rule.md").edit("use it when testing", "see [it](feedback_other_rule.md)").sync()
    assert len(desk.lines("feedback_other_rule.md")) == 1
    desk.drop(FILE)
    desk.sync()
    assert desk.lines("feedback_other_rule.md") == [
        "- [feedback_other_rule](feedback_other_rule.md) — use it"
    ]


def test_nfc_and_nfd_spellings_of_a_name_are_one_file():
    desk = Desk(SECTIONS.replace("(none)", "- [Nfd](feedback_cafe\u0301_rule.md) — my hook"))
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded").note("feedback_caf\u00e9_rule.md")
    assert desk.sync().files == {}


def test_both_spellings_are_two_files_where_the_disk_has_both():
    desk = Desk(SECTIONS.replace("(none)", "- [Nfd](feedback_cafe\u0301_rule.md) — my hook"))
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded")
    desk.note("feedback_caf\u00e9_rule.md", "Nfc").note("feedback_cafe\u0301_rule.md", "Nfd")
    desk.sync()
    assert desk.text.count("- [Nfd](feedback_cafe\u0301_rule.md) — my hook") == 1
    assert desk.text.count("- [Nfc](feedback_caf\u00e9_rule.md)") == 1


def test_units_in_folders_are_indexed_by_their_path():
    desk = Desk().note("sub dir/feedback_a (b)_rule.md", "A")
    desk.sync()
    assert "- [A](sub%20dir/feedback_a%20%28b%29_rule.md) — use it\n" in desk.text


def test_two_units_of_one_name_have_an_entry_each():
    desk = Desk().note("feedback_a_rule.md", "Rule").note("feedback_b_rule.md", "Rule")
    desk.sync()
    desk.drop("feedback_a_rule.md")
    desk.sync()
    assert desk.lines("feedback_a_rule.md") == []
    assert desk.lines("feedback_b_rule.md") == ["- [Rule](feedback_b_rule.md) — use it"]


def test_what_would_vanish_is_told_before_anything_is_removed(desk):
    desk.note("feedback_new_name.md").sync()
    desk.drop(FILE)
    desk.drop("feedback_new_name.md")
    desk.hold("feedback_seed_rule.md")
    scope = Scope(
        "alpha/memory",
        "memory",
        "Alpha",
        present=frozenset(desk.present),
        renames={"feedback_new_name.md": "x.md"},
    )
    wanted = wanted_of(desk.units.values(), "alpha/memory")
    assert vanishing(wanted, desk.remembered, scope) == (FILE,)


def test_an_index_with_nothing_to_change_is_not_touched(desk):
    merged = desk.sync()
    assert merged.files == {}
    assert merged.remembered == desk.remembered
