"""What is remembered of entries survives a restart, whatever the files are called ([D-7])."""

from __future__ import annotations

import sqlite3

import pytest

from atomic_agents.store.entries import SCHEMA, Entries, Remembered

ONE = Remembered("a.md", "A", "a", "feedback", "- [A](a.md) — a", "critical feedback")
TWO = Remembered("\udcff/b.md", "B", "b", "archive", "- [B](b.md)", "", "a.md", "  - own", gone=True)


@pytest.fixture
def entries():
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield Entries(connection)
    connection.close()


def test_what_is_saved_is_loaded(entries):
    assert entries.save("alpha/memory", {}, {"a.md": ONE, TWO.file: TWO}) == 2
    assert entries.of_layer("alpha/memory") == {"a.md": ONE, TWO.file: TWO}
    assert entries.of_layer("alpha/wiki") == {}


def test_only_rows_that_differ_are_written(entries):
    entries.save("m", {}, {"a.md": ONE, TWO.file: TWO})
    assert entries.save("m", entries.of_layer("m"), {"a.md": ONE, TWO.file: TWO}) == 0
    assert entries.save("m", entries.of_layer("m"), {"a.md": ONE}) == 1
    assert entries.of_layer("m") == {"a.md": ONE}


def test_a_renamed_layer_keeps_what_is_remembered(entries):
    entries.save("alpha/memory", {}, {"a.md": ONE, TWO.file: TWO})
    newer = Remembered("a.md", "N", "n", "feedback", "- n", "")
    entries.save("gamma/memory", {}, {"a.md": newer})
    entries.rename_layer("alpha/memory", "gamma/memory")
    assert entries.of_layer("gamma/memory") == {"a.md": newer, TWO.file: TWO}
    assert entries.of_layer("alpha/memory") == {}
