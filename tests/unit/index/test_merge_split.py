"""Splitting a long INDEX.md into sub-indexes, and living with them ([INDEX-6])."""

from __future__ import annotations

import re

import pytest

from atomic_agents.index.merge import INDEX
from atomic_agents.index.slices import cut, key_of, labels
from unit.index.desk import SECTIONS, Desk, added

KINDS = ["feedback", "decision", "user", "project", "reference"]
SLICES = [
    "INDEX_decisions.md",
    "INDEX_feedback.md",
    "INDEX_projects.md",
    "INDEX_reference.md",
    "INDEX_user.md",
]


def fill(desk, count, kinds=KINDS, start=0):
    for number in range(start, start + count):
        letter = chr(ord("a") + number * 7 % 26)
        desk.note(
            f"{kinds[number % len(kinds)]}_{letter}_topic_{number:04}.md", f"Name {number}", f"text {number}"
        )
    return desk


def counts(desk):
    """The counts that the index files give, and how many entries the files they lead to really hold."""
    given = {}
    for data in desk.files.values():
        for name, count in re.findall(r"\]\((INDEX[^)]*)\) — .* \((\d+) entr(?:y|ies)\)", data.decode()):
            assert name not in given
            given[name] = int(count)
    return given


def held(desk, name):
    text = desk.read(name)
    own = len(re.findall(r"^[-*] \[(?!INDEX)", text, re.MULTILINE))
    return own + sum(held(desk, below) for below in re.findall(r"\]\((INDEX[^)]*)\)", text))


@pytest.fixture
def desk():
    desk = fill(Desk(), 200)
    desk.sync()
    return desk


def test_a_short_index_is_not_split():
    desk = fill(Desk(), 100)
    assert desk.sync().split == ()
    assert list(desk.files) == [INDEX]


def test_a_long_index_keeps_its_prose_and_one_line_for_each_section():
    desk = fill(Desk(), 200)
    assert sorted(desk.sync().split) == SLICES
    assert desk.text == (
        "# Alpha — Memory Index\n\nIntro text by the operator.\n\n---\n\n"
        "- [INDEX_feedback](INDEX_feedback.md) — Critical Feedback (41 entries)\n"
        "- [INDEX_decisions](INDEX_decisions.md) — Locked Decisions (40 entries)\n"
        "- [INDEX_user](INDEX_user.md) — User Profile (40 entries)\n"
        "- [INDEX_projects](INDEX_projects.md) — Active Projects (40 entries)\n"
        "- [INDEX_reference](INDEX_reference.md) — Reference (40 entries)\n"
        "\n## Recently Promoted to Persona\n\n## Archive (superseded)\n\n(none)\n"
    )


def test_sections_move_verbatim():
    desk = fill(Desk(split="never"), 200)
    desk.sync()
    desk.edit(
        "— seeded\n", "— seeded\n  - own line\n\n  more\n\nProse of mine.\n\n### Deeper\n\n| a |\n|---|\n\n"
    )
    before = desk.text
    desk.settings = Desk().settings
    desk.sync()
    section = before[before.index("## Critical Feedback") : before.index("\n\n## Locked Decisions")]
    assert desk.read("INDEX_feedback.md") == f"{section}\n"


def test_an_index_that_shall_never_be_split_is_not():
    desk = fill(Desk(split="never"), 300)
    assert desk.sync().split == ()
    assert list(desk.files) == [INDEX]


def test_an_index_that_is_long_for_its_prose_is_not_split():
    desk = Desk(SECTIONS.replace("(none)", "prose\n" * 300)).note("feedback_x.md")
    desk.sync()
    assert list(desk.files) == [INDEX]


def test_own_sections_stay_where_they_are():
    own = "\n## My own\n\n- [Read me](feedback_a_topic_0000.md) — first of all\n\nProse.\n"
    desk = fill(Desk(SECTIONS + own), 200).note("feedback_seed_rule.md", "Seed rule", "seeded")
    desk.sync()
    assert desk.text.endswith(own)


def test_the_archive_moves_too_if_need_be():
    desk = fill(Desk(max_lines=300), 200)
    for file in list(desk.units):
        desk.change(file, superseded_by="x.md")
    desk.sync()
    desk.settings = Desk(max_lines=205).settings
    desk.sync()
    assert counts(desk) == {"INDEX_archive.md": 200, "INDEX_feedback.md": 1}
    assert desk.read("INDEX_archive.md").startswith("## Archive (superseded)\n\n(none)\n\n- [Name")


def test_the_line_ends_of_the_index_are_those_of_the_sub_indexes():
    desk = fill(Desk(SECTIONS.replace("\n", "\r\n").encode()), 200)
    desk.sync()
    assert all(data.count(b"\n") == data.count(b"\r\n") for data in desk.files.values())


def test_a_new_note_goes_to_the_sub_index_and_the_count_stays_true(desk):
    before = dict(desk.files)
    fill(desk, 1, ["user"], start=900).sync()
    changed = [name for name, data in desk.files.items() if data != before[name]]
    assert sorted(changed) == [INDEX, "INDEX_user.md"]
    assert "User Profile (41 entries)" in desk.text
    assert desk.read("INDEX_user.md").endswith("(user_i_topic_0900.md) — text 900\n")


def test_a_removed_note_leaves_the_sub_index_and_the_count(desk):
    desk.drop("user_o_topic_0002.md")
    desk.sync()
    assert "User Profile (39 entries)" in desk.text
    assert desk.where("user_o_topic_0002.md") == []


def test_entries_move_between_sub_indexes_and_the_archive(desk):
    file = "user_o_topic_0002.md"
    desk.change(file, type="project").sync()
    assert desk.where(file) == ["INDEX_projects.md"]
    desk.change(file, superseded_by="x.md").sync()
    assert desk.where(file) == [INDEX]
    assert desk.section(file) == "Archive (superseded)"
    desk.change(file, superseded_by=None).sync()
    assert desk.where(file) == ["INDEX_projects.md"]


def test_a_hand_edited_entry_in_a_sub_index_stays_goes_and_comes_back(desk):
    file = "user_o_topic_0002.md"
    desk.edit("text 2\n", "by hand\n", "INDEX_user.md").sync()
    desk.change(file, description="new").sync()
    before = dict(desk.files)
    unit = desk.drop(file)
    desk.sync()
    desk.units[file] = unit
    desk.sync()
    assert desk.files == before


def test_words_around_a_count_are_the_operators(desk):
    desk.edit(
        "- [INDEX_user](INDEX_user.md) — User Profile (40", "* [Who I am](INDEX_user.md): read always (40"
    ).sync()
    fill(desk, 1, ["user"], start=900).sync()
    assert "\n* [Who I am](INDEX_user.md): read always (41 entries)\n" in desk.text


def test_a_line_that_a_tool_adds_to_the_index_is_moved_to_the_sub_index(desk):
    before = desk.text
    desk.note("user_new_rule.md", "New", "by a tool")
    desk.text += "\n## User Profile\n- [New](user_new_rule.md) — my words\n"
    desk.sync()
    assert desk.where("user_new_rule.md") == ["INDEX_user.md"]
    assert desk.read("INDEX_user.md").endswith("- [New](user_new_rule.md) — my words\n")
    assert desk.text == before.replace("User Profile (40", "User Profile (41")


def test_a_line_added_below_the_sub_indexes_is_moved_too(desk):
    desk.note("user_new_rule.md", "New")
    desk.edit("Reference (40 entries)\n", "Reference (40 entries)\n- [New](user_new_rule.md) — mine\n").sync()
    assert desk.where("user_new_rule.md") == ["INDEX_user.md"]


def test_a_line_that_a_tool_repeats_in_the_index_goes(desk):
    before = desk.text
    desk.edit("text 2\n", "by hand\n", "INDEX_user.md").sync()
    desk.text += "\n## User Profile\n- [Name 2](user_o_topic_0002.md) — text 2\n"
    desk.sync()
    assert desk.text == before
    assert desk.where("user_o_topic_0002.md") == ["INDEX_user.md"]
    assert "— by hand\n" in desk.read("INDEX_user.md")


def test_prose_below_a_heading_that_came_back_stays(desk):
    desk.text += "\n## User Profile\n\nMy words.\n"
    assert desk.sync().files == {}


def test_the_line_that_leads_to_a_sub_index_is_put_back(desk):
    line = "- [INDEX_user](INDEX_user.md) — User Profile (40 entries)\n"
    desk.edit(line, "").sync()
    assert line in desk.text


def test_a_lost_index_leads_to_the_sub_indexes_again(desk):
    del desk.files[INDEX]
    desk.sync()
    assert sorted(counts(desk)) == SLICES
    assert "## User Profile" not in desk.text


def test_a_lost_sub_index_is_made_anew_with_its_hand_edits(desk):
    desk.edit("text 2\n", "by hand\n", "INDEX_user.md").sync()
    before = desk.read("INDEX_user.md")
    del desk.files["INDEX_user.md"]
    desk.sync()
    assert desk.read("INDEX_user.md") == before


def test_a_kill_between_the_sub_indexes_and_the_index_leaves_no_double(desk):
    halfway = fill(Desk(), 200)
    halfway.settings = Desk(split="never").settings
    halfway.sync()
    halfway.edit("text 2\n", "by hand\n").sync()
    text = halfway.text
    halfway.settings = desk.settings
    halfway.sync()
    done = dict(halfway.files)
    halfway.files[INDEX] = text.encode()
    halfway.sync()
    assert halfway.files == done


def test_a_sub_index_that_alone_is_too_long_is_split_by_the_letters_of_its_topics():
    desk = fill(Desk(), 400, ["feedback"])
    desk.sync()
    assert all(data.count(b"\n") <= 150 for data in desk.files.values())
    assert [name for name in desk.files if name not in {INDEX, "INDEX_feedback.md"}] == [
        "INDEX_feedback_a-f.md", "INDEX_feedback_g-l.md", "INDEX_feedback_m-r.md", "INDEX_feedback_s-x.md", "INDEX_feedback_y-z.md",
    ]  # fmt: skip
    assert counts(desk) == {name: held(desk, name) for name in desk.files if name != INDEX}
    assert desk.read("INDEX_feedback.md").startswith(
        "## Critical Feedback\n\n- [INDEX_feedback_a-f](INDEX_feedback_a-f.md) — a to f ("
    )
    assert desk.read("INDEX_feedback_a-f.md").startswith(
        "## Critical Feedback\n\n- [Name 0](feedback_a_topic_0000.md)"
    )


@pytest.fixture
def deep():
    desk = fill(Desk(max_lines=20), 100, ["feedback"])
    desk.sync()
    return desk


def test_new_notes_go_to_the_sub_index_of_their_letters(deep):
    deep.note("feedback_zebra_rule.md").note("feedback_0_first_rule.md").sync()
    ranges = sorted(name for name in deep.files if re.search("feedback_.-", name))
    assert deep.where("feedback_zebra_rule.md") == [ranges[-1]]
    assert deep.where("feedback_0_first_rule.md") == [ranges[0]]
    assert counts(deep) == {name: held(deep, name) for name in deep.files if name != INDEX}


def test_a_range_that_becomes_too_long_is_split_in_turn(deep):
    for number in range(40):
        deep.note(f"feedback_a{chr(97 + number % 26)}_more_{number}.md", f"More {number}").sync()
    assert all(data.count(b"\n") <= 20 for name, data in deep.files.items() if name != INDEX)
    assert counts(deep) == {name: held(deep, name) for name in deep.files if name != INDEX}
    assert sum(data.count(b"- [More") for data in deep.files.values()) == 40


def test_a_line_that_is_added_to_a_sub_index_of_ranges_is_moved_to_its_range(deep):
    deep.note("feedback_b_new_rule.md", "New")
    deep.files["INDEX_feedback.md"] += b"- [New](feedback_b_new_rule.md) \xe2\x80\x94 mine\n"
    deep.sync()
    (name,) = deep.where("feedback_b_new_rule.md")
    assert re.match(r"INDEX_feedback_a-.\.md", name)


def test_an_entry_that_a_person_moved_to_another_range_stays_there(deep):
    first, last = (sorted(name for name in deep.files if re.search("feedback_.-", name))[n] for n in (0, -1))
    line = next(line for line in deep.read(first).split("\n") if "feedback_a_topic" in line)
    deep.edit(f"{line}\n", "", first)
    deep.files[last] += f"{line}\n".encode()
    deep.sync()
    assert deep.where(re.search(r"\((.*?)\)", line)[1]) == [last]


def test_five_thousand_notes_keep_every_index_file_short():
    desk = fill(Desk(), 5000)
    desk.sync()
    assert all(data.count(b"\n") <= 150 for data in desk.files.values())
    assert sum(len(re.findall(rb"^- \[Name", data, re.MULTILINE)) for data in desk.files.values()) == 5000
    assert counts(desk) == {name: held(desk, name) for name in desk.files if name != INDEX}


def test_wiki_pages_are_split_by_letters():
    desk = Desk(None, layer="wiki")
    for number in range(400):
        desk.note(f"{chr(97 + number * 7 % 26)}_page_{number}.md", f"Page {number}")
    desk.sync()
    assert "- [INDEX_pages](INDEX_pages.md) — Pages (400 entries)\n" in desk.text
    assert "INDEX_pages_a-f.md" in desk.files


def test_one_long_list_without_sections_is_split_by_type():
    desk = fill(
        Desk("Words of mine.\n\n- [Old](old-note.md) — not a unit\n- [N](decision_q_topic_0006.md) — mine\n"),
        200,
    )
    desk.sync()
    assert desk.text == (
        "Words of mine.\n\n- [Old](old-note.md) — not a unit\n"
        "\n- [INDEX_feedback](INDEX_feedback.md) — Critical Feedback (40 entries)\n"
        "- [INDEX_decisions](INDEX_decisions.md) — Locked Decisions (40 entries)\n"
        "- [INDEX_user](INDEX_user.md) — User Profile (40 entries)\n"
        "- [INDEX_projects](INDEX_projects.md) — Active Projects (40 entries)\n"
        "- [INDEX_reference](INDEX_reference.md) — Reference (40 entries)\n"
    )
    assert desk.read("INDEX_decisions.md").startswith(
        "## Locked Decisions\n\n- [N](decision_q_topic_0006.md) — mine\n"
    )


OPERATORS = "# Decisions\n\n- [A](decision_a.md) — a\n- [B](decision_b.md) — b\n"


@pytest.mark.parametrize("section", ["## Locked Decisions\n\n", ""])
def test_a_sub_index_that_the_operator_made_gets_the_new_entries_of_its_type(section):
    text = SECTIONS.replace("## Locked Decisions\n", f"{section}- [All of them](INDEX_own.md) — decisions\n")
    desk = Desk(text).note("feedback_seed_rule.md", "Seed rule", "seeded")
    desk.files["INDEX_own.md"] = OPERATORS.encode()
    desk.note("decision_a.md", "A", "a").note("decision_b.md", "B", "b")
    assert desk.sync().files == {}
    desk.note("decision_c.md", "C").sync()
    assert desk.text == text
    assert added(OPERATORS, desk.read("INDEX_own.md")) == ["- [C](decision_c.md) — use it"]


def test_a_long_sub_index_that_the_operator_made_is_left_alone():
    desk = Desk(SECTIONS + "\n- [All of them](INDEX_own.md) — decisions\n")
    desk.note("feedback_seed_rule.md", "Seed rule", "seeded")
    lines = "".join(f"- [N](decision_{number}.md) — n\n" for number in range(200))
    desk.files["INDEX_own.md"] = lines.encode()
    for number in range(200):
        desk.note(f"decision_{number}.md", "N", "n")
    assert desk.sync().files == {}


def test_index_files_in_folders_link_from_where_they_are():
    desk = Desk(SECTIONS + "\n- [More](sub/INDEX.md) — below\n").note(
        "feedback_seed_rule.md", "Seed rule", "seeded"
    )
    desk.files["sub/INDEX.md"] = (
        b"## Locked Decisions\n\n- [A](decision_a.md) - a\n- [B](../decision_b.md) - b\n"
    )
    desk.note("sub/decision_a.md", "A", "a").note("decision_b.md", "B", "b").sync()
    desk.note("decision_c.md", "C").note("sub/decision_d.md", "D").sync()
    assert desk.read("sub/INDEX.md") == (
        "## Locked Decisions\n\n- [A](decision_a.md) - a\n- [B](../decision_b.md) - b\n"
        "- [C](../decision_c.md) - use it\n- [D](decision_d.md) - use it\n"
    )


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("feedback_debt_priority.md", "debt_priority"),
        ("sub/decision_2026-q3_income.md", "2026_q3_income"),
        ("avalanche_vs_snowball.md", "avalanche_vs_snowball"),
        ("user_Größe.md", "grösse"),
        ("feedback_-.md", "_"),
    ],
)
def test_a_unit_is_sorted_by_its_topic(file, key):
    assert key_of(file) == key


def test_equal_keys_are_never_parted():
    assert cut([("a", 1)] * 50, 10) == [range(50)]
    assert cut([("a", 1)] * 50 + [("b", 1)] * 5, 10) == [range(50), range(50, 55)]
    assert cut([], 10) == []


def test_labels_tell_parts_apart():
    assert labels([("apple", "cherry"), ("date", "dune"), ("duty", "zoo")]) == [
        ("a", "c"),
        ("d", "dun"),
        ("dut", "zoo"),
    ]


def test_the_line_that_leads_to_a_range_is_put_back(deep):
    line = next(line for line in deep.read("INDEX_feedback.md").split("\n") if "(INDEX_feedback_c" in line)
    deep.edit(f"{line}\n", "", "INDEX_feedback.md").sync()
    assert line in deep.read("INDEX_feedback.md").split("\n")
    assert counts(deep) == {name: held(deep, name) for name in deep.files if name != INDEX}


def test_a_sub_index_that_is_long_for_its_prose_is_left_as_it_is(desk):
    desk.files["INDEX_user.md"] += b"\n" + b"words\n" * 200
    units = [file for file in desk.units if file.startswith("user_")]
    for file in units[1:]:
        desk.drop(file)
    desk.sync()
    assert not [name for name in desk.files if name.startswith("INDEX_user_")]


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("# Mine\n\nWords.\n", "# Mine\n\nWords.\n\n## User Profile\n\n- [Name 52]"),
        (
            "## User Profile\n\n- [Old](user_gone.md) — x\n",
            "## User Profile\n\n- [Old](user_gone.md) — x\n- [Name 52]",
        ),
    ],
)
def test_a_file_that_has_the_name_of_a_sub_index_keeps_what_is_in_it(own, expected):
    desk = fill(Desk(max_lines=400), 200)
    desk.sync()
    desk.files["INDEX_user.md"] = own.encode()
    desk.settings = Desk().settings
    desk.sync()
    assert desk.read("INDEX_user.md").startswith(expected)
    assert counts(desk)["INDEX_user.md"] == held(desk, "INDEX_user.md")


def test_the_line_that_leads_to_a_sub_index_of_ranges_is_put_back(deep):
    line = next(line for line in deep.text.split("\n") if "(INDEX_feedback.md)" in line)
    deep.edit(f"{line}\n", "").sync()
    assert line in deep.text.split("\n")
