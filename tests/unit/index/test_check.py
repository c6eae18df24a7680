"""Looking at index files without changing them, and proving that no authored word goes ([INDEX-7])."""

from __future__ import annotations

import pytest

from atomic_agents.index.authored import authored_lost
from atomic_agents.index.check import Differing, check
from atomic_agents.index.merge import INDEX, Scope, known_of
from atomic_agents.index.wanted import wanted_of
from unit.index.desk import SECTIONS, Desk

SCOPE = Scope("alpha/memory", "memory", "Alpha")


def look(desk):
    wanted = wanted_of(desk.units.values(), desk.layer_dir)
    return check(desk.files, wanted, desk.remembered, SCOPE)


@pytest.fixture
def desk():
    desk = Desk().note("feedback_a.md", "A", "text a").note("feedback_b.md", "B", "text b")
    desk.sync()
    return desk


def test_an_index_that_is_up_to_date_has_nothing_to_report(desk):
    report = look(desk)
    assert report.as_json() == {
        "orphans": [], "dead": [], "duplicates": [], "differing": [], "lines": {INDEX: 25}, "entries": 3,
        "ambiguous": [], "conflicted": [],
    }  # fmt: skip


def test_units_without_entry_are_orphans(desk):
    desk.note("user_x.md")
    assert look(desk).orphans == ("user_x.md",)


def test_lines_without_a_file_are_dead_whether_it_was_ever_there_or_not(desk):
    desk.text += "- [Gone](feedback_gone.md) — never there\n- [Web](https://x.y) — elsewhere\n"
    desk.drop("feedback_b.md")
    desk.sync()
    desk.text += "- [B](feedback_b.md) — again\n"
    assert look(desk).dead == ((INDEX, 25, "feedback_gone.md"), (INDEX, 27, "feedback_b.md"))


def test_further_entries_are_duplicates(desk):
    desk.text += "- [A again](feedback_a.md) — mine\n"
    report = look(desk)
    assert report.duplicates == ((INDEX, 26, "feedback_a.md"),)
    assert report.entries == 4


def test_a_persons_words_that_differ_are_listed(desk):
    desk.edit("[A](feedback_a.md) — text a", "[My A](feedback_a.md) — mine")
    assert look(desk).differing == (
        Differing("feedback_a.md", "title", "My A", "A"),
        Differing("feedback_a.md", "hook", "mine", "text a"),
    )


def test_an_entry_without_hook_differs_and_a_linked_unit_does_not():
    desk = Desk(SECTIONS.replace("(none)", "- [[feedback_a]]\n\nSee [B](feedback_b.md)."))
    desk.note("feedback_a.md", "A", "a").note("feedback_b.md")
    assert look(desk).differing == (Differing("feedback_a.md", "hook", "", "a"),)


def test_conflicts_and_shared_titles_are_listed():
    desk = Desk("- `Rule` — x\n- `Rule` — y\n\n<<<<<<< a\n=======\n>>>>>>> b\n")
    desk.note("feedback_a.md", "Rule").note("feedback_b.md", "Rule")
    report = look(desk)
    assert report.conflicted == (INDEX,)
    assert report.ambiguous == ("feedback_a.md", "feedback_b.md")


def lost(desk, after):
    known = known_of(wanted_of(desk.units.values(), desk.layer_dir), desk.remembered, SCOPE)
    return authored_lost(desk.files, {INDEX: after.encode()}, known)


def test_nothing_is_lost_when_nothing_changes(desk):
    assert lost(desk, desk.text) == ()


@pytest.mark.parametrize(
    "gone",
    [
        "Intro text by the operator.\n",
        "- [Mine](feedback_a.md) — by hand\n",
        "(none)\n",
        "## My own\n",
        "- [G](gone.md) — g\n",
    ],
)
def test_a_line_that_a_person_wrote_is_told_when_it_goes(desk, gone):
    desk.edit("[A](feedback_a.md) — text a", "[Mine](feedback_a.md) — by hand").sync()
    desk.text += "\n## My own\n\n- [G](gone.md) — g\n"
    assert lost(desk, desk.text.replace(gone, "")) == (gone.rstrip("\n"),)


def test_a_persons_words_may_move_and_get_company(desk):
    desk.edit("[A](feedback_a.md) — text a", "[A](feedback_a.md) — by hand").sync()
    after = desk.text.replace("- [A](feedback_a.md) — by hand\n", "")
    after += "- [New A](feedback_a.md) — by hand (superseded by x.md, 2026-01-01)\n"
    assert lost(desk, after) == ()


def test_what_was_generated_and_the_entries_of_units_that_are_gone_may_go(desk):
    after = desk.text.replace("text a", "new text").replace("## User Profile\n\n", "")
    desk.drop("feedback_b.md")
    assert lost(desk, after.replace("- [B](feedback_b.md) — text b\n", "")) == ()


def test_a_title_that_a_person_wrote_and_that_goes_is_told(desk):
    desk.edit("[A](feedback_a.md)", "[My A](feedback_a.md)").sync()
    assert lost(desk, desk.text.replace("My A", "A")) == ("- [My A](feedback_a.md) — text a",)
