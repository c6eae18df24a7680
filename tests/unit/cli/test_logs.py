"""`atomicd logs`: the log for people, by event and level (contract section 8)."""

from __future__ import annotations

import json
import os

import pytest

from atomic_agents.cli import app


def line(event, level="info", ts="2026-11-30T10:00:00+00:00", **facts):
    return json.dumps({"ts": ts, "level": level, "event": event, "vault": "v"} | facts) + "\n"


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOMICD_LOG_DIR", str(tmp_path))
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    return tmp_path / "atomicd.jsonl"


def shown(capsys, *words):
    assert app._run(["logs", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_last_lines_are_shown_in_words(log, capsys):
    log.write_text(line("unit.removed", path="a/x.md") + line("unit.indexed", path="a/y.md"))
    day, entry = shown(capsys, "-n", "1")
    assert day == "2026-11-30"
    assert entry.endswith("✓ indexed     a/y.md")


def test_the_day_stands_where_it_changes(log, capsys):
    log.write_text("".join(line("x", ts=f"2026-11-{day}T10:00:00+00:00") for day in ("28", "28", "29")))
    heads = [one for one in shown(capsys) if one.startswith("2026-")]
    assert heads == ["2026-11-28", "2026-11-29"]


def test_lines_go_on_in_the_rotated_file(log, capsys):
    log.with_name("atomicd.jsonl.1").write_text(line("x", number=1))
    log.write_text(line("x", number=2))
    assert [one[-8:] for one in shown(capsys)[1:]] == ["number=1", "number=2"]


def test_a_family_of_events_and_a_least_level_are_filters(log, capsys):
    log.write_text(line("unit.held", "warning") + line("unit.indexed") + line("index.written"))
    assert len(shown(capsys, "--event", "unit.*", "--json")) == 2
    assert len(shown(capsys, "--event", "unit.held", "--event", "index.written", "--json")) == 2
    assert len(shown(capsys, "--level", "warning", "--json")) == 1


def test_json_lines_come_out_as_they_are(log, capsys):
    log.write_text(line("unit.indexed", path="a/ü.md"))
    assert shown(capsys, "--json") == [line("unit.indexed", path="a/ü.md").rstrip("\n")]


@pytest.mark.parametrize("broken", ["no JSON at all\n", "[1, 2]\n"])
def test_a_line_that_is_no_record_is_shown_as_it_is(log, capsys, broken):
    log.write_text(broken)
    assert broken.strip() in shown(capsys)[-1]


def test_no_log_yet_is_told_with_what_to_do(log, capsys):
    assert app._run(["logs"]) == 1
    said = capsys.readouterr().err
    assert "not there" in said
    assert "atomicd run" in said
