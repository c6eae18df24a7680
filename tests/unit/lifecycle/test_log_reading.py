"""Reading the log while it grows and is rotated; lines for the journal (contract section 10)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents.log import journal_line
from atomic_agents.log.reading import LogReader


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "atomicd.jsonl"


@pytest.fixture
def reader(log: Path) -> Iterator[LogReader]:
    made = LogReader(log)
    yield made
    made.close()


def add(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def rotate(log: Path, keep: int = 3) -> None:
    for number in range(keep, 0, -1):
        source = log.with_name(f"{log.name}.{number - 1}") if number > 1 else log
        if source.exists():
            source.replace(log.with_name(f"{log.name}.{number}"))


class Script:
    """Does one thing at each wait, and ends the reading when nothing is left to do."""

    def __init__(self, *acts) -> None:
        self._acts = list(acts)

    def __call__(self) -> None:
        if not self._acts:
            raise EOFError
        self._acts.pop(0)()


def follow(reader: LogReader, *acts) -> str:
    seen = list(reader.past())
    with pytest.raises(EOFError):
        seen.extend(reader.future(Script(*acts)))
    return "".join(seen).replace("\n", " ").strip()


def test_rotated_files_come_first_oldest_first(log: Path, reader: LogReader) -> None:
    for word in "abc":
        add(log, f"{word}\n")
        rotate(log)
    add(log, "d\n")
    assert list(reader.past()) == ["a\n", "b\n", "c\n", "d\n"]


def test_lines_come_as_they_are_written(log: Path, reader: LogReader) -> None:
    add(log, "a\n")
    assert follow(reader, lambda: add(log, "b\n"), lambda: add(log, "c\nd\n")) == "a b c d"


def test_half_a_line_is_kept_until_it_is_whole(log: Path, reader: LogReader) -> None:
    assert follow(reader, lambda: add(log, "beg"), lambda: add(log, "un\n")) == "begun"


def test_a_log_that_comes_later_is_followed(log: Path, reader: LogReader) -> None:
    assert follow(reader, lambda: None, lambda: add(log, "a\n")) == "a"


def test_no_line_is_lost_over_several_rotations_at_once(log: Path, reader: LogReader) -> None:
    add(log, "a\n")

    def much() -> None:
        add(log, "b\n")
        rotate(log)
        add(log, "c\n")
        rotate(log)
        add(log, "d\n")

    assert follow(reader, much) == "a b c d"


def test_a_log_that_was_moved_elsewhere_is_read_to_its_end(log: Path, reader: LogReader) -> None:
    add(log, "a\n")

    def move() -> None:
        add(log, "b\n")
        log.rename(log.with_name("archive"))
        add(log, "c\n")

    assert follow(reader, move) == "a b c"


def test_a_log_that_is_gone_for_a_moment_is_waited_for(log: Path, reader: LogReader) -> None:
    add(log, "a\n")
    assert follow(reader, log.unlink, lambda: add(log, "b\n")) == "a b"


def test_a_log_that_was_cut_is_read_from_its_start(log: Path, reader: LogReader) -> None:
    add(log, "a long line\n")

    def cut() -> None:
        os.truncate(log, 0)
        add(log, "b\n")

    assert follow(reader, cut) == "a long line b"


def test_bytes_that_are_no_text_are_shown_escaped(log: Path, reader: LogReader) -> None:
    log.write_bytes(b"\xff\n")
    assert list(reader.past()) == ["\\xff\n"]


@pytest.mark.parametrize(("level", "priority"), [("debug", 7), ("info", 6), ("warning", 4), ("error", 3)])
def test_each_line_for_the_journal_has_its_priority_and_no_time(level: str, priority: int) -> None:
    problem = {
        "code": "field-missing",
        "field": "name",
        "found": "nothing",
        "expected": "text",
        "fix": "Add it.",
    }
    record = {
        "ts": "2026-12-01T10:11:12.000+00:00",
        "level": level,
        "event": "unit.held",
        "path": "a.md",
        "problems": [problem],
    }
    lines = journal_line(record).split("\n")
    assert len(lines) > 1
    assert all(line.startswith(f"<{priority}>") for line in lines)
    assert "10:11:12" not in journal_line(record)
