"""`QUARANTINED.md` on the disk (contract [Q-3])."""

from __future__ import annotations

import os

import pytest

from atomic_agents.quarantine.notice import FILE
from fakes.notes import bad_note, note, put
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"
PAGE = f"alpha/{FILE}"


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path / "vault", tmp_path / "state", quarantine={"grace_seconds": 0.0})
    yield made
    made.close()


def test_an_agent_is_told_while_something_is_open_and_no_longer(stage):
    stage.write(RULE, note())
    stage.write(RULE, bad_note())
    assert "`memory/feedback_first_rule.md`" in stage.read(PAGE)
    assert "`confidence`" in stage.read(PAGE)
    assert [line["open"] for line in stage.log.of("notice.written")] == [1]
    stage.write(RULE, note("Mended"))
    assert not (stage.root / PAGE).exists()
    assert len(stage.log.of("notice.removed")) == 1


def test_each_agent_is_told_of_its_own(stage):
    stage.write(RULE, bad_note())
    stage.write("team/beta/wiki/some_page.md", "no page")
    assert "some_page" not in stage.read(PAGE)
    assert "`wiki/some_page.md`" in stage.read(f"team/beta/{FILE}")


def test_the_vault_itself_can_be_the_agent(tmp_path):
    root = tmp_path / "vault"
    (root / "memory").mkdir(parents=True)
    stage = Stage(root, tmp_path / "state", quarantine={"grace_seconds": 0.0})
    stage.write("memory/feedback_first_rule.md", bad_note())
    assert "`memory/feedback_first_rule.md`" in stage.read(FILE)
    stage.close()


def test_a_page_is_no_content(stage):
    stage.write(RULE, bad_note())
    stage.sweep()
    assert stage.bench.store.files.get(PAGE) is None
    assert FILE not in {path.name for path in (stage.root / "alpha/memory").iterdir()}


def test_what_says_the_same_is_not_written_again(stage):
    stage.write(RULE, bad_note())
    before = (stage.root / PAGE).stat()
    stage.sweep()
    stage.restart()
    assert (stage.root / PAGE).stat() == before
    assert len(stage.log.of("notice.written")) == 1


def test_a_page_that_somebody_removed_is_back_after_the_sweep(stage):
    stage.write(RULE, bad_note())
    (stage.root / PAGE).unlink()
    stage.sweep()
    assert (stage.root / PAGE).exists()


def test_a_page_left_by_a_kill_goes_at_the_next_start(stage):
    stage.write(RULE, bad_note())
    page = stage.read(PAGE)
    stage.write(RULE, note())
    put(stage.root, PAGE, page)
    stage.restart()
    assert not (stage.root / PAGE).exists()


def test_an_incident_that_was_removed_by_hand_is_told_no_longer(stage):
    import shutil

    stage.write("alpha/memory/feedback_other_rule.md", note())
    stage.write(RULE, bad_note())
    shutil.rmtree(stage.root / "_quarantine")
    stage.sweep()
    assert not (stage.root / PAGE).exists()


@pytest.mark.parametrize("mine", ["# My own list\n", "", "<!-- atomicd notes -->\n"])
def test_a_file_of_the_operator_with_this_name_is_left_alone_and_told_once(stage, mine):
    put(stage.root, PAGE, mine)
    stage.write(RULE, bad_note())
    stage.sweep()
    assert stage.read(PAGE) == mine
    (line,) = stage.log.of("notice.failed")
    assert "left alone" in line["reason"]
    stage.write(RULE, note())
    assert stage.read(PAGE) == mine


def test_an_edited_page_is_kept_as_a_version_before_it_goes(stage):
    stage.write(RULE, bad_note())
    with (stage.root / PAGE).open("a") as file:
        file.write("a remark of mine\n")
    stage.write(RULE, note())
    assert not (stage.root / PAGE).exists()
    versions = stage.bench.store.versions
    assert b"a remark of mine\n" in versions.content(versions.last(PAGE).sha256)


@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_what_is_no_regular_file_is_never_opened_or_replaced(stage, tmp_path, kind):
    page = stage.root / PAGE
    if kind == "link":
        put(tmp_path, "outside.md", "outside")
        page.symlink_to(tmp_path / "outside.md")
    elif kind == "folder":
        page.mkdir()
    else:
        os.mkfifo(page)
    before = page.lstat()
    stage.write(RULE, bad_note())
    assert page.lstat() == before
    assert len(stage.log.of("notice.failed")) == 1
    if kind == "link":
        assert (tmp_path / "outside.md").read_text() == "outside"


def test_a_page_that_cannot_be_written_stops_nothing(stage, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("atomic_agents.quarantine.noticing.create_file", refuse)
        stage.write(RULE, bad_note())
        stage.sweep()
    assert len(stage.log.of("notice.failed")) == 1
    assert stage.pipeline.is_written()
    stage.sweep()
    assert (stage.root / PAGE).exists()


def test_a_forged_report_writes_nothing_outside_of_the_vault(stage, tmp_path):
    (tmp_path / "outside/memory").mkdir(parents=True)
    (stage.root / "gamma").symlink_to(tmp_path / "outside")
    stage.write(RULE, bad_note())
    (incident,) = stage.bench.incidents.all()
    report = stage.root / "_quarantine" / incident.id / "report.json"
    report.write_text(report.read_text().replace("alpha/memory", "gamma/memory"))
    stage.sweep()
    assert sorted(path.name for path in (tmp_path / "outside").rglob("*")) == ["memory"]
    assert any("leads out" in line["reason"] for line in stage.log.of("notice.failed"))


def test_a_forged_report_that_is_half_moved_puts_nothing_outside_of_the_vault(stage, tmp_path):
    from atomic_agents.quarantine import Good, recover

    (tmp_path / "outside/memory").mkdir(parents=True)
    (stage.root / "gamma").symlink_to(tmp_path / "outside")
    stage.write(RULE, bad_note())
    (incident,) = stage.bench.incidents.all()
    report = stage.root / "_quarantine" / incident.id / "report.json"
    forged = report.read_text().replace("alpha/memory", "gamma/memory").replace('"done"', '"moving"')
    report.write_text(forged)
    recover(stage.bench.incidents, stage.root, lambda _: Good(b"x", "0" * 64), stage.clock.wall())
    assert sorted(path.name for path in (tmp_path / "outside").rglob("*")) == ["memory"]
    assert stage.bench.incidents.all()[0].step == "done"


@pytest.mark.parametrize("what", ["fifo", "huge", "link"])
def test_a_report_that_is_no_small_regular_file_is_not_read(stage, what):
    stage.write(RULE, bad_note())
    (incident,) = stage.bench.incidents.all()
    report = stage.root / "_quarantine" / incident.id / "report.json"
    text = report.read_text()
    report.unlink()
    if what == "fifo":
        os.mkfifo(report)
    elif what == "huge":
        report.write_text(text + " " * (5 << 20))
    else:
        put(stage.root, "elsewhere.json", text)
        report.symlink_to(stage.root / "elsewhere.json")
    assert stage.bench.incidents.all() == []
    assert stage.bench.incidents.unreadable() == [incident.id]
    stage.sweep()
    assert not (stage.root / PAGE).exists()


def test_an_index_that_was_rebuilt_is_told_for_an_hour(stage):
    stage.write(RULE, note())
    index = "alpha/memory/INDEX.md"
    stage.write(index, b"\xff\xfe\x00broken")
    stage.sweep()
    assert "`memory/INDEX.md`" in stage.read(PAGE)
    stage.clock.advance(3700)
    stage.sweep()
    assert not (stage.root / PAGE).exists()
    assert [incident.state for incident in stage.bench.incidents.all()] == ["solved"]
