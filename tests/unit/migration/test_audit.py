"""The audit: one parseable line for each run, whatever was there and whatever happens."""

from __future__ import annotations

import dataclasses
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import MigrationError
from atomic_agents.migration import MigrationEvent
from atomic_agents.migration.audit import append_event, encode, is_settled, read_events, timestamp


def event(run_id: str = "r1", error: str = "") -> MigrationEvent:
    return MigrationEvent(run_id, timestamp(1_780_000_000.25), "/v", 1, 2, 3, False, False, error)


def audit(folder: Path) -> list[str]:
    return [record["run_id"] for record in read_events(folder)]


def test_a_time_has_its_zone() -> None:
    assert timestamp(1_780_000_000.25) == "2026-05-28T20:26:40.250000+00:00"


@given(st.text(st.characters()), st.text(st.characters()))
def test_an_event_is_always_one_line_of_ascii(run_id: str, error: str) -> None:
    line = encode(event(run_id, error))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()


def test_lines_are_appended(tmp_path: Path) -> None:
    folder = tmp_path / "_migrations"
    append_event(folder, event("a"))
    append_event(folder, event("b"))
    assert audit(folder) == ["a", "b"]


def test_a_torn_last_line_is_fenced_off(tmp_path: Path) -> None:
    append_event(tmp_path, event("a"))
    path = tmp_path / "migration.jsonl"
    os.truncate(path, path.stat().st_size - 1)
    append_event(tmp_path, event("b"))
    assert audit(tmp_path) == ["a", "b"]
    os.truncate(path, path.stat().st_size - 20)
    append_event(tmp_path, event("c"))
    assert audit(tmp_path) == ["a", "c"]


def test_lines_that_are_no_records_are_left_out_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "migration.jsonl"
    path.write_bytes(b'\xff\n[]\n5\n{"run_id": "a"}\n')
    append_event(tmp_path, event("b"))
    assert audit(tmp_path) == ["a", "b"]
    assert path.read_bytes().startswith(b"\xff\n[]\n5\n")


def test_a_missing_audit_has_no_records(tmp_path: Path) -> None:
    assert audit(tmp_path) == []


@pytest.mark.parametrize("what", ["link", "folder", "fifo"])
def test_an_audit_that_is_no_regular_file_is_never_written_through(what: str, tmp_path: Path) -> None:
    path = tmp_path / "_migrations/migration.jsonl"
    path.parent.mkdir()
    outside = tmp_path / "outside"
    outside.touch()
    {"link": lambda: path.symlink_to(outside), "folder": path.mkdir, "fifo": lambda: os.mkfifo(path)}[what]()
    with pytest.raises(MigrationError, match="cannot be written"):
        append_event(path.parent, event())
    assert outside.read_bytes() == b""


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_event(tmp_path, event("a"))
    before = (tmp_path / "migration.jsonl").read_bytes()
    real = os.write

    def short(handle: int, data: bytes) -> int:
        return real(handle, bytes(data)[:10])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(MigrationError, match="No space left"):
        append_event(tmp_path, event("b"))
    assert (tmp_path / "migration.jsonl").read_bytes() == before


def test_a_failed_write_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append_event(tmp_path, event("a"))
    before = (tmp_path / "migration.jsonl").read_bytes()

    def fail(*_args: Any) -> int:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(MigrationError, match="Input/output error"):
        append_event(tmp_path, event("b"))
    assert (tmp_path / "migration.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("error", "rolled_back", "expected"), [("", False, True), ("x", True, True), ("x", False, False)]
)
def test_a_run_is_settled_once_it_ended_well_or_was_rolled_back(
    error: str, rolled_back: bool, expected: bool, tmp_path: Path
) -> None:
    append_event(tmp_path, dataclasses.replace(event("a", error), rolled_back=rolled_back))
    assert is_settled(tmp_path, "a") is expected
    assert not is_settled(tmp_path, "b")
