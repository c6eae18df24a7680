"""The state store (contract [D-7])."""

from __future__ import annotations

import hashlib
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import CannotWriteError, TemporaryError
from atomic_agents.model import FileRecord, FileState, Kind, Place, Problem, Stamp, Unit
from atomic_agents.store import open_store, state_folder
from atomic_agents.store.database import VERSION

NOW = 1_780_000_000.0
SHA = hashlib.sha256(b"x").hexdigest()


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "state", now=NOW)
    yield opened
    opened.close()


def record(path="a/memory/x.md", state=FileState.VALID, unit=None, problems=(), stamp=None, sha256=SHA):
    stamp = stamp or Stamp(3, 10, 20, 30, 40)
    return FileRecord(path, Kind.NOTE, state, stamp, sha256, NOW, unit, problems)


def place(path="a/memory/x.md"):
    return Place(path, Kind.NOTE, "a", "memory", path.removeprefix("a/memory/"))


def unit(path="a/memory/x.md", **values):
    base = {
        "schema_version": 1,
        "name": "X",
        "description": "d",
        "type": "feedback",
        "captured": "2026-01-01",
    }
    return Unit(
        path=path, **(base | {"last_seen": "2026-01-02", "sources": ("s",), "confidence": "high"} | values)
    )


def put(store, one):
    key = "x" if one.unit else None
    store.files.put(one, place(one.path), basename=one.path.rpartition("/")[2], name_key=key)


def test_a_record_comes_back_as_it_was_put(store):
    problem = Problem("a/memory/x.md", "stale", "warning", "f", "e", "x", field="last_seen", line=3)
    one = record(
        unit=unit(tags=("a", "b"), pinned=True, related=("r.md",), expires_at="2026-09-30"),
        problems=(problem,),
    )
    put(store, one)
    assert store.files.get("a/memory/x.md") == one
    assert store.files.get("a/memory/y.md") is None


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_inode_and_device_of_any_size_come_back(inode, device):
    connection = sqlite3.connect(":memory:", isolation_level=None)
    from atomic_agents.store import files

    connection.executescript(files.SCHEMA)
    table = files.Files(connection)
    one = record(stamp=Stamp(1, 2, 3, inode, device))
    table.put(one, place(), basename="x.md", name_key=None)
    assert table.get(one.path) == one
    assert [found.path for found in table.of_inode(one.stamp)] == [one.path]
    connection.close()


def test_a_name_that_is_not_utf8_is_kept(store):
    put(store, record("a/memory/caf\udce9.md"))
    assert list(store.files.stamps()) == ["a/memory/caf\udce9.md"]
    assert store.files.called("a", "caf\udce9.md") == ["a/memory/caf\udce9.md"]


def test_files_are_found_by_layer_state_folder_content_name_and_pin(store):
    put(store, record("a/memory/b.md", unit=unit("a/memory/b.md", pinned=True)))
    put(store, record("a/memory/a.md", FileState.HELD))
    put(store, record("a/memory/sub/c.md", FileState.ADOPTED, sha256="ab" * 32))
    paths = lambda found: [one.path for one in found]  # noqa: E731
    assert paths(store.files.in_layer("a/memory")) == ["a/memory/a.md", "a/memory/b.md", "a/memory/sub/c.md"]
    assert paths(store.files.in_state(FileState.HELD)) == ["a/memory/a.md"]
    assert paths(store.files.below("a/memory/sub")) == ["a/memory/sub/c.md"]
    assert paths(store.files.below("a")) == ["a/memory/a.md", "a/memory/b.md", "a/memory/sub/c.md"]
    assert paths(store.files.of_content("ab" * 32)) == ["a/memory/sub/c.md"]
    assert paths(store.files.named("a/memory", "x")) == ["a/memory/b.md"]
    assert paths(store.files.pinned("a/memory")) == ["a/memory/b.md"]
    assert store.files.layers() == ["a/memory"]
    assert store.files.count(FileState.VALID, FileState.HELD) == 2
    store.files.remove("a/memory/a.md")
    assert store.files.get("a/memory/a.md") is None


def test_a_folder_whose_name_begins_with_another_is_not_below_it(store):
    put(store, record("a/memory/sub2/c.md"))
    assert list(store.files.below("a/memory/sub")) == []


def test_versions_are_numbered_and_the_same_bytes_twice_are_one(store):
    one, two = (hashlib.sha256(data).hexdigest() for data in (b"one", b"two"))
    assert store.versions.record("p", b"one", one, NOW) == 1
    assert store.versions.record("p", b"one", one, NOW + 1) == 1
    assert store.versions.record("p", b"two", two, NOW + 2) == 2
    assert store.versions.record("p", b"one", one, NOW + 3) == 3
    assert [(v.version, v.sha256, v.size) for v in store.versions.of("p")] == [
        (1, one, 3),
        (2, two, 3),
        (3, one, 3),
    ]
    assert store.versions.content(two) == b"two"
    with pytest.raises(KeyError):
        store.versions.content("00" * 32)


def test_after_a_removal_nothing_is_put_back_until_the_path_is_valid_again(store):
    store.versions.record("p", b"x", SHA, NOW)
    assert store.versions.last_good("p").sha256 == SHA
    store.versions.mark_removed("p", NOW)
    assert store.versions.last_good("p") is None
    assert store.versions.last("p") is not None
    store.versions.record("p", b"x", SHA, NOW)
    assert store.versions.last_good("p") is not None


def test_facts_keep_any_json_value(store):
    assert store.facts.get("a", 7) == 7
    store.facts.put("a", {"b": [1, None, "c"]})
    assert store.facts.get("a") == {"b": [1, None, "c"]}


def test_a_failed_transaction_leaves_nothing(store):
    def fail():
        with store.transaction():
            store.facts.put("a", 1)
            with store.transaction():
                store.facts.put("b", 2)
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert (store.facts.get("a"), store.facts.get("b")) == (None, None)


def test_what_was_written_is_there_after_a_new_opening(tmp_path):
    first = open_store(tmp_path, now=NOW)
    put(first, record())
    first.close()
    second = open_store(tmp_path, now=NOW)
    assert second.files.get("a/memory/x.md") == record()
    assert second.set_aside is None
    second.close()


@pytest.mark.parametrize(
    "broken", [b"this is no database, but longer than a header" * 40, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_broken_store_is_set_aside_and_a_new_one_made(tmp_path, broken):
    (tmp_path / "state.sqlite3").write_bytes(broken)
    opened = open_store(tmp_path, now=NOW)
    assert opened.set_aside is not None
    assert opened.set_aside.read_bytes() == broken
    assert opened.files.stamps() == {}
    opened.close()


def test_a_store_of_a_newer_version_is_set_aside_each_time_under_a_name_of_its_own(tmp_path):
    for _ in range(2):
        open_store(tmp_path, now=NOW).close()
        connection = sqlite3.connect(tmp_path / "state.sqlite3")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.close()
        opened = open_store(tmp_path, now=NOW)
        assert opened.set_aside is not None
        opened.close()
    assert len(list(tmp_path.glob("*.aside-*"))) == 2


def test_a_state_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWriteError, match="state folder") as caught:
        open_store(tmp_path / "file" / "state", now=NOW)
    assert caught.value.exit_code == 73


def test_a_store_in_the_way_of_a_folder_is_told(tmp_path):
    (tmp_path / "state.sqlite3").mkdir()
    with pytest.raises(CannotWriteError, match="state store"):
        open_store(tmp_path, now=NOW)


def test_reading_needs_a_store_and_cannot_write(tmp_path):
    with pytest.raises(TemporaryError, match="not there"):
        open_store(tmp_path, now=NOW, read_only=True)
    open_store(tmp_path, now=NOW).close()
    opened = open_store(tmp_path, now=NOW, read_only=True)
    with pytest.raises(sqlite3.OperationalError, match="readonly"), opened.transaction():
        opened.facts.put("a", 1)
    opened.close()


def test_the_state_folder_is_private_and_has_the_vaults_name(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "states"))
    folder = state_folder(tmp_path / "my vault")
    assert folder.name.startswith("my-vault-")
    assert folder != state_folder(tmp_path / "my-vault")
    open_store(folder, now=NOW).close()
    assert folder.stat().st_mode & 0o777 == 0o700
