"""The history over two simulated years, and under its size limit (contract [Q-5])."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import zlib

import pytest

from atomic_agents.pipeline import tidying
from atomic_agents.store import open_store
from fakes.notes import bad_note, note
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"
DAY = 86_400.0


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "vault", tmp_path / "state")
    yield made
    made.close()


@pytest.fixture
def versions(stage):
    return stage.bench.store.versions


def keep(stage, path, data, **options):
    data = data.encode() if isinstance(data, str) else data
    with stage.bench.store.transaction():
        sha256 = hashlib.sha256(data).hexdigest()
        return stage.bench.store.versions.record(path, data, sha256, stage.clock.wall(), **options)


def tidy(stage):
    """Do a whole pass."""
    stage.pipeline.tidying.want()
    while stage.pipeline.tidying.is_running():
        stage.pipeline.tidying.tend()


def test_two_years_of_a_note_that_changes_every_six_hours(stage, versions):
    for step in range(2 * 365 * 4):
        stage.clock.advance(6 * 3600)
        keep(stage, RULE, f"{step} " * 50)
        if step % 4 == 3:
            tidy(stage)
    left = versions.of(RULE)
    now = stage.clock.wall()
    ages = [(now - version.recorded) / DAY for version in left]
    assert sum(age <= 1 for age in ages) == 5
    assert 28 <= sum(1 < age <= 30 for age in ages) <= 31
    assert 22 <= sum(age > 30 for age in ages) <= 24
    assert left[-1].version == 2 * 365 * 4
    assert versions.content(left[0].sha256).startswith(b"1")
    months = {dt.datetime.fromtimestamp(v.recorded, dt.UTC).strftime("%Y-%m") for v in left}
    assert len(months) == 25


def test_a_content_goes_with_its_last_version_and_the_sum_stays_true(stage, versions):
    shared = b"shared " * 100
    keep(stage, "a", shared)
    keep(stage, "b", shared)
    for number in range(5):
        stage.clock.advance(60)
        keep(stage, "a", f"other {number}")
    stage.clock.advance(90 * DAY)
    keep(stage, "a", "new")
    tidy(stage)
    assert versions.content(hashlib.sha256(shared).hexdigest()) == shared
    packed = stage.bench.store._connection.execute("SELECT sum(length(packed)) FROM contents").fetchone()[0]
    assert versions.packed_bytes() == packed
    assert len(stage.log.of("history.thinned")) == 1


def test_the_last_good_version_stays_though_newer_ones_that_nobody_checked_are_there(stage, versions):
    keep(stage, RULE, "good one")
    for number in range(3):
        stage.clock.advance(60)
        keep(stage, RULE, f"unchecked {number}", checked=False)
    stage.clock.advance(400 * DAY)
    tidy(stage)
    assert [version.version for version in versions.of(RULE)] == [1, 4]
    assert versions.content(versions.last_good(RULE).sha256) == b"good one"


def test_a_pass_is_made_at_most_once_an_hour_also_over_a_restart(stage, monkeypatch):
    passes = []
    real = tidying.Tidying._finish
    monkeypatch.setattr(tidying.Tidying, "_finish", lambda self: (passes.append(1), real(self)))
    for _ in range(3):
        stage.sweep()
        stage.pipeline.tend()
    stage.restart()
    stage.sweep()
    stage.pipeline.tend()
    assert len(passes) == 1
    stage.clock.advance(3601)
    stage.sweep()
    stage.pipeline.tend()
    assert len(passes) == 2
    stage.clock.jump(-90 * DAY)
    stage.sweep()
    stage.pipeline.tend()
    assert len(passes) == 3


def test_a_pass_over_many_paths_is_made_in_slices(stage, versions, monkeypatch):
    for number in range(120):
        for text in ("one", "two", "three"):
            keep(stage, f"p{number:03}", f"{text} {number}")
            stage.clock.advance(1)
    stage.clock.advance(100 * DAY)
    real = tidying.thin
    monkeypatch.setattr(tidying, "thin", lambda *args: (stage.clock.advance(0.001), real(*args))[1])
    stage.pipeline.tidying.want()
    slices = 0
    while stage.pipeline.tidying.is_running():
        assert stage.pipeline.tend_due() is not None
        before = stage.clock.monotonic()
        stage.pipeline.tidying.tend()
        assert stage.clock.monotonic() - before <= tidying.SLICE_SECONDS + 0.051
        slices += 1
    assert slices >= 2
    assert all(len(versions.of(f"p{number:03}")) == 1 for number in range(120))
    assert stage.log.of("history.thinned")[0]["versions"] == 240
    assert stage.pipeline.tend_due() is None


def noise(seed):
    """Text that hardly packs, so that sizes can be told."""
    return random.Random(seed).randbytes(300_000)


def test_above_the_limit_the_oldest_go_first_and_never_the_last_good_one(tmp_path):
    stage = Stage(tmp_path / "vault", tmp_path / "state", history={"max_bytes": 1_048_576})
    versions = stage.bench.store.versions
    keep(stage, "old", noise(0))
    for number in range(1, 4):
        stage.clock.advance(60)
        keep(stage, "young", noise(number))
    stage.clock.advance(60)
    keep(stage, "old", noise(9))
    keep(stage, "unchecked", noise(10))
    keep(stage, "unchecked", noise(11), checked=False)
    tidy(stage)
    assert [version.version for version in versions.of("old")] == [2]
    assert [version.version for version in versions.of("young")] == [3]
    assert [version.version for version in versions.of("unchecked")] == [1, 2]
    assert versions.packed_bytes() > 1_048_576
    stage.close()


def test_below_the_limit_nothing_young_goes(stage, versions):
    for number in range(3):
        keep(stage, RULE, noise(number))
    tidy(stage)
    assert len(versions.of(RULE)) == 3
    assert stage.log.of("history.thinned") == []


def test_what_is_kept_of_a_removed_note_is_its_last_good_version(stage, versions):
    for number in range(4):
        stage.write(RULE, note(f"Number {number}"))
        stage.clock.advance(60)
    (stage.root / RULE).unlink()
    stage.settle(RULE)
    stage.clock.advance(400 * DAY)
    tidy(stage)
    assert [version.version for version in versions.of(RULE)] == [4]
    assert versions.last_good(RULE) is None


def test_an_index_has_a_history_too(stage, versions):
    stage.write(RULE, note("One"))
    stage.write(RULE, note("Two"))
    texts = [versions.content(version.sha256) for version in versions.of("alpha/memory/INDEX.md")]
    assert [b"[One]" in text for text in texts] == [True, False]
    assert b"[Two]" in texts[-1]


def test_invalid_bytes_are_no_version(stage, versions):
    stage.write(RULE, note())
    stage.write(RULE, bad_note())
    assert len(versions.of(RULE)) == 1


def test_a_checked_version_of_the_same_bytes_is_good_from_then_on(stage, versions):
    keep(stage, RULE, "x", checked=False)
    assert versions.last_good(RULE) is None
    assert keep(stage, RULE, "x") == 1
    assert versions.last_good(RULE).version == 1


def test_a_store_of_before_the_sum_was_kept_is_summed_up_once(stage, versions, tmp_path):
    keep(stage, RULE, "x" * 1000)
    size = versions.packed_bytes()
    stage.bench.store._connection.execute("DROP TABLE kept_bytes")
    for _ in range(2):
        again = open_store(stage.state, now=0.0)
        assert again.versions.packed_bytes() == size
        again.close()


def test_a_hundred_notes_with_five_versions_take_less_than_twice_their_packed_size(stage, tmp_path):
    from fakes.prose import prose_note

    packed = 0
    with stage.bench.store.transaction():
        for number in range(100):
            for version in range(5):
                data = prose_note(number, version)
                packed += len(zlib.compress(data, 6))
                keep(stage, f"agent/memory/feedback_note_{number:06}_topic.md", data)
    stage.close()
    size = (stage.state / "state.sqlite3").stat().st_size
    empty = open_store(tmp_path / "empty", now=0.0)
    empty.close()
    size -= (tmp_path / "empty" / "state.sqlite3").stat().st_size
    assert size < 2 * packed
    stage.open()
