"""A rename that only the sweep finds, the moment after it happened (contract [INDEX-3], [INDEX-4])."""

from __future__ import annotations

import pytest

from atomic_agents.config import Config
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.worker import Worker
from atomic_agents.intake.events import Touched
from fakes.bench import Workshop
from fakes.notes import note, put

OLD = "alpha/memory/feedback_old_rule.md"
BUSY = "alpha/memory/feedback_busy_rule.md"
NEW = "alpha/memory/feedback_new_rule.md"


@pytest.fixture
def shop(tmp_path):
    made = Workshop(tmp_path)
    yield made
    made.close()


@pytest.fixture
def worker(shop):
    made = Worker(shop.desk, Orders(Config))
    made._working.start()
    made._hearing.arm()
    return made


def turns(shop, worker, number=4):
    for _ in range(number):
        worker.turn()
        shop.clock.advance(0.3)


def named_by_hand(shop, worker):
    put(shop.root, OLD, note("First"))
    turns(shop, worker)
    index = shop.root / "alpha/memory/INDEX.md"
    index.write_text(index.read_text("utf-8").replace("use it in tests", "in my own words"), "utf-8")


def test_a_hook_edited_by_hand_stays_when_the_sweep_meets_the_new_name_still_hot(shop, worker):
    named_by_hand(shop, worker)
    (shop.root / OLD).rename(shop.root / NEW)
    shop.clock.jump((shop.root / NEW).stat().st_ctime + 0.1 - shop.clock.wall())
    worker._sweeping.want("sync")
    turns(shop, worker)
    assert [line["to"] for line in shop.kept.events("unit.renamed")] == [NEW]
    assert "(feedback_new_rule.md) — in my own words" in shop.index()


def test_a_note_that_is_renamed_and_edited_the_moment_after_keeps_its_entry(shop, worker):
    named_by_hand(shop, worker)
    (shop.root / OLD).rename(shop.root / NEW)
    shop.watcher.told = [Touched(OLD), Touched(NEW)]
    worker.turn()
    shop.clock.advance(0.4)
    with (shop.root / NEW).open("a") as file:
        file.write("more\n")
    shop.watcher.told = [Touched(NEW)]
    turns(shop, worker, 8)
    assert [line["to"] for line in shop.kept.events("unit.renamed")] == [NEW]
    assert "(feedback_new_rule.md) — in my own words" in shop.index()


def replaced(path, text):
    """Save as most editors and agents do: another file in its place."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text)
    temporary.replace(path)


def test_a_note_that_is_renamed_and_then_replaced_by_an_editor_keeps_its_entry(shop, worker):
    named_by_hand(shop, worker)
    (shop.root / OLD).rename(shop.root / NEW)
    replaced(shop.root / NEW, note("First", "edited after the rename"))
    shop.watcher.told = [Touched(OLD), Touched(NEW)]
    turns(shop, worker, 6)
    assert [line["to"] for line in shop.kept.events("unit.renamed")] == [NEW]
    assert "(feedback_new_rule.md) — in my own words" in shop.index()


def test_a_new_note_with_another_title_is_no_new_name_of_a_removed_one(shop, worker):
    named_by_hand(shop, worker)
    (shop.root / OLD).unlink()
    put(shop.root, NEW, note("Second"))
    shop.watcher.told = [Touched(OLD), Touched(NEW)]
    turns(shop, worker, 6)
    assert shop.kept.events("unit.renamed") == []
    assert "in my own words" not in shop.index()


def test_a_namesake_that_has_an_entry_of_its_own_is_no_new_name_of_a_removed_one(shop, worker):
    put(shop.root, NEW, note("First", "another"))
    named_by_hand(shop, worker)
    (shop.root / OLD).unlink()
    put(shop.root, NEW, note("First", "another one"))
    shop.watcher.told = [Touched(OLD), Touched(NEW)]
    turns(shop, worker, 6)
    assert shop.kept.events("unit.renamed") == []
    assert "(feedback_new_rule.md) — another one" in shop.index()


def test_a_known_rename_does_not_wait_for_other_paths(shop, worker):
    named_by_hand(shop, worker)
    put(shop.root, BUSY, note("Busy"))
    (shop.root / OLD).rename(shop.root / NEW)
    shop.watcher.told = [Touched(OLD), Touched(NEW)]
    for _ in range(4):
        worker.turn()
        shop.clock.advance(0.3)
        shop.watcher.told = [Touched(BUSY)]
    assert [line["to"] for line in shop.kept.events("unit.renamed")] == [NEW]


def test_a_removal_waits_for_restless_paths_no_longer_than_a_path_may_settle(shop, worker):
    named_by_hand(shop, worker)
    put(shop.root, BUSY, note("Busy"))
    (shop.root / OLD).unlink()
    shop.watcher.told = [Touched(OLD)]
    gone = []
    for _ in range(24):
        worker.turn()
        shop.clock.advance(0.3)
        shop.watcher.told = [Touched(BUSY)]
        gone.append(bool(shop.kept.events("unit.removed")))
    assert not any(gone[:12])
    assert all(gone[-3:])
    assert "feedback_old_rule.md" not in shop.index()
