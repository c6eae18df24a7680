"""The daemon beside migrations: it yields, follows, recovers, and runs nothing unasked ([M-3], [D-8])."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from fakes.migrating import BUMP, add_script, adopt_schema
from fakes.notes import note, put
from fakes.process import eventually

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"

SLOW = (
    BUMP.format(1, 2)
    + """

import time
_migrate = migrate


def migrate(unit):
    time.sleep(0.2)
    return _migrate(unit)
"""
)


@pytest.fixture
def vault(vault):
    adopt_schema(vault, 2)
    add_script(vault, BUMP.format(1, 2))
    return vault


def index(vault):
    return (vault / "alpha/memory/INDEX.md").read_text()


def migrate(daemon, *words, check=True):
    return daemon.command("migrate", *words, check=check)


def test_a_script_that_nobody_ran_is_named_and_not_run(make_daemon, vault):
    put(vault, RULE, note("First"))
    daemon = make_daemon(vault).start()
    daemon.wait_for("unit.indexed", path=RULE) if not daemon.events("unit.indexed") else None
    daemon.sync()
    told = daemon.events("migration.unknown_script")
    assert [line["path"] for line in told] == ["_migrations/v1_to_v2.py"]
    assert "schema_version: 1" in (vault / RULE).read_text()
    (indexed,) = daemon.events("unit.indexed")
    assert "old-schema" in {problem["code"] for problem in indexed["problems"]}


def test_after_a_real_run_a_late_old_note_is_brought_up_to_date_in_place(make_daemon, vault):
    put(vault, RULE, note("First"))
    daemon = make_daemon(vault).start()
    migrate(daemon, "--to", "v2")
    assert "schema_version: 2" in (vault / RULE).read_text()
    daemon.sync()
    text = note("Late", "kept  # as it is")
    late = put(vault, OTHER, text)
    daemon.wait_for("unit.migrated", path=OTHER, from_version=1, to_version=2)
    daemon.wait_for("unit.indexed", path=OTHER)
    upgraded = text.replace("version: 1", "version: 2").replace(
        "confidence: high\n", "confidence: high\nstep_2: done\n"
    )
    assert late.read_text() == upgraded
    assert "feedback_other_rule.md" in index(vault)
    assert not (vault / "_quarantine").exists()


def test_a_script_that_was_changed_since_is_not_run(make_daemon, vault):
    put(vault, RULE, note("First"))
    daemon = make_daemon(vault).start()
    migrate(daemon, "--to", "v2")
    daemon.sync()
    add_script(vault, BUMP.format(1, 2) + f"\nopen({str(vault.parent / 'ran-it')!r}, 'w')\n")
    put(vault, OTHER, note("Late"))
    daemon.wait_for("unit.indexed", path=OTHER)
    assert "schema_version: 1" in (vault / OTHER).read_text()
    assert not (vault.parent / "ran-it").exists()


def test_a_rollback_beside_the_daemon_leaves_the_index_right_and_the_watches_alive(make_daemon, vault):
    put(vault, RULE, note("First"))
    daemon = make_daemon(vault).start()
    migrate(daemon, "--to", "v2")
    snapshot = next((vault / "_migrations/snapshots").glob("*.tar.gz")).name
    put(vault, OTHER, note("After", schema_version="2"))
    daemon.wait_for("unit.indexed", path=OTHER)
    migrate(daemon, "--rollback", snapshot)
    daemon.sync()
    assert "schema_version: 1" in (vault / RULE).read_text()
    assert not (vault / OTHER).exists()
    assert any("After" in path.read_text() for path in (vault / "_migrations/displaced").rglob("*.md"))
    assert "feedback_first_rule.md" in index(vault)
    assert "feedback_other_rule.md" not in index(vault)
    put(vault, "alpha/memory/feedback_third_rule.md", note("Third"))
    daemon.wait_for("unit.indexed", path="alpha/memory/feedback_third_rule.md")


@pytest.mark.parametrize("running", [True, False], ids=["daemon-runs", "daemon-starts-later"])
def test_a_run_that_died_is_rolled_back_by_itself(make_daemon, vault, running):
    add_script(vault, SLOW)
    paths = [put(vault, f"alpha/memory/feedback_rule_{number}.md", note(str(number))) for number in range(10)]
    before = [path.read_bytes() for path in paths]
    daemon = make_daemon(vault)
    if running:
        daemon.start()
    else:
        daemon.sync()
    process = subprocess.Popen(
        [sys.executable, "-m", "atomic_agents.migrate", "--agents-root", str(vault), "--to", "v2"],
        env=daemon.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    eventually((vault / "_migrations/run.json").exists)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if running:
        put(vault, OTHER, note("A write wakes it"))
    else:
        daemon.start()
    eventually(lambda: daemon.events("migration.rolled_back"))
    daemon.sync()
    assert [path.read_bytes() for path in paths] == before
    audit = [json.loads(line) for line in (vault / "_migrations/migration.jsonl").read_text().splitlines()]
    assert audit[-1]["rolled_back"] is True
    assert not (vault / "_quarantine").exists()


def test_a_broken_schema_file_of_the_vault_does_not_stop_the_daemon(make_daemon, vault):
    put(vault, RULE, note("First"))
    (vault / "_migrations/schemas/v2.note.schema.json").write_text("{")
    daemon = make_daemon(vault).start()
    daemon.sync()
    told = json.loads(daemon.command("status", "--json").stdout)
    assert told["state"] == "degraded"
    assert "v2.note.schema.json" in " ".join(told["reasons"])
    assert "feedback_first_rule.md" in index(vault)
