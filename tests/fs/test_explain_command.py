"""`atomicd explain`: what a path is to the system, and why."""

from __future__ import annotations

import json
import os

import pytest

from atomic_agents.cli import app
from atomic_agents.log import FILE_NAME
from atomic_agents.quarantine import Incidents
from atomic_agents.units import CODES
from fakes.notes import bad_note, note, put

PATH = "alpha/memory/feedback_answer_first.md"


@pytest.fixture
def vault(tmp_path, monkeypatch):
    root = tmp_path / "vault"
    (root / "alpha" / "memory").mkdir(parents=True)
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMICD_LOG_DIR", str(tmp_path / "log"))
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(root))
    monkeypatch.chdir(root)
    return root


def explain(capsys, *words):
    code = app._run(["explain", *map(str, words)])
    return code, capsys.readouterr().out


def told(capsys, path):
    return json.loads(explain(capsys, path, "--json")[1])


def sync(capsys):
    assert app._run(["sync", "--no-wait"]) == 0
    capsys.readouterr()


def verdicts(values):
    return {rule["code"]: rule["verdict"] for rule in values["rules"]}


def test_a_valid_note_is_told_with_its_kind_its_agent_and_rules_that_hold(vault, capsys):
    put(vault, PATH, note())
    code, out = explain(capsys, PATH)
    assert code == 0
    assert "a note of the agent alpha, in its memory layer" in out
    assert "not-indexed" in out
    values = told(capsys, PATH)
    assert (values["kind"], values["agent"], values["layer"]) == ("note", "alpha", "memory")
    assert verdicts(values)["field-missing"] == "holds"
    assert verdicts(values)["not-indexed"] == "broken"
    assert verdicts(values)["shrunk"] == "not judged"
    assert "wiki-source" not in verdicts(values)


def test_what_blocks_a_note_is_shown_with_the_fix_and_exits_1(vault, capsys):
    put(vault, PATH, bad_note())
    code, out = explain(capsys, PATH)
    assert code == 1
    assert "field-enum" in out
    assert "fix: " in out


def test_fields_of_an_unreadable_frontmatter_are_not_judged(vault, capsys):
    put(vault, PATH, note(description="Rule: X"))
    values = told(capsys, PATH)
    assert verdicts(values)["yaml-syntax"] == "broken"
    assert verdicts(values)["field-missing"] == "not judged"
    assert verdicts(values)["link-missing"] == "not judged"
    assert verdicts(values)["filename-pattern"] == "holds"


def test_a_silenced_rule_is_told_as_silenced(vault, tmp_path, capsys, monkeypatch):
    config = put(tmp_path, "config.toml", '[lint]\ndisable = ["stale"]\n')
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    put(vault, PATH, note(last_seen="2020-01-01", captured="2020-01-01"))
    assert verdicts(told(capsys, PATH))["stale"] == "silenced"


def test_a_note_that_is_too_large_is_judged_by_its_size_alone(vault, capsys):
    put(vault, PATH, "x" * ((1 << 20) + 1))
    values = told(capsys, PATH)
    assert verdicts(values)["too-large"] == "broken"
    assert set(verdicts(values).values()) == {"broken", "not judged"}


def test_an_index_has_rules_of_its_own(vault, capsys):
    put(vault, "alpha/memory/INDEX.md", "# Alpha\n" * 200)
    values = told(capsys, "alpha/memory/INDEX.md")
    assert verdicts(values)["index-long"] == "broken"
    assert "field-missing" not in verdicts(values)


def test_every_rule_can_be_listed(vault, capsys):
    put(vault, "alpha/wiki/debt_methods.md", "text")
    out = explain(capsys, "--rules", "alpha/wiki/debt_methods.md")[1]
    assert "provenance-missing: not judged" in out
    assert "bom: holds" in out


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("alpha/memory/.hidden.md", "its name is that of a dotfile"),
        ("alpha/memory/README.md", "its name is that of a dotfile"),
        ("alpha/_drafts/memory/feedback_a_rule.md", "the folder `alpha/_drafts` is never looked into"),
        ("alpha/memory/feedback_old_rule.md", "`*_old_*` in .atomicdignore"),
        ("alpha/memory/attic/feedback_a_rule.md", "`attic/` in .atomicdignore"),
        ("_migrations/notes.md", "the folder of migrations"),
        ("_quarantine/x/feedback_a_rule.md", "the quarantine"),
    ],
)
def test_an_ignored_path_is_told_by_what_it_is_ignored(vault, capsys, path, reason):
    put(vault, ".atomicdignore", "attic/\n*_old_*\n!nothing\n\n# comment\n")
    put(vault, path, note())
    values = told(capsys, path)
    assert reason in values["ignored"]
    assert values["rules"] == []
    assert f"never judged: {values['ignored']}"[:40] in explain(capsys, path)[1]


def test_a_link_is_told_with_where_its_target_is_judged(vault, tmp_path, capsys):
    put(vault, PATH, note())
    (vault / "alpha/memory/feedback_second_name.md").symlink_to(vault / PATH)
    outside = put(tmp_path, "outside.md", note())
    (vault / "alpha/memory/feedback_leads_out.md").symlink_to(outside)
    assert "judged under its own path" in told(capsys, "alpha/memory/feedback_second_name.md")["ignored"]
    assert "leads out of the vault" in told(capsys, "alpha/memory/feedback_leads_out.md")["ignored"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("alpha/tools.md", "the tools of the agent alpha"),
        ("alpha/persona/SOUL.md", "a persona file of the agent alpha"),
        ("alpha/journal/2026-11/2026-11-01.md", "a journal entry of the agent alpha"),
        ("alpha/raw/x.pdf", "a source document of the agent alpha"),
        ("_migrations/v1_to_v2.py", "a migration script"),
        ("alpha/skills/SKILL.md", "nothing that atomicd looks at"),
    ],
)
def test_other_kinds_of_files_are_named(vault, capsys, path, words):
    put(vault, path, "# X\n")
    assert words in explain(capsys, path)[1]


def test_a_folder_is_told_as_one(vault, capsys):
    assert "folder" in explain(capsys, "alpha")[1]
    (vault / "alpha/.git").mkdir()
    assert "never looked into" in told(capsys, "alpha/.git")["ignored"]


def test_the_entry_is_told_with_whose_words_it_holds(vault, capsys):
    put(vault, PATH, note(name="First", description="the hook"))
    put(vault, "alpha/memory/feedback_second_rule.md", note(name="Second", description="another hook"))
    sync(capsys)
    assert told(capsys, PATH)["index"]["author"] == "generated"
    index = vault / "alpha/memory/INDEX.md"
    index.write_text(index.read_text().replace("— the hook", "— my own words"))
    values = told(capsys, PATH)["index"]
    assert values["author"] == "hand-edited"
    assert values["generated"] == "the hook"
    assert values["text"] == "- [First](feedback_answer_first.md) — my own words"
    assert values["line"] == index.read_text().split("\n").index(values["text"]) + 1
    assert "hand-edited" in explain(capsys, PATH)[1]
    assert told(capsys, "alpha/memory/feedback_second_rule.md")["index"]["author"] == "generated"


def test_an_entry_that_the_daemon_never_knew_is_by_hand(vault, capsys):
    put(vault, PATH, note())
    put(vault, "alpha/memory/INDEX.md", "- [Mine](feedback_answer_first.md)\n")
    assert told(capsys, PATH)["index"]["author"] == "by hand"
    (vault / "alpha/memory/INDEX.md").write_text("# nothing\n")
    assert told(capsys, PATH)["index"] is None
    assert "no entry" in explain(capsys, PATH)[1]


def test_versions_events_and_state_are_told(vault, capsys):
    file = put(vault, PATH, note())
    sync(capsys)
    values = told(capsys, PATH)
    assert values["state"] == "valid"
    assert [version["version"] for version in values["versions"]] == [1]
    assert [event["event"] for event in values["events"]] == ["unit.indexed"]
    assert values["pending"] == []
    file.write_text(note(name="Another"))
    assert told(capsys, PATH)["pending"] == ["it was changed since the daemon read it"]
    file.unlink()
    code, out = explain(capsys, PATH)
    assert code == 0
    assert "not there; it would be a note" in out
    assert "it is gone, which the daemon has not noted yet" in out
    assert "1 kept" in out


def test_only_records_of_this_path_and_this_vault_are_told(vault, tmp_path, capsys):
    put(vault, PATH, note())
    lines = [
        {"event": "unit.indexed", "vault": "vault", "path": PATH, "number": 1},
        {"event": "unit.indexed", "vault": "other", "path": PATH, "number": 2},
        {"event": "unit.indexed", "vault": "vault", "path": f"{PATH}x", "number": 3},
    ]
    put(tmp_path, f"log/{FILE_NAME}", "".join(json.dumps(line) + "\n" for line in lines))
    assert [event["number"] for event in told(capsys, PATH)["events"]] == [1]


def test_a_note_in_quarantine_is_told_with_its_incident(vault, tmp_path, capsys, monkeypatch):
    config = put(tmp_path, "config.toml", "[quarantine]\ngrace_seconds = 0\n")
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    put(vault, "alpha/memory/feedback_other_rule.md", note())
    sync(capsys)
    put(vault, PATH, bad_note())
    assert app._run(["sync"]) == 0
    capsys.readouterr()
    (incident,) = Incidents(vault).all()
    code, out = explain(capsys, PATH)
    assert code == 0
    assert f"{incident.id}: open, field-enum" in out
    assert told(capsys, PATH)["incidents"][0]["codes"] == ["field-enum"]


def test_a_path_of_which_nothing_is_known_is_an_error(vault, capsys):
    assert app._run(["explain", "alpha/memory/gone.md"]) == 1
    assert "nothing is remembered of it" in capsys.readouterr().err


def test_a_code_is_told_with_meaning_example_and_fix(vault, capsys):
    code, out = explain(capsys, "yaml-syntax")
    assert code == 0
    assert CODES["yaml-syntax"].meaning in out
    values = json.loads(explain(capsys, "stale", "--json")[1])
    assert values == {
        "code": "stale",
        "severity": "warning",
        "meaning": CODES["stale"].meaning,
        "example": CODES["stale"].example,
        "fix": CODES["stale"].fix,
    }


def test_a_code_that_is_nearly_one_is_offered(vault, capsys):
    assert app._run(["explain", "yaml-sintax"]) == 1
    assert "yaml-syntax" in capsys.readouterr().err
