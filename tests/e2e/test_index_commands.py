"""`atomicd index check` and `rebuild` (contract [INDEX-7])."""

from __future__ import annotations

import json

import pytest

from fakes.notes import bad_note, note, put

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"


@pytest.fixture
def daemon(make_daemon, vault):
    put(vault, RULE, note("First", "generated"))
    put(vault, OTHER, note("Other", "generated too"))
    return make_daemon(vault)


def index(vault):
    return vault / "alpha/memory/INDEX.md"


def test_a_vault_that_no_daemon_has_seen_can_be_checked(daemon, vault):
    done = daemon.command("index", "check", "--json", check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["orphans"] == [RULE, OTHER]
    assert not index(vault).exists()


def test_a_good_index_is_good(daemon):
    daemon.sync()
    assert daemon.command("index", "check").returncode == 0
    assert daemon.command("index", "rebuild", "--check").returncode == 0


def test_orphans_dead_double_and_hand_made_entries_are_listed_with_their_lines(daemon, vault):
    daemon.sync()
    text = index(vault).read_text().replace("— generated too", "— mine")
    lines = [line for line in text.split("\n") if "feedback_first_rule.md" not in line]
    lines += ["- [Gone](feedback_gone_rule.md) — old", "- [Other](feedback_other_rule.md) — again", ""]
    index(vault).write_text("\n".join(lines))
    put(vault, "alpha/memory/feedback_bad_rule.md", bad_note())
    done = daemon.command("index", "check", "--json", check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["orphans"] == [RULE]
    assert [(one["target"], one["line"]) for one in report["dead"]] == [
        ("feedback_gone_rule.md", len(lines) - 2)
    ]
    assert [one["file"] for one in report["duplicates"]] == ["feedback_other_rule.md"]
    assert [(one["file"], one["stands"]) for one in report["differing"]] == [(OTHER, "mine")]
    shown = daemon.command("index", "check", check=False).stdout
    assert "no entry" in shown and "feedback_gone_rule.md" in shown


@pytest.mark.parametrize("running", [True, False], ids=["by-the-daemon", "by-itself"])
def test_rebuild_does_what_check_showed_and_keeps_what_people_wrote(daemon, vault, running):
    daemon.sync()
    text = index(vault).read_text().replace("— generated too", "— mine")
    index(vault).write_text(f"Prose of mine.\n\n{text}")
    daemon.sync()
    if running:
        daemon.start()
    good = index(vault).read_text()
    conflicted = good.replace(
        "Prose of mine.", "<<<<<<< HEAD\nProse of mine.\n=======\nTheirs.\n>>>>>>> theirs"
    )
    index(vault).write_text(conflicted)
    planned = daemon.command("index", "rebuild", "--check", check=False)
    assert planned.returncode == 1
    assert index(vault).read_text() == conflicted
    assert "-<<<<<<< HEAD" in planned.stdout
    daemon.command("index", "rebuild")
    assert index(vault).read_text() == good
    kept = [path.read_text() for path in (vault / "_quarantine").glob("*/INDEX.md")]
    assert kept == [conflicted]
    assert daemon.command("index", "rebuild", "--check").returncode == 0


def test_a_long_index_is_split_and_says_so(make_daemon, vault):
    for number in range(90):
        put(vault, f"alpha/memory/feedback_rule_{number}.md", note(f"Rule {number}"))
        put(vault, f"alpha/memory/user_fact_{number}.md", note(f"Fact {number}", kind="user"))
    daemon = make_daemon(vault).start()
    daemon.sync()
    assert [line["path"] for line in daemon.events("index.split")] == [
        "alpha/memory/INDEX_feedback.md",
        "alpha/memory/INDEX_user.md",
    ]
    assert len(index(vault).read_text().splitlines()) < 150
    assert "(90 entries)" in index(vault).read_text()
    put(vault, "alpha/memory/feedback_one_more.md", note("One more"))
    daemon.wait_for("unit.indexed", path="alpha/memory/feedback_one_more.md")
    assert "(91 entries)" in index(vault).read_text()
    assert "feedback_one_more.md" in (vault / "alpha/memory/INDEX_feedback.md").read_text()
    assert daemon.command("index", "check").returncode == 0
