"""What becomes of invalid writes in the pipeline, with time moved by hand (contract [Q-1] to [Q-6])."""

from __future__ import annotations

import os

import pytest

from atomic_agents.model import FileState
from fakes.notes import bad_note, note, put
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"
GRACE = 10.5


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "vault", tmp_path / "state")
    yield made
    made.close()


def age(stage, path, seconds=0.0):
    """Give a file the time of the stage's clock."""
    moment = stage.clock.wall() - seconds
    os.utime(stage.root / path, (moment, moment))


def block(stage, path=RULE, text=None):
    """Write something invalid and let its grace time pass."""
    stage.write(path, text or bad_note())
    stage.wait(GRACE)


def incidents(stage):
    return stage.bench.incidents.all()


def test_a_loop_of_the_same_invalid_bytes_is_one_incident_and_then_left_alone(stage):
    stage.write(RULE, note())
    for _ in range(5):
        block(stage)
        assert stage.read(RULE) == note()
    block(stage)
    (incident,) = incidents(stage)
    assert incident.occurrences == 5
    assert stage.read(RULE) == bad_note()
    assert stage.state_of(RULE) is FileState.HELD
    (hold,) = stage.pipeline.blocking.holds
    assert "waits for a change" in hold.reason
    assert len(stage.log.of("unit.looping")) == 1
    assert "feedback_first_rule.md" in stage.read("alpha/memory/INDEX.md")

    stage.wait(86_400)
    stage.settle(RULE)
    assert stage.read(RULE) == bad_note()
    assert len(stage.log.of("unit.quarantined")) == 5
    assert stage.pipeline.blocking.next_due() is None


def test_a_loop_is_remembered_over_a_restart(stage):
    stage.write(RULE, note())
    for _ in range(6):
        block(stage)
    stage.restart()
    stage.wait(GRACE)
    assert stage.read(RULE) == bad_note()
    assert incidents(stage)[0].occurrences == 5


def test_other_invalid_bytes_end_the_wait_of_a_loop(stage):
    stage.write(RULE, note())
    for _ in range(6):
        block(stage)
    block(stage, text=note(confidence="sure"))
    assert stage.read(RULE) == note()
    assert [incident.occurrences for incident in incidents(stage)] == [5, 1]


def test_a_mended_file_ends_the_loop_and_its_incident(stage):
    stage.write(RULE, note())
    for _ in range(6):
        block(stage)
    stage.write(RULE, note("Mended"))
    assert [incident.state for incident in incidents(stage)] == ["solved"]
    block(stage)
    assert stage.read(RULE) == note("Mended")


def test_slow_repetitions_are_no_loop(stage):
    stage.write(RULE, note())
    for _ in range(8):
        block(stage)
        stage.wait(60)
    assert incidents(stage)[0].occurrences == 8
    assert stage.read(RULE) == note()


def test_a_path_that_never_was_valid_is_only_moved(stage):
    block(stage)
    assert not (stage.root / RULE).exists()
    assert stage.log.of("unit.restored") == []
    assert stage.bench.store.files.get(RULE) is None


def test_the_newest_version_that_is_valid_today_is_put_back(stage):
    stage.write(RULE, note("One"))
    broken = note("Two").encode()
    stage.bench.store.versions.record(RULE, broken + b"\xff", "ab" * 32, stage.clock.wall())
    block(stage)
    assert stage.read(RULE) == note("One")


def test_bytes_that_were_never_checked_are_not_put_back(stage):
    stage.write(RULE, note("One"))
    data = note("Unchecked").encode()
    stage.bench.store.versions.record(RULE, data, "ab" * 32, stage.clock.wall(), checked=False)
    block(stage)
    assert stage.read(RULE) == note("One")


def test_a_write_that_only_had_the_wrong_name_is_solved_by_the_right_one(stage):
    block(stage, "alpha/memory/feedback_Wrong-Name.md", note())
    stage.write(RULE, note())
    assert [incident.state for incident in incidents(stage)] == ["solved"]


def test_a_touch_starts_the_grace_time_again(stage):
    stage.write(RULE, bad_note())
    stage.wait(9)
    stage.pipeline.blocking.reopen_grace(RULE)
    stage.wait(9)
    assert stage.read(RULE) == bad_note()
    stage.wait(2)
    assert not (stage.root / RULE).exists()


@pytest.mark.parametrize("trace", [".feedback_first_rule.md.swp", ".#feedback_first_rule.md"])
def test_a_swap_or_lock_file_beside_it_keeps_a_file_in_place(stage, trace):
    stage.write(RULE, bad_note())
    swap = stage.root / "alpha/memory" / trace
    swap.symlink_to("somebody@host") if trace.startswith(".#") else swap.touch()
    stage.wait(GRACE)
    assert stage.read(RULE) == bad_note()
    (hold,) = stage.pipeline.blocking.holds
    assert trace in hold.reason
    swap.unlink()
    stage.wait(GRACE)
    assert not (stage.root / RULE).exists()


def test_a_swap_file_that_a_crash_left_a_day_ago_keeps_nothing(stage):
    put(stage.root, "alpha/memory/.feedback_first_rule.md.swp", "x")
    age(stage, "alpha/memory/.feedback_first_rule.md.swp", 90_000)
    block(stage)
    assert not (stage.root / RULE).exists()


def test_the_grace_time_counts_from_the_last_write(stage):
    put(stage.root, RULE, bad_note())
    stage.clock.jump((stage.root / RULE).stat().st_ctime + 8 - stage.clock.wall())
    stage.settle(RULE)
    assert stage.log.of("unit.held")[0]["seconds"] == pytest.approx(2.0, abs=0.2)


def test_a_file_that_the_system_does_not_let_go_stops_no_other(stage, monkeypatch):
    stage.write(RULE, note())
    from atomic_agents.quarantine import taking

    real = taking.move_file

    def refuse(source, target, **options):
        if source.name == "feedback_first_rule.md":
            raise PermissionError(1, "Operation not permitted")
        real(source, target, **options)

    monkeypatch.setattr(taking, "move_file", refuse)
    stage.write(OTHER, bad_note())
    block(stage)
    assert not (stage.root / OTHER).exists()
    assert stage.read(RULE) == bad_note()
    assert "not permitted" in stage.bench.trouble[RULE]
    assert [one.step for one in incidents(stage)] == ["done"]
    told = len(stage.log.lines)
    stage.wait(31)
    assert len(stage.log.lines) == told
    monkeypatch.setattr(taking, "move_file", real)
    stage.wait(31)
    assert stage.read(RULE) == note()
    assert RULE not in stage.bench.trouble


def test_what_was_moved_when_the_disk_failed_is_finished_without_a_restart(stage, monkeypatch):
    stage.write(RULE, note())
    from atomic_agents.quarantine import taking

    def fail(*_args, **_options):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "create_file", fail)
        block(stage)
    assert [one.step for one in incidents(stage)] == ["moving"]
    stage.wait(31)
    assert stage.read(RULE) == note()
    assert [one.step for one in incidents(stage)] == ["done"]
    assert stage.state_of(RULE) is FileState.VALID


def test_a_link_to_a_hidden_place_of_the_vault_stays_and_its_bytes_are_moved(stage):
    real = put(stage.root, "alpha/.store/x.md", note())
    (stage.root / RULE).symlink_to("../.store/x.md")
    stage.settle(RULE)
    real.write_text(bad_note())
    stage.settle(RULE)
    stage.wait(GRACE)
    assert (stage.root / RULE).is_symlink()
    assert real.read_text() == note()
    assert stage.bench.incidents.file_of(incidents(stage)[0]).read_text() == bad_note()


def test_a_folder_that_became_a_link_out_of_the_vault_is_not_followed(stage, tmp_path):
    stage.write(RULE, bad_note())
    (stage.root / "alpha/memory").rename(tmp_path / "outside")
    (stage.root / "alpha/memory").symlink_to(tmp_path / "outside")
    stage.wait(GRACE)
    assert (tmp_path / "outside/feedback_first_rule.md").read_text() == bad_note()
    assert incidents(stage) == []


def test_a_quarantine_that_is_a_link_is_never_written_through(stage, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (stage.root / "_quarantine").symlink_to(tmp_path / "elsewhere")
    block(stage)
    assert stage.read(RULE) == bad_note()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert "link" in stage.bench.trouble[RULE]


def test_a_read_error_leads_neither_to_quarantine_nor_to_the_loss_of_an_entry(stage, monkeypatch):
    stage.write(RULE, note())

    def fail(*_args, **_options):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("atomic_agents.pipeline.looking.read_file", fail)
        for seconds in (1, 5, 100):
            stage.pipeline.take(RULE)
            stage.pipeline.finish(settled=True)
            stage.clock.advance(seconds)
        assert "Input/output" in stage.bench.trouble[RULE]
    assert incidents(stage) == []
    assert "feedback_first_rule.md" in stage.read("alpha/memory/INDEX.md")
    assert stage.state_of(RULE) is FileState.VALID
    assert len(stage.log.of("unit.unreadable")) == 1
    stage.settle(RULE)
    assert stage.bench.trouble == {}


def test_a_file_that_is_ignored_by_now_is_forgotten_and_left(stage):
    stage.write(OTHER, note("Kept"))
    stage.write(RULE, bad_note())
    put(stage.root, ".atomicdignore", "feedback_first_*\n")
    stage.sweep()
    stage.wait(GRACE)
    assert stage.read(RULE) == bad_note()
    assert len(stage.pipeline.blocking.holds) == 0
    assert stage.bench.store.files.get(RULE) is None
    stage.write(OTHER, note("Kept", "again"))
    assert "— again" in stage.read("alpha/memory/INDEX.md")


def test_an_ignored_layer_is_not_written_to(stage):
    stage.write(RULE, note())
    before = stage.read("alpha/memory/INDEX.md")
    put(stage.root, ".atomicdignore", "alpha/\n")
    stage.sweep()
    assert stage.read("alpha/memory/INDEX.md") == before
    assert stage.bench.store.files.stamps() == {}


def test_a_temporary_file_of_a_killed_writer_is_removed_by_the_sweep(stage):
    left = put(stage.root, "alpha/memory/.feedback_first_rule.md.1-0a1b2c3d.atomicd.tmp", "half")
    old = put(stage.root, "alpha/.QUARANTINED.md.0a1b2c3d.atomicd.tmp", "half")
    moment = stage.clock.wall() - 4000
    for path in (left, old):
        os.utime(path, (moment, moment))
    stage.sweep()
    assert not left.exists()
    assert not old.exists()
    assert len(stage.log.of("sweep.leftover")) == 2


class TestTheBreaker:
    """Contract [Q-6]."""

    @pytest.fixture
    def many(self, tmp_path):
        stage = Stage(tmp_path / "vault", tmp_path / "state", quarantine={"breaker": 3})
        self.paths = [f"alpha/memory/feedback_rule_{number}.md" for number in range(6)]
        for path in self.paths:
            stage.write(path, note(path))
        for path in self.paths:
            put(stage.root, path, bad_note())
        stage.settle(*self.paths)
        stage.wait(GRACE)
        yield stage
        stage.close()

    def bad(self, stage):
        return [
            path for path in self.paths if (stage.root / path).exists() and stage.read(path) == bad_note()
        ]

    def test_nothing_is_moved_and_the_operator_is_told_once(self, many):
        many.wait(1000)
        many.restart()
        many.wait(1000)
        assert self.bad(many) == self.paths
        assert len(many.log.of("quarantine.breaker_opened")) == 1
        assert many.pipeline.blocking.breaker.is_open
        assert incidents(many) == []
        text = many.read("alpha/memory/INDEX.md")
        assert all(path.rpartition("/")[2] in text for path in self.paths)

    def test_the_operator_moves_some_by_pattern_and_the_others_wait(self, many):
        assert many.pipeline.blocking.decide("move", ["*rule_[01].md"]) == 2
        many.settle()
        assert self.bad(many) == self.paths[2:]
        assert many.read(self.paths[0]) == note(self.paths[0])
        assert many.pipeline.blocking.breaker.is_open
        assert [one["decision"] for one in many.log.of("quarantine.breaker_decided")] == ["move"]

    def test_all_are_moved_and_the_breaker_closes_with_an_empty_window(self, many):
        assert many.pipeline.blocking.decide("move", []) == 6
        many.settle()
        assert self.bad(many) == []
        assert not many.pipeline.blocking.breaker.is_open
        block(many, self.paths[0], note(confidence="sure"))
        assert many.read(self.paths[0]) == note(self.paths[0])

    def test_what_is_adopted_stays_until_it_is_written_again(self, many):
        many.pipeline.blocking.decide("adopt", [])
        many.wait(1000)
        assert self.bad(many) == self.paths
        assert not many.pipeline.blocking.breaker.is_open
        assert many.state_of(self.paths[0]) is FileState.ADOPTED
        many.settle(*self.paths)
        many.wait(GRACE)
        assert self.bad(many) == self.paths
        block(many, self.paths[0], note(confidence="sure"))
        assert many.read(self.paths[0]) == note(self.paths[0])

    def test_what_was_decided_while_no_daemon_ran_is_done_at_the_start(self, many):
        with many.bench.store.transaction():
            many.bench.store.facts.put("breaker_orders", [["adopt", ["*rule_0.md"]], ["move", []]])
        many.restart()
        many.wait(GRACE)
        assert self.bad(many) == self.paths[:1]
        assert many.bench.store.facts.get("breaker_orders") == []

    def test_mended_files_close_it(self, many):
        for path in self.paths:
            many.write(path, note("Mended"))
        many.settle()
        assert not many.pipeline.blocking.breaker.is_open
        assert len(many.log.of("quarantine.breaker_closed")) == 1

    def test_many_that_are_mended_in_time_never_open_it(self, tmp_path):
        stage = Stage(tmp_path / "v", tmp_path / "s", quarantine={"breaker": 3})
        paths = [f"alpha/memory/feedback_rule_{number}.md" for number in range(6)]
        for path in paths:
            stage.write(path, bad_note())
        for path in paths:
            stage.write(path, note())
        stage.wait(GRACE)
        assert stage.log.of("quarantine.breaker_opened") == []
        stage.close()

    def test_a_looping_file_can_be_moved_by_order(self, tmp_path):
        stage = Stage(tmp_path / "v", tmp_path / "s")
        stage.write(RULE, note())
        for _ in range(6):
            block(stage)
        stage.pipeline.blocking.decide("move", [RULE])
        stage.settle()
        assert stage.read(RULE) == note()
        stage.close()


def test_the_lock_is_held_only_for_a_while_however_many_files_are_moved(tmp_path, monkeypatch):
    stage = Stage(tmp_path / "vault", tmp_path / "state", quarantine={"breaker": 100})
    paths = [f"alpha/memory/feedback_rule_{number}.md" for number in range(10)]
    for path in paths:
        stage.write(path, bad_note())
    stage.clock.advance(GRACE)
    real = stage.pipeline._moving.move
    monkeypatch.setattr(
        stage.pipeline._moving, "move", lambda record: (stage.clock.advance(0.1), real(record))
    )
    again = stage.pipeline.finish(settled=True)
    assert len(again) == 2
    assert stage.pipeline.next_due() <= stage.clock.monotonic()
    stage.settle()
    assert len(incidents(stage)) == 10
    stage.close()


class TestShrinking:
    """Contract `shrunk`: the former version is one command away."""

    def write(self, stage, body):
        stage.write(RULE, note().replace("Body.\n", body))

    def test_a_write_that_leaves_little_of_a_large_body_is_told_with_the_way_back(self, stage):
        self.write(stage, "x" * 2000)
        self.write(stage, "y" * 300)
        (line,) = stage.log.of("unit.shrunk")
        assert line["hint"] == f"`atomicd restore {RULE} --version 1`"
        assert (line["body_bytes"], line["former_body_bytes"]) == (301, 2001)
        assert stage.bench.store.versions.number(RULE, 1) is not None

    @pytest.mark.parametrize(
        ("before", "after"), [("x" * 900, "y"), ("x" * 2000, "y" * 1000), ("x", "y" * 9)]
    )
    def test_small_and_ordinary_changes_are_not(self, stage, before, after):
        self.write(stage, before)
        self.write(stage, after)
        assert stage.log.of("unit.shrunk") == []

    def test_an_emptied_body_is_told_whatever_its_size(self, stage):
        self.write(stage, "short")
        self.write(stage, "\n \n")
        assert len(stage.log.of("unit.shrunk")) == 1

    def test_a_half_written_state_in_between_hides_nothing(self, stage):
        self.write(stage, "x" * 2000)
        stage.write(RULE, "")
        self.write(stage, "y" * 300)
        assert len(stage.log.of("unit.shrunk")) == 1
