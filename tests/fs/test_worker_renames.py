"""A rename that only the sweep finds, the moment after it happened (contract [INDEX-3], [INDEX-4])."""

from __future__ import annotations

import pytest

from atomic_agents.config import Config
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.worker import Worker
from fakes.bench import Workshop
from fakes.notes import note, put

OLD = "alpha/memory/feedback_old_rule.md"
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


def test_a_hook_edited_by_hand_stays_when_the_sweep_meets_the_new_name_still_hot(shop, worker):
    put(shop.root, OLD, note("First"))
    turns(shop, worker)
    index = shop.root / "alpha/memory/INDEX.md"
    index.write_text(index.read_text("utf-8").replace("use it in tests", "in my own words"), "utf-8")
    (shop.root / OLD).rename(shop.root / NEW)
    shop.clock.jump((shop.root / NEW).stat().st_ctime + 0.1 - shop.clock.wall())
    worker._sweeping.want("sync")
    turns(shop, worker)
    assert [line["to"] for line in shop.kept.events("unit.renamed")] == [NEW]
    assert "(feedback_new_rule.md) — in my own words" in shop.index()
