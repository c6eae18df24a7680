"""Which section an entry goes to, where in it, and when it moves ([INDEX-1], [INDEX-4])."""

from __future__ import annotations

import dataclasses

import pytest

from atomic_agents.index.skeleton import agent_name, skeleton
from unit.index.desk import SECTIONS, Desk, added

OLD = "feedback_old_rule.md"


@pytest.mark.parametrize(
    ("file", "section"),
    [
        ("feedback_x.md", "Critical Feedback"),
        ("decision_x.md", "Locked Decisions"),
        ("user_x.md", "User Profile"),
        ("project_x.md", "Active Projects"),
        ("reference_x.md", "Reference"),
    ],
)
def test_each_type_has_its_section(file, section):
    desk = Desk().note(file)
    desk.sync()
    assert desk.section(file) == section


def test_an_index_that_is_missing_is_made_with_all_sections_in_their_order():
    desk = Desk(None).note("user_b.md", "B").note("feedback_a.md", "A")
    desk.sync()
    assert desk.text == (
        "# Alpha — Memory Index\n\n## Critical Feedback\n\n- [A](feedback_a.md) — use it\n\n"
        "## Locked Decisions\n\n## User Profile\n\n- [B](user_b.md) — use it\n\n## Active Projects\n\n"
        "## Reference\n\n## Recently Promoted to Persona\n\n## Archive (superseded)\n"
    )


def test_a_blank_index_is_made_anew_and_keeps_its_byte_order_mark():
    desk = Desk(b"\xef\xbb\xbf \n\n").note("feedback_a.md", "A")
    desk.sync()
    assert desk.text.startswith("\ufeff# Alpha — Memory Index\n")


def test_no_index_is_made_for_a_layer_without_units():
    assert Desk(None).sync().files == {}


def test_a_wiki_index_that_is_missing_is_made_with_its_one_section():
    desk = Desk(None, layer="wiki").note("debt_methods.md", "Debt methods")
    desk.sync()
    assert desk.text == "# Alpha — Wiki Index\n\n## Pages\n\n- [Debt methods](debt_methods.md) — use it\n"


@pytest.mark.parametrize(
    "heading",
    ["## LOCKED decisions", "# Locked Decisions", "#### Locked Decisions ####", "**Locked Decisions:**\n---"],
)
def test_a_heading_matches_whatever_its_case_level_and_marks(heading):
    desk = Desk(SECTIONS.replace("## Locked Decisions", heading)).note("decision_x.md", "X")
    before = desk.text
    desk.sync()
    assert added(before, desk.text) in (
        ["- [X](decision_x.md) — use it", ""],
        ["", "- [X](decision_x.md) — use it"],
    )
    assert "## Locked Decisions" not in desk.text or "####" in heading


def test_a_types_new_entries_go_where_most_of_its_entries_stand():
    desk = Desk(
        "# M\n\n## Regeln\n\n- [A](feedback_a.md) — a\n- [B](feedback_b.md) — b\n\n## Start\n\n- [C](feedback_c.md) — c\n"
    )
    desk.note("feedback_d.md", "D").sync()
    assert desk.section("feedback_d.md") == "Regeln"


def test_a_short_name_of_a_section_serves_where_the_full_one_is_missing():
    desk = (
        Desk("# M\n\n## Decisions\n\n## Archive\n")
        .note("decision_x.md")
        .note("decision_y.md", superseded_by="x")
    )
    desk.sync()
    assert desk.section("decision_x.md") == "Decisions"
    assert desk.section("decision_y.md") == "Archive"


def test_an_index_that_is_one_list_stays_one():
    desk = Desk("- [A](a-note.md) — a\n- [B](b-note.md) — b").note("feedback_x.md", "X")
    desk.note("feedback_y.md", "Y", superseded_by="feedback_x.md").sync()
    assert desk.text == (
        "- [A](a-note.md) — a\n- [B](b-note.md) — b\n- [X](feedback_x.md) — use it\n"
        "- [Y](feedback_y.md) — superseded by feedback_x.md, 2026-05-06"
    )


@pytest.mark.parametrize(
    ("headings", "role", "order"),
    [
        ("Critical Feedback,Own,Reference", "decision", "Critical Feedback,Locked Decisions,Own,Reference"),
        ("Own,Reference", "user", "Own,User Profile,Reference"),
        ("Own", "project", "Own,Active Projects"),
        ("Archive (superseded),Own", "feedback", "Critical Feedback,Archive (superseded),Own"),
        ("Reference,Critical Feedback", "decision", "Reference,Critical Feedback,Locked Decisions"),
    ],
)
def test_a_missing_section_is_made_in_its_place(headings, role, order):
    desk = Desk("# M\n\nProse.\n" + "".join(f"\n## {heading}\n" for heading in headings.split(",")))
    desk.note(f"{role}_x.md").sync()
    found = [line.removeprefix("## ") for line in desk.text.split("\n") if line.startswith("## ")]
    assert ",".join(found) == order
    assert "\n\n\n" not in desk.text


def test_a_new_section_takes_the_level_of_its_neighbour_and_stands_behind_deeper_ones():
    desk = Desk("# M\n\n### Critical Feedback\n\n#### Style\n\n- [A](feedback_a.md) — a\n\n### Own\n")
    desk.note("decision_x.md", "X").sync()
    assert (
        "- [A](feedback_a.md) — a\n\n### Locked Decisions\n\n- [X](decision_x.md) — use it\n\n### Own"
        in desk.text
    )


def test_several_new_sections_come_in_their_order():
    desk = Desk("# M\n\n## Critical Feedback\n\n## Own\n\nwords\n")
    desk.note("user_x.md").note("decision_x.md").note(
        "reference_x.md", superseded_by="persona/USER.md"
    ).sync()
    headings = [line for line in desk.text.split("\n") if line.startswith("## ")]
    assert headings == [
        "## Critical Feedback", "## Locked Decisions", "## User Profile", "## Recently Promoted to Persona", "## Own",
    ]  # fmt: skip
    assert "\n\n\n" not in desk.text


def test_wiki_pages_get_their_section_before_the_operators_footer():
    text = "# M\n\n## Debt\n\n- [A](a.md) — a\n\n## Tax\n\n(none yet)\n\n---\n\n## How it works\n\nProse.\n"
    desk = Desk(text, layer="wiki").note("a.md", "A", "a").note("b.md", "B")
    desk.sync()
    assert desk.text == text.replace("(none yet)\n", "(none yet)\n\n## Pages\n\n- [B](b.md) — use it\n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("\n- [A](feedback_a.md) — a\n", "\n- [A](feedback_a.md) — a\nNEW\n"),
        ("\n- [A](feedback_a.md) — a\n\n<!-- c -->\n", "\n- [A](feedback_a.md) — a\nNEW\n\n<!-- c -->\n"),
        ("\n- [A](feedback_a.md) — a\n  - own\n\n    more\n\nProse.\n",
         "\n- [A](feedback_a.md) — a\n  - own\n\n    more\nNEW\n\nProse.\n"),
        ("\n- [A](feedback_a.md) — a\nlazy\n\nProse.\n", "\n- [A](feedback_a.md) — a\nlazy\nNEW\n\nProse.\n"),
        ("\n- [A](feedback_a.md) — a\n\n- [B](feedback_b.md) — b\n",
         "\n- [A](feedback_a.md) — a\n\n- [B](feedback_b.md) — b\n\nNEW\n"),
        ("- [A](feedback_a.md) — a\n", "- [A](feedback_a.md) — a\nNEW\n"),
        ("\n* [A](feedback_a.md) — a\n", "\n* [A](feedback_a.md) — a\n* NEW\n"),
        ("\n7. [A](feedback_a.md) — a\n", "\n7. [A](feedback_a.md) — a\n8. NEW\n"),
        ("\n- [x] [A](feedback_a.md) — a\n", "\n- [x] [A](feedback_a.md) — a\n- [ ] NEW\n"),
        ("\n- Money\n  - [A](feedback_a.md) — a\n- Time\n  - [B](feedback_b.md) — b\n",
         "\n- Money\n  - [A](feedback_a.md) — a\n- Time\n  - [B](feedback_b.md) — b\nNEW\n"),
        ("\n  - [A](feedback_a.md) — a\n", "\n  - [A](feedback_a.md) — a\n  NEW\n"),
        ("\n(none yet — add\nsome)\n", "\n(none yet — add\nsome)\n\nNEW\n"),
        ("\n- (nothing yet — the first\n  comes)\n", "\n- (nothing yet — the first\n  comes)\nNEW\n"),
        ("\nProse.\n\n<!-- c -->\n", "\nProse.\n\nNEW\n\n<!-- c -->\n"),
        ("\n<!-- c -->\n", "\nNEW\n\n<!-- c -->\n"),
        ("\n| a |\n|---|\n", "\nNEW\n\n| a |\n|---|\n"),
        ("\n```\n- [A](feedback_a.md) — a\n```\n", "\nNEW\n\n```\n- [A](feedback_a.md) — a\n```\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["", "\n## Next\n"])
def test_where_a_new_entry_stands_in_its_section(body, expected, ending):
    head = "# M\n\n## Critical Feedback\n"
    desk = Desk(head + body + ending).note("feedback_x.md", "X")
    desk.sync()
    lead = "" if any(mark in expected for mark in ("* NEW", ". NEW", "] NEW")) else "- "
    assert desk.text == head + expected.replace("NEW", f"{lead}[X](feedback_x.md) — use it") + ending


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", "\nNEW\n"),
        ("\n", "\nNEW\n"),
        ("\n\n\n", "\nNEW\n\n\n"),
        ("\n## Next\n", "\nNEW\n\n## Next\n"),
        ("\n\n## Next\n", "\nNEW\n\n## Next\n"),
        ("## Next\n\nwords\n\n## C\n\nd\n", "\nNEW\n\n## Next\n\nwords\n\n## C\n\nd\n"),
        ("\n- [A](feedback_a.md) — a\n ```\ncode\n", "\n- [A](feedback_a.md) — a\n\nNEW\n\n ```\ncode\n"),
        ("\n<!-- open\n\n- [A](feedback_a.md) — a\n", "\nNEW\n\n<!-- open\n\n- [A](feedback_a.md) — a\n"),
        ("\n```\n## Locked Decisions\n", "\nNEW\n\n```\n## Locked Decisions\n"),
    ],
)
def test_where_a_first_entry_stands_in_an_empty_section(body, expected):
    head = "# M\n\n## Critical Feedback\n"
    desk = Desk(head + body).note("feedback_x.md", "X")
    desk.sync()
    assert desk.text == head + expected.replace("NEW", "- [X](feedback_x.md) — use it")


def test_the_compact_style_of_an_index_is_kept():
    text = "# M\n\n## Critical Feedback\n- [A](feedback_a.md) — a\n\n<!-- c -->\n\n## Locked Decisions\n\n<!-- d -->\n"
    desk = Desk(text).note("decision_x.md", "X")
    desk.sync()
    assert desk.text == text.replace("Decisions\n", "Decisions\n- [X](decision_x.md) — use it\n")


def test_an_index_without_blank_lines_stays_without():
    desk = Desk("# M\n## Critical Feedback\n## Locked Decisions\n").note("feedback_x.md", "X")
    desk.sync()
    assert desk.text == "# M\n## Critical Feedback\n- [X](feedback_x.md) — use it\n## Locked Decisions\n"


def test_an_entry_that_goes_and_another_that_comes_leave_no_growing_gap():
    desk = Desk()
    for number in range(4):
        desk.note(f"decision_{number}.md").sync()
        desk.drop(f"decision_{number}.md")
        desk.sync()
    assert "\n\n\n\n" not in desk.text


def test_a_changed_type_moves_the_entry_with_its_hand_edits_and_what_hangs_below():
    desk = Desk().note("feedback_x.md", "X")
    desk.sync()
    desk.edit("- [X](feedback_x.md) — use it\n", "- [X](feedback_x.md) — by hand\n  - own line\n").sync()
    desk.change("feedback_x.md", type="decision").sync()
    assert "## Locked Decisions\n\n- [X](feedback_x.md) — by hand\n  - own line\n\n## User" in desk.text


def test_entries_of_other_units_below_do_not_move_along():
    desk = Desk().note("feedback_x.md", "X").note("feedback_y.md", "Y")
    desk.edit(
        "— seeded\n", "— seeded\n- [X](feedback_x.md) — use it\n  - [Y](feedback_y.md) — use it\n"
    ).sync()
    desk.change("feedback_x.md", type="decision").sync()
    assert desk.section("feedback_y.md") == "Critical Feedback"
    assert desk.section("feedback_x.md") == "Locked Decisions"


@pytest.mark.parametrize("section", ["## Reference", "## My own"])
def test_an_entry_that_a_person_moved_stays_there(section):
    desk = Desk(SECTIONS + "\n## My own\n").note("feedback_x.md", "X")
    desk.sync()
    line = "- [X](feedback_x.md) — use it"
    desk.edit(f"{line}\n", "").edit(f"{section}\n", f"{section}\n\n{line}\n").sync()
    desk.change("feedback_x.md", type="decision", description="new").sync()
    desk.change("feedback_x.md", superseded_by="feedback_y.md").sync()
    assert desk.section("feedback_x.md") == section.removeprefix("## ")
    unit = desk.drop("feedback_x.md")
    desk.sync()
    desk.units["feedback_x.md"] = unit
    desk.sync()
    assert desk.section("feedback_x.md") == section.removeprefix("## ")


def test_a_superseded_unit_goes_to_the_archive_and_says_by_what_and_when():
    desk = Desk().note(OLD, "Old").note("feedback_new_rule.md", captured="2026-06-01")
    desk.sync()
    desk.change(OLD, superseded_by="feedback_new_rule.md").sync()
    assert desk.section(OLD) == "Archive (superseded)"
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — superseded by feedback_new_rule.md, 2026-06-01"]
    assert "(none)\n\n- [Old]" in desk.text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("feedback_new_rule", "feedback_new_rule.md, 2026-06-01"),
        ("memory/feedback_new_rule.md#top", "feedback_new_rule.md, 2026-06-01"),
        ("[[feedback_new_rule]]", "feedback_new_rule.md, 2026-06-01"),
        ("gone.md", "gone.md, 2026-05-06"),
    ],
)
def test_the_successor_is_found_however_it_is_named(name, shown):
    desk = Desk().note(OLD, "Old", superseded_by=name).note("feedback_new_rule.md", captured="2026-06-01")
    desk.sync()
    assert desk.lines(OLD)[0].endswith(f"— superseded by {shown}")


def test_a_promoted_unit_says_when_and_from_where():
    desk = Desk().note(OLD, "Old", last_seen="2026-05-09", superseded_by="persona/USER.md#style")
    desk.sync()
    assert desk.section(OLD) == "Recently Promoted to Persona"
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — promoted 2026-05-09 from {OLD}"]


def test_a_unit_that_is_superseded_no_more_returns_with_its_old_hook():
    desk = Desk().note(OLD, "Old", "old text")
    desk.sync()
    before = desk.text
    desk.change(OLD, superseded_by="x.md").sync()
    desk.change(OLD, superseded_by=None).sync()
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — old text"]
    assert desk.section(OLD) == "Critical Feedback"
    assert [line for line in desk.text.split("\n") if line] == [line for line in before.split("\n") if line]


def test_a_hand_edited_hook_keeps_its_words_in_the_archive_and_returns():
    desk = Desk().note(OLD, "Old", "old text")
    desk.sync()
    desk.edit("old text", "by hand").sync()
    desk.change(OLD, superseded_by="x.md").sync()
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — by hand (superseded by x.md, 2026-05-06)"]
    desk.change(OLD, superseded_by="persona/USER.md").sync()
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — by hand (promoted 2026-05-06 from {OLD})"]
    assert desk.section(OLD) == "Recently Promoted to Persona"
    desk.change(OLD, superseded_by=None).sync()
    assert desk.lines(OLD) == [f"- [Old]({OLD}) — by hand"]
    assert desk.section(OLD) == "Critical Feedback"


def test_a_superseded_unit_that_was_gone_meanwhile_goes_to_the_archive():
    desk = Desk().note(OLD, "Old")
    desk.sync()
    unit = desk.drop(OLD)
    desk.sync()
    desk.units[OLD] = unit
    desk.change(OLD, superseded_by="x.md").sync()
    assert desk.section(OLD) == "Archive (superseded)"


def test_nothing_moves_when_an_index_is_met_for_the_first_time():
    line = f"- [Old]({OLD}) — promoted to persona/USER.md on 2026-05-06"
    desk = Desk(SECTIONS.replace("— seeded\n", f"— seeded\n{line}\n"))
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded").note(
        OLD, "Old", superseded_by="persona/USER.md"
    )
    assert desk.sync().files == {}


def test_several_new_entries_keep_the_blank_lines_between_entries():
    desk = Desk("# M\n\n## Critical Feedback\n\n- [A](feedback_a.md) — a\n\n- [B](feedback_b.md) — b\n")
    desk.note("feedback_x.md", "X").note("feedback_y.md", "Y").sync()
    assert desk.text.endswith("— b\n\n- [X](feedback_x.md) — use it\n\n- [Y](feedback_y.md) — use it\n")


def nested(desk):
    line = "- [A](feedback_a.md) — use it\n    - [B](feedback_b.md) — mine\n"
    desk.note("feedback_a.md", "A").note("feedback_b.md", "B")
    desk.edit("— seeded\n", f"— seeded\n\n{line}").sync()
    return desk


def test_an_entry_that_would_become_code_when_the_one_above_goes_is_lifted():
    desk = nested(Desk()).edit("- [Seed rule](feedback_seed_rule.md) — seeded\n\n", "Prose.\n\n")
    desk.drop("feedback_seed_rule.md")
    desk.drop("feedback_a.md")
    desk.sync()
    assert "\nProse.\n\n- [B](feedback_b.md) — mine\n\n\n## Locked" in desk.text


def test_the_entry_of_a_file_that_is_not_valid_stays_also_where_it_becomes_code():
    desk = nested(Desk()).edit("- [Seed rule](feedback_seed_rule.md) — seeded\n\n", "Prose.\n\n")
    desk.hold("feedback_b.md")
    desk.drop("feedback_seed_rule.md")
    desk.drop("feedback_a.md")
    desk.sync()
    assert "\nProse.\n\n    - [B](feedback_b.md) — mine\n" in desk.text


def test_an_entry_that_comes_back_is_no_deeper_than_it_may_be():
    desk = nested(Desk())
    before = desk.text
    units = {file: desk.drop(file) for file in ("feedback_a.md", "feedback_b.md")}
    desk.sync()
    desk.units["feedback_b.md"] = units["feedback_b.md"]
    desk.sync()
    assert "— seeded\n- [B](feedback_b.md) — mine\n" in desk.text
    desk.units["feedback_a.md"] = units["feedback_a.md"]
    desk.sync()
    assert {line.strip() for line in desk.text.split("\n")} == {line.strip() for line in before.split("\n")}


def test_a_remembered_line_that_is_no_entry_does_no_harm():
    desk = Desk().note("feedback_x.md", "X")
    desk.sync()
    base = desk.remembered["feedback_x.md"]
    desk.remembered["feedback_x.md"] = dataclasses.replace(
        base, line="garbage", after="feedback_seed_rule.md"
    )
    desk.edit("- [X](feedback_x.md) — use it\n", "").sync()
    assert desk.lines("feedback_x.md") == ["- [X](feedback_x.md) — use it"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("caldwell", "Caldwell"),
        ("desk-advisor", "Desk Advisor"),
        ("my_NASA bot", "My NASA Bot"),
        ("_", "Agent"),
        ("a\u202eb", "Ab"),
    ],
)
def test_an_agents_name_is_that_of_its_folder(folder, name):
    assert agent_name(folder) == name


def test_the_name_of_a_folder_cannot_act_in_a_new_index():
    assert skeleton("a <!-- b", "wiki").startswith("# a <\\!-- b — Wiki Index\n".encode())
