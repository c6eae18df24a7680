"""The log: strict lines, one file shared and rotated, never in the way (contract section 10)."""

from __future__ import annotations

import io
import json
import logging
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.log import Event, LibraryHandler, LogFile, console_line, json_line, make_logger


def log_file(tmp_path, **limits):
    return LogFile(tmp_path / "log" / "atomicd.jsonl", **({"max_bytes": 10_000, "keep": 2} | limits))


def logger(file, level="info"):
    return make_logger(level=level, vault="v", file=file)


def lines(tmp_path, name="atomicd.jsonl"):
    return (tmp_path / "log" / name).read_text().splitlines()


def test_a_line_is_json_with_time_zone_level_event_and_vault_first(tmp_path):
    logger(log_file(tmp_path)).info(Event.UNIT_INDEXED, path="a/memory/x.md", zeta=1, agent="a")
    (line,) = lines(tmp_path)
    record = json.loads(line)
    assert list(record) == ["ts", "level", "event", "vault", "agent", "path", "zeta"]
    assert record["event"] == "unit.indexed"
    assert record["ts"][-6] in "+-"


def test_lines_below_the_level_are_not_written(tmp_path):
    file = log_file(tmp_path)
    log = logger(file, "warning")
    log.info("a")
    log.warning("b")
    assert len(lines(tmp_path)) == 1


class Bad:
    def __str__(self):
        raise ValueError("no")


def circular():
    value: list[object] = []
    value.append(value)
    return value


STRANGE = {
    "tuple-key": {(1, 2): 3},
    "nan": float("nan"),
    "infinite": float("inf"),
    "huge": 10**6000,
    "negative": -(10**70),
    "circular": circular(),
    "bad-str": Bad(),
    "set": {1, 2},
    "bytes": b"\xff",
    "undecodable": "\udce9",
    "lone-surrogate": "\ud800",
    "nested-bad": {"\udce9": Bad()},
    "module": os,
    "exception": Exception("x"),
    "long": "x" * 100_000,
    "deep": [[[[[[[[[1]]]]]]]]],
}


@pytest.mark.parametrize("name", STRANGE)
def test_any_value_gives_one_strict_line(tmp_path, name):
    logger(log_file(tmp_path)).info("x", value=STRANGE[name])
    raw = (tmp_path / "log" / "atomicd.jsonl").read_bytes()
    assert raw.count(b"\n") == 1
    json.loads(raw.decode("utf-8"), parse_constant=pytest.fail)
    assert len(raw) < 20_000


@given(
    st.dictionaries(st.text(), st.recursive(st.none() | st.text() | st.floats() | st.integers(), st.lists))
)
def test_every_record_survives_the_way_to_json_and_back(record):
    assert isinstance(json.loads(json_line(record), parse_constant=pytest.fail), dict)
    assert "\n" not in json_line(record)


def test_a_name_with_control_characters_cannot_steer_a_terminal():
    line = json_line({"path": "a\x1b[31m\x9b\u202e.md\ncontinued"})
    assert not any(char in line for char in "\x1b\x9b\u202e\n")
    shown = console_line({"path": "a\x1b[31m\x9b\u202e.md\ncontinued", "event": "e"}, colour=False)
    assert not any(char in shown for char in "\x1b\x9b\u202e\n")


def test_letters_of_any_script_are_written_as_they_are():
    assert "만조" in json_line({"path": "만조.md"})


def test_an_undecodable_name_is_escaped():
    assert json.loads(json_line({"path": "caf\udce9.md"}))["path"] == "caf\\xe9.md"


def test_a_full_disk_costs_lines_and_one_notice_but_no_exception(tmp_path):
    complaints = io.StringIO()
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "atomicd.jsonl").symlink_to("/dev/full")
    file = log_file(tmp_path, complain=complaints)
    for number in range(3):
        logger(file).info("x", number=number)
    assert complaints.getvalue().count("lines are lost") == 1
    (tmp_path / "log" / "atomicd.jsonl").unlink()
    logger(file).info("back")
    assert "back" in lines(tmp_path)[0]


def test_a_log_folder_that_is_a_file_is_told_and_not_raised(tmp_path, capsys):
    (tmp_path / "log").write_text("")
    logger(log_file(tmp_path)).info("x")
    assert "lines are lost" in capsys.readouterr().err


def test_the_file_is_rotated_at_its_size_and_old_ones_are_dropped(tmp_path):
    log = logger(log_file(tmp_path, max_bytes=1000, keep=2))
    for number in range(60):
        log.info("x", number=number)
    names = sorted(p.name for p in (tmp_path / "log").iterdir())
    assert names == ["atomicd.jsonl", "atomicd.jsonl.1", "atomicd.jsonl.2"] or names == [
        "atomicd.jsonl.1", "atomicd.jsonl.2",
    ]  # fmt: skip
    kept = [
        json.loads(line)["number"]
        for name in ("atomicd.jsonl.2", "atomicd.jsonl.1")
        for line in lines(tmp_path, name)
    ]
    assert kept == list(range(kept[0], kept[-1] + 1))


def test_keeping_none_starts_over(tmp_path):
    log = logger(log_file(tmp_path, max_bytes=300, keep=0))
    for number in range(10):
        log.info("x", number=number)
    assert all(p.name == "atomicd.jsonl" for p in (tmp_path / "log").iterdir())


def test_after_a_rename_from_outside_lines_go_to_the_new_file(tmp_path):
    log = logger(log_file(tmp_path))
    log.info("one")
    (tmp_path / "log" / "atomicd.jsonl").rename(tmp_path / "log" / "old")
    log.info("two")
    assert "two" in lines(tmp_path)[0]
    assert len(lines(tmp_path, "old")) == 1


def test_after_a_truncation_from_outside_there_are_no_nuls(tmp_path):
    log = logger(log_file(tmp_path))
    log.info("one")
    os.truncate(tmp_path / "log" / "atomicd.jsonl", 0)
    log.info("two")
    assert b"\0" not in (tmp_path / "log" / "atomicd.jsonl").read_bytes()


def test_two_writers_share_and_rotate_one_file_without_losing_a_line(tmp_path):
    one, two = (logger(log_file(tmp_path, max_bytes=2000, keep=50)) for _ in range(2))
    for number in range(100):
        one.info("x", number=number)
        two.info("x", number=1000 + number)
    found = {
        json.loads(line)["number"]
        for p in (tmp_path / "log").iterdir()
        for line in p.read_text().splitlines()
    }
    assert found == {*range(100), *range(1000, 1100)}


def test_the_log_is_private(tmp_path):
    logger(log_file(tmp_path)).info("x")
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "log" / "atomicd.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_stream_gets_json_or_readable_lines():
    stream, readable = io.StringIO(), io.StringIO()
    make_logger(level="info", vault="v", stream=stream).info("x")
    make_logger(level="info", vault="v", stream=readable, form="console").info("x")
    assert json.loads(stream.getvalue())["event"] == "x"
    assert "✓ x" in readable.getvalue()


def test_a_closed_stream_is_no_reason_to_fail():
    stream = io.StringIO()
    stream.close()
    make_logger(level="info", vault="v", stream=stream).info("x")


def test_what_libraries_warn_about_is_a_line(tmp_path):
    handler = LibraryHandler(logger(log_file(tmp_path)))
    library = logging.getLogger("some.library")
    library.addHandler(handler)
    try:
        library.warning("watch %s", "lost")
        try:
            raise OSError("gone")
        except OSError:
            library.exception("failed")
    finally:
        library.removeHandler(handler)
    first, second = (json.loads(line) for line in lines(tmp_path))
    assert (first["event"], first["library"], first["message"]) == (
        "daemon.library",
        "some.library",
        "watch lost",
    )
    assert second["level"] == "error" and "gone" in second["message"]


def test_event_names_are_unique_and_have_a_speaker():
    assert all(event.value.count(".") == 1 for event in Event)
    assert sys.intern(Event.DAEMON_READY.value) == "daemon.ready"
