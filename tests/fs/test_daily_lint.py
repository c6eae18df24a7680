"""The daily look at the whole vault: when it runs, what it tells, and that nothing waits for it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from atomic_agents.daemon import linting
from atomic_agents.daemon.linting import DELAY_SECONDS, EVERY_SECONDS, DailyLint
from atomic_agents.daemon.status import LINTED
from atomic_agents.lint.__main__ import main
from fakes.bench import Workshop
from fakes.notes import bad_note, note, put

ANSWER = {"files": 3, "errors": 1, "warnings": 2, "codes": {"stale": 2, "field-enum": 1}}


class Child:
    """A child that is done when the test says so."""

    made: list[Child]

    def __init__(self, command, values, *, now, timeout):
        self.command, self.values, self.timeout = command, values, timeout
        self.reason = None
        self.closed = False
        Child.made.append(self)

    def poll(self, now):
        return self.reason

    def close(self):
        self.closed = True

    def answer(self, text=None):
        Path(self.values["answer"]).write_text(json.dumps(ANSWER) if text is None else text, "utf-8")
        self.reason = ""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setattr(linting, "Program", Child)
    Child.made = []
    made = Workshop(tmp_path).adopted()
    made.condition.state = "running"
    yield made
    made.close()


@pytest.fixture
def daily(shop):
    made = DailyLint(shop.desk)
    shop.clock.advance(DELAY_SECONDS)
    return made


def events(shop):
    return [record for record in shop.kept.records if record["event"].startswith("lint.")]


def test_after_a_start_other_things_come_first(shop):
    daily = DailyLint(shop.desk)
    daily.tend()
    shop.clock.advance(DELAY_SECONDS - 1)
    daily.tend()
    assert Child.made == []
    shop.clock.advance(1)
    daily.tend()
    assert len(Child.made) == 1


@pytest.mark.parametrize("what", ["starting", "blocked", "busy"])
def test_it_waits_while_something_else_is_to_be_done(shop, daily, what):
    if what == "starting":
        shop.condition.state = "starting"
    elif what == "blocked":
        shop.condition.pauses["root"] = "gone"
    else:
        shop.desk.pending["alpha/memory/x.md"] = None
    daily.tend()
    assert Child.made == []


def test_what_was_counted_is_logged_and_told_in_the_status(shop, daily):
    daily.tend()
    daily.tend()
    assert events(shop) == []
    Child.made[0].answer()
    daily.tend()
    (line,) = events(shop)
    assert (line["event"], line["level"]) == ("lint.finished", "info")
    assert {key: line[key] for key in ANSWER} == ANSWER
    told = shop.desk.heartbeat.status().lint
    assert {key: told[key] for key in ANSWER} == ANSWER
    assert told["at"].startswith("20")
    assert not (shop.folder / "lint.json").exists()


def test_it_runs_once_a_day_also_over_a_restart(shop, daily):
    daily.tend()
    Child.made[0].answer()
    daily.tend()
    shop.clock.advance(EVERY_SECONDS - 1)
    daily.tend()
    again = DailyLint(shop.desk)
    shop.clock.advance(0.5)
    again.tend()
    assert len(Child.made) == 1
    shop.clock.advance(DELAY_SECONDS)
    again.tend()
    assert len(Child.made) == 2


def test_a_clock_that_was_set_back_does_not_stop_it(shop, daily):
    daily.tend()
    Child.made[0].answer()
    daily.tend()
    shop.clock.jump(-10 * EVERY_SECONDS)
    daily.tend()
    assert len(Child.made) == 2


@pytest.mark.parametrize(("reason", "text"), [("exit status 1: no", None), ("", "{"), ("", "")])
def test_a_look_that_fails_is_told_once_and_not_tried_again_at_once(shop, daily, reason, text):
    daily.tend()
    if text is not None:
        Child.made[0].answer(text)
    Child.made[0].reason = reason
    daily.tend()
    daily.tend()
    (line,) = events(shop)
    assert (line["event"], line["level"]) == ("lint.failed", "warning")
    assert line["reason"]
    assert len(Child.made) == 1
    assert shop.store.facts.get(LINTED) is None


def test_a_child_that_cannot_be_started_is_told(shop, daily, monkeypatch):
    def refuse(*_words, **_more):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(linting, "Program", refuse)
    daily.tend()
    assert events(shop)[0]["reason"] == "cannot be started: Resource temporarily unavailable"


def test_a_store_that_cannot_be_written_is_told_and_tried_again_after_an_hour(shop, daily, monkeypatch):
    def refuse(_name, _value):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(shop.store.facts, "put", refuse)
        daily.tend()
        daily.tend()
    assert [line["reason"] for line in events(shop)] == ["state store: database or disk is full"]
    daily.tend()
    assert Child.made == []
    shop.clock.advance(3600)
    daily.tend()
    assert len(Child.made) == 1


def test_a_child_that_runs_at_the_end_is_ended(shop, daily):
    daily.tend()
    daily.close()
    assert Child.made[0].closed
    daily.close()


def test_the_child_gets_what_the_operator_set(shop, daily):
    daily.tend()
    asked = Child.made[0].values
    assert asked["root"] == str(shop.root)
    assert asked["stale_days"] == 90
    assert asked["ignore"] == []
    assert asked["answer"] == str(shop.folder / "lint.json")


def test_the_real_child_counts_by_severity_and_code(tmp_path):
    root = tmp_path / "vault"
    put(root, "alpha/memory/feedback_bad_rule.md", bad_note())
    put(root, "alpha/memory/feedback_old_rule.md", note(captured="2020-01-01", last_seen="2020-01-01"))
    put(root, "alpha/memory/drafts/feedback_x_rule.md", "ignored")
    put(root, "alpha/log/2026-11/2026-11-29.jsonl", "{}\n")
    asked = {
        "root": str(root),
        "ignore": ["drafts/"],
        "max_note_bytes": 1 << 20,
        "stale_days": 90,
        "disabled": ["not-indexed"],
        "max_index_lines": 150,
        "answer": str(tmp_path / "answer.json"),
    }
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    subprocess.run(
        linting._COMMAND, input=json.dumps(asked), text=True, check=True, cwd="/", env={}, timeout=60
    )
    assert json.loads((tmp_path / "answer.json").read_text()) == {
        "files": 3,
        "errors": 1,
        "warnings": 8,
        "codes": {"log-line": 7, "field-enum": 1, "stale": 1},
    }
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_files_that_cannot_be_read_do_not_end_the_look(tmp_path, monkeypatch, capsys):
    import io
    import os

    root = tmp_path / "vault"
    put(root, "alpha/memory/feedback_bad_rule.md", bad_note())
    put(root, "alpha/journal/2026-11/2026-11-29.md", "# 2026-11-29\n").chmod(0)
    asked = {"root": str(root), "ignore": [], "max_note_bytes": 10, "stale_days": 90, "disabled": []}
    asked |= {"max_index_lines": 150, "answer": str(tmp_path / "answer.json")}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(asked)))
    monkeypatch.setattr(os, "nice", lambda _steps: (_ for _ in ()).throw(PermissionError(1, "no")))
    main()
    assert json.loads((tmp_path / "answer.json").read_text())["codes"] == {"too-large": 1}
