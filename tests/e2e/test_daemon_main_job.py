"""The main job with the real daemon: watch, index, block (contract [D-1] to [D-6], [Q-1], [Q-2], [Q-6])."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from fakes.notes import bad_note, note, put
from fakes.process import eventually

RULE = "alpha/memory/feedback_first_rule.md"


def index(vault, layer="alpha/memory"):
    return (vault / layer / "INDEX.md").read_text()


@pytest.fixture
def daemon(make_daemon, vault):
    return make_daemon(vault).start()


def test_a_new_note_gets_its_entry(daemon, vault):
    put(vault, RULE, note("First rule", "when it is first"))
    daemon.wait_for("unit.indexed", path=RULE)
    assert "- [First rule](feedback_first_rule.md) — when it is first\n" in index(vault)


@pytest.mark.parametrize(
    ("kind", "heading"),
    [
        ("feedback", "Critical Feedback"),
        ("decision", "Locked Decisions"),
        ("user", "User Profile"),
        ("project", "Active Projects"),
        ("reference", "Reference"),
    ],
)
def test_each_type_has_its_section(daemon, vault, kind, heading):
    put(vault, f"alpha/memory/{kind}_some_topic.md", note("N", kind=kind))
    daemon.wait_for("unit.indexed")
    before, _, after = index(vault).partition(f"## {heading}\n")
    assert before and f"({kind}_some_topic.md)" in after.split("\n## ")[0]


def test_a_wiki_page_is_indexed_under_pages(daemon, vault):
    fields = {"provenance": "distilled", "sources": "\n  - raw/x.md"}
    put(vault, "alpha/raw/x.md", "raw")
    put(vault, "alpha/wiki/some_topic.md", note("Page", kind="wiki_page", **fields))
    daemon.wait_for("unit.indexed")
    assert "## Pages\n\n- [Page](some_topic.md)" in index(vault, "alpha/wiki")


def test_the_life_of_a_note_shows_in_the_index(daemon, vault):
    """Changed, renamed, superseded, promoted, removed."""
    put(vault, RULE, note("First rule", "one"))
    daemon.wait_for("unit.indexed")
    put(vault, RULE, note("First rule", "two"))
    daemon.wait_for("unit.indexed")
    assert "— two" in index(vault) and "— one" not in index(vault)

    (vault / RULE).rename(vault / "alpha/memory/feedback_other_rule.md")
    daemon.wait_for("unit.renamed", path=RULE)
    assert index(vault).count("feedback_other_rule.md") == 1
    assert "feedback_first_rule.md" not in index(vault)

    put(vault, "alpha/memory/feedback_newer_rule.md", note("Newer", supersedes="feedback_other_rule.md"))
    put(vault, "alpha/memory/feedback_other_rule.md", note("First", superseded_by="feedback_newer_rule.md"))
    eventually(lambda: "superseded by feedback_newer_rule.md" in index(vault).partition("## Archive")[2])

    put(vault, "alpha/memory/feedback_other_rule.md", note("First", superseded_by="persona/USER.md"))
    eventually(
        lambda: (
            "feedback_other_rule.md" in index(vault).partition("## Recently Promoted")[2].split("\n## ")[0]
        )
    )

    (vault / "alpha/memory/feedback_other_rule.md").unlink()
    daemon.wait_for("unit.removed", path="alpha/memory/feedback_other_rule.md")
    assert "feedback_other_rule.md" not in index(vault)


def test_a_hand_edited_hook_stays_when_the_note_changes(daemon, vault):
    put(vault, RULE, note("First rule", "one"))
    daemon.wait_for("unit.indexed")
    path = vault / "alpha/memory/INDEX.md"
    path.write_text(index(vault).replace("— one", "— mine, short"))
    put(vault, RULE, note("First rule", "two"))
    daemon.wait_for("unit.indexed")
    assert "— mine, short\n" in index(vault)


def test_an_invalid_write_is_blocked_and_the_last_good_version_is_back(daemon, vault):
    good = note("First rule", "one")
    put(vault, RULE, good)
    daemon.wait_for("unit.indexed")
    put(vault, RULE, bad_note())
    held = daemon.wait_for("unit.held", path=RULE)
    assert held["problems"][0]["code"] == "field-enum"
    line = daemon.wait_for("unit.quarantined", path=RULE)
    daemon.wait_for("unit.restored", path=RULE)
    assert (vault / RULE).read_text() == good
    folder = vault / "_quarantine" / line["incident"]
    assert (folder / "feedback_first_rule.md").read_text() == bad_note()
    report = json.loads((folder / "report.json").read_text())
    assert (report["path"], report["problems"][0]["field"]) == (RULE, "confidence")
    assert "feedback_first_rule.md" in index(vault)

    listed = json.loads(daemon.command("quarantine", "list", "--json").stdout)
    assert [one["id"] for one in listed] == [line["incident"]]
    assert "confidence" in daemon.command("quarantine", "show", line["incident"]).stdout
    refused = daemon.command("quarantine", "restore", line["incident"], check=False)
    assert refused.returncode == 1 and "--force" in refused.stderr
    daemon.command("quarantine", "restore", line["incident"], "--force")
    daemon.wait_for("unit.adopted", path=RULE)
    assert (vault / RULE).read_text() == bad_note()


def test_a_file_that_is_valid_in_time_leaves_no_trace_but_a_log_line(daemon, vault):
    put(vault, RULE, note().replace("confidence: high\n", ""))
    daemon.wait_for("unit.held")
    put(vault, RULE, note())
    daemon.wait_for("unit.released", path=RULE)
    daemon.sync()
    assert not (vault / "_quarantine").exists()


def test_a_vault_that_is_new_is_adopted_and_only_later_writes_are_blocked(make_daemon, vault):
    legacy = "alpha/memory/feedback_old_style.md"
    for number in range(60):
        put(vault, f"alpha/memory/feedback_old_{number}.md", f"---\nname: old {number}\n---\n")
    put(vault, legacy, "---\nname: old\n---\n")
    daemon = make_daemon(vault).start()
    (adopted,) = daemon.events("vault.adopted")
    assert adopted["adopted"] == 61
    assert not (vault / "_quarantine").exists()
    assert json.loads(daemon.command("status", "--json").stdout)["adopted"] == 61
    os.utime(vault / legacy)
    daemon.sync()
    assert (vault / legacy).exists()
    put(vault, legacy, "---\nname: still old\n---\n")
    daemon.wait_for("unit.quarantined", path=legacy)


def test_many_notes_that_turn_invalid_at_once_open_the_breaker(make_daemon, vault):
    paths = [f"alpha/memory/feedback_rule_{number}.md" for number in range(100)]
    for path in paths:
        put(vault, path, note(path))
    daemon = make_daemon(vault).start()
    for path in paths:
        put(vault, path, bad_note())
    daemon.wait_for("quarantine.breaker_opened")
    daemon.sync()
    assert all((vault / path).read_text() == bad_note() for path in paths)
    assert index(vault).count("](feedback_rule_") == 100
    told = json.loads(daemon.command("status", "--json").stdout)
    assert (told["state"], told["held"], told["breaker"]) == ("degraded", 100, "open")
    for path in paths:
        put(vault, path, note(path))
    daemon.wait_for("quarantine.breaker_closed")


def test_a_note_of_a_newer_schema_is_left_in_place(daemon, vault):
    put(vault, RULE, note(schema_version="2"))
    daemon.wait_for("unit.left", path=RULE)
    daemon.sync()
    assert (vault / RULE).exists()
    assert not (vault / "_quarantine").exists()


def test_what_happened_while_the_daemon_was_down_is_handled_at_the_start(make_daemon, vault):
    put(vault, "alpha/memory/feedback_kept_rule.md", note("Kept"))
    put(vault, "alpha/memory/feedback_gone_rule.md", note("Gone"))
    put(vault, "alpha/memory/feedback_broken_rule.md", note("Broken"))
    daemon = make_daemon(vault).start()
    assert daemon.stop() == 0
    (vault / "alpha/memory/feedback_gone_rule.md").unlink()
    put(vault, "alpha/memory/feedback_new_rule.md", note("New"))
    put(vault, "alpha/memory/feedback_broken_rule.md", bad_note())
    daemon.start()
    daemon.sync()
    assert [line["path"] for line in daemon.events("unit.quarantined")] == [
        "alpha/memory/feedback_broken_rule.md"
    ]
    text = index(vault)
    assert "feedback_new_rule.md" in text and "feedback_kept_rule.md" in text
    assert "feedback_gone_rule.md" not in text
    assert (vault / "alpha/memory/feedback_broken_rule.md").read_text() == note("Broken")


def test_a_second_daemon_is_refused_and_names_the_first(daemon, vault, make_daemon, tmp_path):
    link = tmp_path / "another-name"
    link.symlink_to(vault)
    for name in (vault, link):
        second = subprocess.run(
            [sys.executable, "-m", "atomic_agents", "run", "--vault", str(name)],
            env=daemon.env, capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
        assert second.returncode == 69
        assert str(daemon.process.pid) in second.stderr
    put(vault, RULE, note())
    daemon.wait_for("unit.indexed", path=RULE)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(daemon, number):
    assert daemon.stop(number) == 0
    assert daemon.errors == ""
    assert [line["event"] for line in daemon.lines[-2:]] == ["daemon.stopping", "daemon.stopped"]
    told = json.loads(daemon.command("status", "--json").stdout)
    assert told["state"] == "stopped"


def test_after_a_kill_the_next_start_works_and_says_that_it_crashed(daemon, vault):
    daemon.kill()
    assert json.loads(daemon.command("status", "--json").stdout)["state"] == "crashed"
    put(vault, RULE, note())
    daemon.start()
    assert "feedback_first_rule.md" in index(vault)


def test_a_reload_takes_a_good_configuration_and_refuses_a_bad_one(daemon, vault):
    daemon.config.write_text("root = [")
    daemon.send(signal.SIGHUP)
    assert "no TOML" in daemon.wait_for("config.refused")["reason"]
    put(vault, RULE, note())
    daemon.wait_for("unit.indexed", path=RULE)
    daemon.config.write_text("[quarantine]\ngrace_seconds = 0.2\n[settle]\nquiet_ms = 50\n")
    daemon.send(signal.SIGHUP)
    assert set(daemon.wait_for("config.reloaded")["sections"]) >= {"quarantine", "settle"}
    put(vault, RULE, bad_note())
    assert daemon.wait_for("unit.held", path=RULE)["seconds"] <= 0.2


def test_one_line_per_outcome_in_json_with_the_keys_of_the_contract(daemon, vault):
    put(vault, RULE, note())
    line = daemon.wait_for("unit.indexed")
    assert list(line)[:6] == ["ts", "level", "event", "vault", "agent", "layer"]
    daemon.sync()
    assert len(daemon.events("unit.indexed")) == 1
    log = (daemon.home / "log" / "atomicd.jsonl").read_text().splitlines()
    assert all(isinstance(json.loads(row), dict) for row in log)


def test_an_idle_daemon_writes_nothing(daemon, vault):
    put(vault, RULE, note())
    daemon.wait_for("unit.indexed")
    daemon.sync()
    before = {path: path.stat() for path in vault.rglob("*")}
    subprocess.run(["cat", str(vault / RULE)], check=True, capture_output=True)
    for _ in range(3):
        daemon.sync()
    assert {path: path.stat()[:9] for path in vault.rglob("*")} == {
        path: stat[:9] for path, stat in before.items()
    } or {path: stat.st_mtime_ns for path, stat in before.items()} == {
        path: path.stat().st_mtime_ns for path in vault.rglob("*")
    }


def test_sync_without_a_daemon_does_the_same(make_daemon, vault):
    daemon = make_daemon(vault)
    put(vault, RULE, note("First rule", "one"))
    answer = daemon.sync()
    assert answer["units"] == 1
    assert answer["written"] == ["alpha/memory/INDEX.md"]
    put(vault, RULE, bad_note())
    assert daemon.sync()["quarantined"] == 1
    assert (vault / RULE).read_text() == note("First rule", "one")
    assert daemon.sync()["written"] == []
