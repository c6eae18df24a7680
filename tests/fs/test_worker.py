"""The worker's turns: pauses, sweeps, requests, reloads (contract [D-1] to [D-5])."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from atomic_agents.config import Config
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.worker import Worker
from atomic_agents.exceptions import ConfigError
from atomic_agents.index.writer import Updated
from atomic_agents.intake.events import (
    Editing,
    FolderGone,
    LayoutChanged,
    Lost,
    Overflow,
    SweepWanted,
    Touched,
    Wake,
)
from atomic_agents.intake.health import Condition, Health
from atomic_agents.pipeline import layerwriting
from atomic_agents.vault.lock import VaultLock
from fakes.bench import Workshop
from fakes.notes import note, put

RULE = "alpha/memory/feedback_first_rule.md"


class Bound:
    """A worker with its workshop."""

    def __init__(self, place, load=Config):
        self.shop = Workshop(place)
        self.orders = Orders(load)
        self.worker = Worker(self.shop.desk, self.orders)
        self.worker._working.start()
        self.worker._hearing.arm()

    def turns(self, number=3, *, seconds=1.0):
        for _ in range(number):
            self.worker.turn()
            self.shop.clock.advance(seconds)

    def sweeps(self):
        return [record["reason"] for record in self.shop.kept.events("sweep.finished")]


@pytest.fixture
def bound(tmp_path):
    made = Bound(tmp_path)
    yield made
    made.shop.close()


def test_the_first_sweep_adopts_and_makes_ready(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    events = [record["event"] for record in bound.shop.kept.records]
    assert [e for e in events if e in {"vault.adopted", "daemon.ready"}] == ["vault.adopted", "daemon.ready"]
    assert bound.shop.condition.state == "running"
    assert "First" in bound.shop.index()


def test_a_touched_path_is_taken_when_it_has_settled(bound):
    bound.turns()
    put(bound.shop.root, RULE, note("First"))
    bound.shop.watcher.told = [Touched(RULE)]
    bound.worker.turn()
    assert bound.shop.store.files.get(RULE) is None
    bound.shop.clock.advance(0.6)
    bound.worker.turn()
    assert "First" in bound.shop.index()


def test_a_folder_that_is_gone_makes_everything_below_it_be_looked_at(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    (bound.shop.root / RULE).unlink()
    bound.shop.watcher.told = [FolderGone("alpha/memory")]
    bound.turns()
    assert bound.shop.store.files.get(RULE) is None


@pytest.mark.parametrize(
    ("told", "reason"),
    [(Overflow(), "events were lost"), (SweepWanted("a big folder came"), "a big folder came")],
)
def test_lost_events_lead_to_a_sweep(bound, told, reason):
    bound.turns()
    bound.shop.watcher.told = [told]
    bound.turns()
    assert bound.sweeps()[-1] == reason


def test_a_changed_ignore_file_is_read_and_the_watches_are_armed_anew(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    put(bound.shop.root, ".atomicdignore", "alpha/memory/feedback_first_rule.md\n")
    bound.shop.watcher.told = [LayoutChanged(), Wake(), Editing(RULE)]
    bound.turns()
    assert bound.shop.store.files.get(RULE) is None
    assert bound.shop.watcher.armed == 2


def test_an_ignore_file_that_cannot_be_read_is_told_once_and_the_old_one_stays_in_force(bound):
    put(bound.shop.root, ".atomicdignore", "alpha/memory/feedback_first_rule.md\n")
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    put(bound.shop.root, ".atomicdignore", b"\xff\xfe")
    for _ in range(2):
        bound.shop.watcher.told = [LayoutChanged()]
        bound.turns()
    assert bound.shop.store.files.get(RULE) is None
    assert len(bound.shop.kept.events("config.refused")) == 1
    assert bound.shop.desk.heartbeat.status().state == "degraded"
    put(bound.shop.root, ".atomicdignore", "")
    bound.shop.watcher.told = [LayoutChanged()]
    bound.turns()
    assert bound.shop.store.files.get(RULE) is not None
    assert bound.shop.desk.heartbeat.status().state == "running"


def test_the_interval_and_a_jump_of_the_clock_lead_to_sweeps(bound):
    bound.turns()
    bound.turns(2, seconds=301)
    assert "interval" in bound.sweeps()[-1] or "nothing ran" in bound.sweeps()[-1]
    bound.shop.clock.jump(-7200)
    bound.turns()
    assert "clock" in bound.sweeps()[-1]


def test_a_watcher_that_went_deaf_is_armed_anew_and_a_sweep_follows(bound):
    bound.turns(10)
    bound.shop.watcher.told = [Lost("the reader died")]
    bound.shop.watcher.next_health = Health("native", 3, Condition.DEAF, "the reader died")
    bound.turns(1)
    bound.shop.watcher.next_health = None
    bound.turns(3)
    assert bound.shop.watcher.armed == 2
    assert bound.sweeps()[-1] == "watches armed again"
    assert len(bound.shop.kept.events("watch.rearmed")) == 1


def test_a_limited_watcher_is_told_once_and_shows_as_degraded(bound):
    bound.shop.watcher.next_health = Health("mixed", 3, Condition.LIMITED, "needs 40 watches")
    bound.turns(10)
    assert len(bound.shop.kept.events("watch.degraded")) == 1
    status = bound.shop.desk.heartbeat.status()
    assert (status.state, status.reasons) == ("degraded", ("needs 40 watches",))


def test_a_missing_root_pauses_everything_and_nothing_is_gone(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    aside = bound.shop.root.with_name("aside")
    bound.shop.root.rename(aside)
    bound.shop.watcher.told = [Touched(RULE)]
    bound.turns(6)
    assert bound.shop.desk.heartbeat.status().state == "paused"
    assert bound.shop.store.files.get(RULE) is not None
    assert not bound.shop.root.exists()
    aside.rename(bound.shop.root)
    bound.turns(6)
    assert bound.shop.desk.heartbeat.status().state == "running"
    assert "First" in bound.shop.index()


def test_an_empty_folder_in_the_vaults_place_is_an_unmounted_vault(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    aside = bound.shop.root.with_name("aside")
    bound.shop.root.rename(aside)
    bound.shop.root.mkdir()
    bound.turns(100)
    status = bound.shop.desk.heartbeat.status()
    assert (status.state, "is it mounted" in status.reasons[0]) == ("paused", True)
    assert bound.shop.store.files.get(RULE) is not None
    assert len(bound.shop.kept.events("daemon.paused")) == 1
    bound.shop.root.rmdir()
    aside.rename(bound.shop.root)
    bound.turns(10)
    assert bound.shop.desk.heartbeat.status().state == "running"


def test_a_vault_that_its_owner_emptied_is_believed(bound):
    put(bound.shop.root, RULE, note("First"))
    bound.turns()
    (bound.shop.root / RULE).unlink()
    (bound.shop.root / "alpha/memory/INDEX.md").unlink()
    bound.shop.watcher.told = [SweepWanted("x")]
    bound.turns(5)
    assert bound.shop.store.files.get(RULE) is None


def test_while_a_migration_holds_the_lock_changes_queue_up_and_a_sweep_follows(bound):
    bound.turns()
    put(bound.shop.root, RULE, note("First"))
    bound.shop.watcher.told = [Touched(RULE)]
    with VaultLock(bound.shop.root).hold():
        bound.turns(5)
        assert bound.shop.desk.heartbeat.status().state == "paused"
        assert bound.shop.store.files.get(RULE) is None
        assert not (bound.shop.root / "alpha/memory/INDEX.md").exists()
    bound.turns(5)
    assert "First" in bound.shop.index()
    assert bound.sweeps()[-1] == "a migration ended"
    assert len(bound.shop.kept.events("daemon.paused")) == 1


@pytest.mark.parametrize("error", [OSError(28, "No space left"), sqlite3.OperationalError("disk is full")])
def test_a_disk_that_refuses_pauses_with_back_off_and_mends_itself(bound, monkeypatch, error):
    bound.turns()
    put(bound.shop.root, RULE, note("First"))
    real = bound.shop.pipeline.take

    def refuse(path):
        raise error

    monkeypatch.setattr(bound.shop.pipeline, "take", refuse)
    bound.shop.watcher.told = [Touched(RULE)]
    bound.turns(6)
    assert bound.shop.desk.heartbeat.status().state == "paused"
    assert len(bound.shop.kept.events("daemon.paused")) == 1
    monkeypatch.setattr(bound.shop.pipeline, "take", real)
    bound.turns(4)
    assert "First" in bound.shop.index()
    assert bound.shop.desk.heartbeat.status().state == "running"


def test_an_idle_worker_does_not_take_the_lock(bound):
    bound.turns()
    lock = bound.shop.root / ".migration.lock"
    before = lock.stat() if lock.exists() else None
    bound.turns(20)
    assert (lock.stat() if lock.exists() else None) == before


def test_a_bad_configuration_is_refused_and_the_old_one_stays(tmp_path):
    def load():
        raise ConfigError("settle.quiet_ms: found 'x', expected an integer")

    bound = Bound(tmp_path, load)
    bound.turns()
    bound.orders._hang_up(1, None)
    bound.turns(1)
    assert "quiet_ms" in bound.shop.kept.events("config.refused")[0]["reason"]
    assert bound.shop.bench.config == Config()
    bound.shop.close()


def test_a_request_that_nobody_knows_is_answered_so(bound):
    folder = bound.shop.folder / "requests"
    (folder / "one.request.json").write_text('{"kind": "dance", "arguments": {}}')
    (folder / "two.request.json").write_text("{")
    bound.turns(2)
    assert "dance" in json.loads((folder / "one.answer.json").read_text())["error"]
    assert "unreadable" in json.loads((folder / "two.answer.json").read_text())["error"]


def test_a_sync_is_answered_when_all_is_worked_off(bound):
    bound.turns()
    put(bound.shop.root, RULE, note("First"))
    folder = bound.shop.folder / "requests"
    (folder / "one.request.json").write_text('{"kind": "sync", "arguments": {"wait": true}}')
    bound.worker.turn()
    assert not (folder / "one.answer.json").exists()
    bound.turns(4)
    answer = json.loads((folder / "one.answer.json").read_text())
    assert (answer["units"], answer["written"]) == (1, ["alpha/memory/INDEX.md"])


def test_odd_files_are_told_once(bound):
    os.mkfifo(bound.shop.root / "alpha/memory/feedback_a_pipe.md")
    bound.turns()
    bound.shop.watcher.told = [SweepWanted("x")]
    bound.turns()
    assert len(bound.shop.kept.events("sweep.odd")) == 1


def test_a_mass_of_events_becomes_one_sweep(tmp_path):
    bound = Bound(tmp_path)
    bound.turns()
    bound.shop.watcher.told = [Touched(f"alpha/memory/feedback_n_{n}.md") for n in range(6000)]
    bound.turns(10)
    assert bound.sweeps()[-1] == "too many paths at once"
    bound.shop.close()


def test_a_sync_waits_for_an_index_that_somebody_writes_all_the_time(bound, monkeypatch):
    bound.turns()
    put(bound.shop.root, RULE, note("First"))
    real = layerwriting.update_layer
    monkeypatch.setattr(
        layerwriting,
        "update_layer",
        lambda _root, _scope, _wanted, before, **_: Updated((), before, gave_up=True),
    )
    folder = bound.shop.folder / "requests"
    (folder / "one.request.json").write_text('{"kind": "sync", "arguments": {"wait": false}}')
    bound.turns(12)
    assert not (folder / "one.answer.json").exists()
    assert len(bound.shop.kept.events("index.failed")) == 1
    monkeypatch.setattr(layerwriting, "update_layer", real)
    bound.turns(3)
    assert (folder / "one.answer.json").exists()
    assert "First" in bound.shop.index()
    assert bound.shop.bench.trouble == {}
