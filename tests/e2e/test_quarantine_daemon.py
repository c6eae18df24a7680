"""Quarantine, history and the answer to the agent with the real daemon (contract section 5)."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents.quarantine import Incidents
from fakes.notes import bad_note, note, put
from fakes.process import eventually

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"
PAGE = "alpha/QUARANTINED.md"

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root for namespaces and lost capabilities")


@pytest.fixture
def daemon(make_daemon, vault):
    return make_daemon(vault, grace=0.2).start()


@pytest.fixture
def patient(make_daemon, vault):
    """A daemon with a grace time that a test can live through."""
    return make_daemon(vault, grace=1.0).start()


def index(vault):
    return (vault / "alpha/memory/INDEX.md").read_text()


def status(daemon):
    """Return what the daemon says of itself, without a command's process."""
    (file,) = (daemon.home / "state").glob("*/status.json")
    return json.loads(file.read_text())


def fresh_status(daemon):
    """Return the same after what was pending is done: a sync writes it anew."""
    daemon.sync(wait=False)
    return status(daemon)


def incidents(vault):
    return Incidents(vault).all()


def leftovers(vault):
    return [path for path in vault.rglob("*") if _io.TEMPORARY.match(path.name)]


class TestGrace:
    def test_a_file_that_is_written_in_pieces_with_pauses_is_never_touched(self, patient, vault):
        """The whole takes longer than the grace time, no pause does."""
        text = note("First rule")
        begin = time.monotonic()
        with (vault / RULE).open("w") as file:
            for start in range(0, len(text), 40):
                file.write(text[start : start + 40])
                file.flush()
                time.sleep(0.3)
        assert time.monotonic() - begin > 1.2
        patient.wait_for("unit.released", path=RULE)
        patient.wait_for("unit.indexed", path=RULE)
        assert (vault / RULE).read_text() == text
        assert not (vault / "_quarantine").exists()
        assert not (vault / PAGE).exists()

    def test_a_swap_file_beside_it_keeps_it_and_status_says_why(self, patient, vault):
        swap = put(vault, "alpha/memory/.feedback_first_rule.md.swp", "x")
        put(vault, RULE, bad_note())
        patient.wait_for("unit.held", path=RULE)
        hold = eventually(
            lambda: [h for h in fresh_status(patient)["holds"] if "open in an editor" in h["reason"]]
        )
        assert hold[0]["path"] == RULE
        assert (vault / RULE).exists()
        swap.unlink()
        patient.wait_for("unit.quarantined", path=RULE)

    def test_a_touch_starts_it_again(self, patient, vault):
        put(vault, RULE, bad_note())
        patient.wait_for("unit.held", path=RULE)
        for _ in range(4):
            time.sleep(0.4)
            os.utime(vault / RULE)
        touched = time.time()
        patient.wait_for("unit.quarantined", path=RULE)
        assert time.time() - touched > 0.8


def test_a_loop_of_the_same_bytes_ends_in_a_hold_and_a_mended_file_solves_all(daemon, vault, tmp_path):
    put(vault, RULE, note("First rule"))
    daemon.wait_for("unit.indexed", path=RULE)
    for number in range(1, 6):
        put(vault, RULE, bad_note())
        assert daemon.wait_for("unit.quarantined", path=RULE)["occurrences"] == number
        daemon.wait_for("unit.restored", path=RULE)
    put(vault, RULE, bad_note())
    daemon.wait_for("unit.looping", path=RULE)
    told = fresh_status(daemon)
    assert (vault / RULE).read_text() == bad_note()
    assert [one.occurrences for one in incidents(vault)] == [5]
    assert "waits for a change" in told["holds"][0]["reason"]
    assert "feedback_first_rule.md" in index(vault)
    page = (vault / PAGE).read_text()
    assert "`memory/feedback_first_rule.md`" in page and "5 times" in page and len(page.splitlines()) <= 50

    put(vault, RULE, note("Mended"))
    daemon.wait_for("unit.solved", path=RULE)
    daemon.wait_for("notice.removed")
    assert not (vault / PAGE).exists()
    assert [one.state for one in incidents(vault)] == ["solved"]
    assert leftovers(vault) == []


def test_the_operator_is_told_by_a_program_that_never_holds_the_daemon_up(make_daemon, vault, tmp_path):
    script = tmp_path / "tell.sh"
    script.write_text(
        f'#!/bin/sh\ncat > "{tmp_path}/told.part"; mv "{tmp_path}/told.part" "{tmp_path}/told"; sleep 600\n'
    )
    script.chmod(0o755)
    config = f'[notify]\ncommand = ["{script}", "$(touch {tmp_path}/pwned)"]\ntimeout_seconds = 2\n'
    daemon = make_daemon(vault, grace=0.2, config=config).start()
    put(vault, RULE, bad_note())
    line = daemon.wait_for("unit.quarantined", path=RULE)
    told = tmp_path / "told"
    eventually(told.exists)
    message = json.loads(told.read_text())
    assert (message["kind"], message["incident"]["id"]) == ("quarantined", line["incident"])
    put(vault, OTHER, note())
    daemon.wait_for("unit.indexed", path=OTHER)
    assert daemon.events("notify.failed") == []
    assert "ended after 2 s" in daemon.wait_for("notify.failed")["reason"]
    assert not (tmp_path / "pwned").exists()
    assert daemon.stop() == 0


def test_killed_while_it_moves_it_finishes_at_the_next_start(make_daemon, vault):
    paths = [f"alpha/memory/feedback_rule_{number}.md" for number in range(12)]
    for path in paths:
        put(vault, path, note(path))
    daemon = make_daemon(vault, grace=0.2).start()
    for number, path in enumerate(paths):
        put(vault, path, note(path, confidence=f"sure{number}"))
    daemon.wait_for("unit.quarantined")
    daemon.kill()
    left = put(vault, f"alpha/memory/.x.md.{daemon.process.pid:x}-0a1b2c3d.atomicd.tmp", "half")
    daemon.start()
    eventually(lambda: len(incidents(vault)) == 12)
    daemon.sync()
    assert not left.exists()
    assert leftovers(vault) == []
    for number, path in enumerate(paths):
        assert (vault / path).read_text() == note(path)
        (one,) = [one for one in incidents(vault) if one.path == path]
        kept = vault / "_quarantine" / one.id / one.name
        assert kept.read_text() == note(path, confidence=f"sure{number}")


@NEEDS_ROOT
def test_a_quarantine_on_another_file_system_keeps_every_byte(make_daemon, vault):
    (vault / "_quarantine").mkdir()
    mount = f'mount -t tmpfs none "{vault}/_quarantine" && exec "$@"'
    daemon = make_daemon(vault, grace=0.2, wrap=("unshare", "--mount", "sh", "-c", mount, "sh")).start()
    put(vault, RULE, note("First rule"))
    daemon.wait_for("unit.indexed", path=RULE)
    put(vault, RULE, bad_note())
    os.utime(vault / RULE, ns=(1, 1_500_000_000_000_000_000))
    line = daemon.wait_for("unit.quarantined", path=RULE)
    daemon.wait_for("unit.restored", path=RULE)
    assert (vault / RULE).read_text() == note("First rule")
    assert list((vault / "_quarantine").iterdir()) == []
    folder = Path(f"/proc/{daemon.process.pid}/root{vault}/_quarantine/{line['incident']}")
    assert sorted(path.name for path in folder.iterdir()) == ["feedback_first_rule.md", "report.json"]
    kept = folder / "feedback_first_rule.md"
    assert kept.read_text() == bad_note()
    assert kept.stat().st_mtime_ns == 1_500_000_000_000_000_000


@NEEDS_ROOT
def test_what_cannot_be_read_is_neither_moved_nor_taken_for_gone(make_daemon, vault):
    wrap = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
    daemon = make_daemon(vault, grace=0.2, wrap=wrap).start()
    put(vault, RULE, note("First rule"))
    daemon.wait_for("unit.indexed", path=RULE)
    os.chmod(vault / RULE, 0)
    assert "EACCES" in daemon.wait_for("unit.unreadable", path=RULE)["reason"]
    assert fresh_status(daemon)["state"] == "degraded"
    assert not (vault / "_quarantine").exists()
    assert "feedback_first_rule.md" in index(vault)
    os.chmod(vault / RULE, 0o644)
    eventually(lambda: fresh_status(daemon)["state"] == "running")


class TestBreaker:
    def start(self, make_daemon, vault):
        self.paths = [f"{agent}/memory/feedback_rule_{n}.md" for agent in ("alpha", "beta") for n in range(4)]
        for path in self.paths:
            put(vault, path, note(path))
        daemon = make_daemon(vault, breaker=3, grace=0.2).start()
        self.indexes = [(vault / agent / "memory/INDEX.md").read_text() for agent in ("alpha", "beta")]
        for path in self.paths:
            put(vault, path, bad_note())
        daemon.wait_for("quarantine.breaker_opened", waiting=8)
        return daemon

    def bad(self, vault):
        return [
            path
            for path in self.paths
            if (vault / path).exists() and (vault / path).read_text() == bad_note()
        ]

    def test_the_operator_decides_by_pattern_and_a_restart_forgets_nothing(self, make_daemon, vault):
        daemon = self.start(make_daemon, vault)
        assert "`atomicd quarantine breaker`" in fresh_status(daemon)["reasons"][0]
        assert daemon.stop() == 0
        daemon.start()
        daemon.sync(wait=False)
        assert self.bad(vault) == self.paths
        assert len(daemon.events("quarantine.breaker_opened")) == 1
        assert [
            (vault / agent / "memory/INDEX.md").read_text() for agent in ("alpha", "beta")
        ] == self.indexes

        out = daemon.command("quarantine", "breaker", "--move", "beta/").stdout
        assert out == "4 files are moved; 4 wait.\n"
        eventually(lambda: self.bad(vault) == self.paths[:4])
        assert (vault / self.paths[4]).read_text() == note(self.paths[4])
        told = fresh_status(daemon)
        assert (told["held"], told["breaker"]) == (4, "open")

        out = daemon.command("quarantine", "breaker", "--adopt").stdout
        assert out == "4 files are adopted and stay until they are written again; 0 wait.\n"
        daemon.wait_for("quarantine.breaker_closed")
        told = fresh_status(daemon)
        assert self.bad(vault) == self.paths[:4]
        assert (told["adopted"], told["state"]) == (4, "running")

    def test_what_is_ignored_waits_no_longer_and_stays(self, make_daemon, vault):
        daemon = self.start(make_daemon, vault)
        daemon.command("quarantine", "breaker", "--ignore")
        daemon.wait_for("quarantine.breaker_closed")
        told = fresh_status(daemon)
        assert self.bad(vault) == self.paths
        assert (told["state"], told["units"]) == ("running", 0)


class TestHistory:
    def test_a_version_comes_back_under_the_running_daemon(self, daemon, vault):
        put(vault, RULE, note("One") + "x" * 3000)
        daemon.wait_for("unit.indexed", path=RULE)
        put(vault, RULE, note("Two"))
        line = daemon.wait_for("unit.shrunk", path=RULE)
        daemon.wait_for("unit.indexed", path=RULE)
        assert "[Two]" in index(vault)
        words = line["hint"].strip("`").split()[1:]
        assert words == ["restore", RULE, "--version", "1"]
        daemon.command(*words)
        daemon.wait_for("unit.indexed", path=RULE)
        assert "[One]" in index(vault)
        assert (vault / RULE).read_text() == note("One") + "x" * 3000
        told = json.loads(daemon.command("history", RULE, "--json").stdout)
        assert [one["version"] for one in told] == [1, 2, 3]

    def test_old_versions_go_after_the_first_sweep_and_the_newest_stays(self, make_daemon, vault):
        daemon = make_daemon(vault, grace=0.2).start()
        for number in range(3):
            put(vault, RULE, note(f"Number {number}"))
            daemon.wait_for("unit.indexed", path=RULE)
        assert daemon.stop() == 0
        (database,) = (daemon.home / "state").glob("*/state.sqlite3")
        store = sqlite3.connect(database)
        store.execute("UPDATE versions SET recorded = 1700000000.0 + version")
        store.execute("DELETE FROM facts WHERE name = 'tidied_at'")
        store.commit()
        store.close()
        daemon.start()
        assert daemon.wait_for("history.thinned")["versions"] >= 2
        told = json.loads(daemon.command("history", RULE, "--json").stdout)
        assert [one["version"] for one in told] == [3]


def test_commands_and_daemon_work_at_once_on_one_incident(daemon, vault):
    """Edit, put back by hand, drop: the daemon follows each, and the agent's page too."""
    put(vault, RULE, note("First rule"))
    daemon.wait_for("unit.indexed", path=RULE)
    put(vault, RULE, bad_note())
    first = daemon.wait_for("unit.quarantined", path=RULE)["incident"]
    daemon.wait_for("notice.written")
    mend = f"{sys.executable} -c \"import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('certain', 'low'))\""
    daemon.env["EDITOR"] = mend
    daemon.command("quarantine", "edit", first, "--yes")
    daemon.wait_for("unit.indexed", path=RULE)
    assert (vault / RULE).read_text() == note(confidence="low")
    assert not (vault / PAGE).exists()

    put(vault, RULE, note(confidence="sure"))
    second = daemon.wait_for("unit.quarantined", path=RULE)["incident"]
    daemon.wait_for("notice.written")
    daemon.command("quarantine", "drop", second, "--yes")
    assert not (vault / PAGE).exists()
    daemon.sync()
    assert [one.id for one in incidents(vault)] == [first]
    assert daemon.stop(signal.SIGTERM) == 0


def test_a_program_that_is_missing_on_the_desktop_is_only_a_line_in_the_log(make_daemon, vault):
    daemon = make_daemon(vault, grace=0.2, config='[notify]\ncommand = ["/nowhere/notify"]\n').start()
    put(vault, RULE, bad_note())
    assert "No such file" in daemon.wait_for("notify.failed")["reason"]
    assert len(incidents(vault)) == 1
