"""What a kill leaves between the write of an INDEX and the note of it (contract [D-5])."""

from __future__ import annotations

import sqlite3

import pytest

from atomic_agents.store.entries import SCHEMA, Entries, Remembered

ONE = Remembered("a.md", "A", "hook", "feedback", "- [A](a.md) — hook", "critical feedback")
TWO = Remembered("b.md", "B", "hook", "feedback", "- [B](b.md) — hook", "critical feedback")


@pytest.fixture
def entries():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    yield Entries(connection)
    connection.close()


def test_what_is_intended_and_not_saved_comes_back_by_layer(entries):
    entries.intend("a/memory", {}, {"a.md": ONE})
    entries.intend("b/memory", {"a.md": ONE}, {"a.md": ONE, "b.md": TWO})
    assert entries.intended() == {"a/memory": {"a.md": ONE}, "b/memory": {"b.md": TWO}}


def test_what_is_saved_is_intended_no_longer(entries):
    entries.intend("a/memory", {}, {"a.md": ONE})
    entries.intend("b/memory", {}, {"b.md": TWO})
    entries.save("a/memory", {}, {"a.md": ONE})
    assert entries.intended() == {"b/memory": {"b.md": TWO}}
    assert entries.of_layer("a/memory") == {"a.md": ONE}
