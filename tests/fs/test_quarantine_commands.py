"""The commands on incidents, in this process (contract [Q-4], [Q-6])."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from atomic_agents.cli import app
from atomic_agents.store import open_store, state_folder
from fakes.notes import bad_note, note, put
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"
PAGE = "alpha/QUARANTINED.md"
SETTINGS = {"grace_seconds": 0.0, "max_note_bytes": 400}
LARGE = note() + "x" * 500
"""Too large while the daemon ran; the commands run with the default limit."""


@pytest.fixture
def stage(tmp_path, monkeypatch):
    for name in ("ATOMICD_CONFIG", "NO_COLOR", "VISUAL", "EDITOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "vault"))
    made = Stage(tmp_path / "vault", state_folder(tmp_path / "vault"), quarantine=SETTINGS)
    yield made
    made.close()


@pytest.fixture
def atomicd(stage, capsys):
    """Return a runner of commands: their exit status and what they printed."""

    def run(*words):
        capsys.readouterr()
        status = app._run(list(words))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def block(stage, text=None, path=RULE):
    """Block a write and return its incident."""
    known = {incident.id for incident in stage.bench.incidents.all()}
    stage.write(path, text or bad_note())
    return next(i for i in stage.bench.incidents.all() if i.id not in known)


class TestList:
    def test_nothing(self, atomicd):
        assert atomicd("quarantine", "list") == (0, "Nothing is in quarantine.\n", "")
        assert json.loads(atomicd("quarantine", "list", "--json")[1]) == []

    def test_incidents_stand_under_their_note_the_newest_first(self, stage, atomicd):
        other = "beta/memory/feedback_other_rule.md"
        first = block(stage)
        stage.clock.advance(60)
        second = block(stage, path=other)
        stage.clock.advance(60)
        third = block(stage, note(confidence="sure"))
        status, out, _ = atomicd("quarantine", "list")
        lines = out.splitlines()
        assert status == 0
        assert [lines[0], lines[5]] == [RULE, other]
        assert [line.strip() for line in (lines[1], lines[3], lines[6])] == [third.id, first.id, second.id]
        assert lines[2].endswith("ago, alpha, confidence: field-enum; nothing put back")
        assert lines[8].startswith("3 incidents of 2 notes; nothing is lost. `show ID`")

    def test_json_is_the_reports_newest_first_and_can_be_narrowed(self, stage, atomicd):
        first = block(stage)
        stage.clock.advance(60)
        second = block(stage, path="beta/memory/feedback_other_rule.md")
        listed = json.loads(atomicd("quarantine", "list", "--json")[1])
        assert listed == [second.as_json(), first.as_json()]
        assert json.loads(atomicd("quarantine", "list", "--json", "--agent", "alpha")[1]) == [first.as_json()]

    def test_solved_ones_are_listed_on_request(self, stage, atomicd):
        block(stage)
        stage.write(RULE, note())
        assert "Nothing" in atomicd("quarantine", "list")[1]
        assert "solved" in atomicd("quarantine", "list", "--all")[1]

    def test_folders_without_a_report_are_named(self, stage, atomicd):
        (stage.root / "_quarantine/notes").mkdir(parents=True)
        assert "notes: no readable report.json" in atomicd("quarantine", "list")[1]

    def test_a_name_that_is_no_utf8_is_shown_escaped(self, stage, atomicd):
        block(stage, path="alpha/memory/caf\udce9.md")
        assert "alpha/memory/caf\\xe9.md\n" in atomicd("quarantine", "list")[1]


class TestShow:
    def test_each_problem_with_its_line_marked(self, stage, atomicd):
        incident = block(stage)
        status, out, _ = atomicd("quarantine", "show", incident.id[:16])
        assert status == 0
        assert ">   10 | confidence: certain\n" in out
        assert '  found     "certain"\n  expected  one of high, medium, low\n  fix       Write' in out

    def test_json_is_the_report(self, stage, atomicd):
        incident = block(stage)
        assert json.loads(atomicd("quarantine", "show", incident.id, "--json")[1]) == incident.as_json()

    def test_an_unknown_or_ambiguous_id_says_what_there_is(self, stage, atomicd):
        first, second = block(stage), block(stage, note(confidence="sure"))
        status, _, err = atomicd("quarantine", "show", "nothing")
        assert (status, "no incident" in err, "quarantine list" in err) == (1, True, True)
        status, _, err = atomicd("quarantine", "show", "2026")
        assert (status, first.id in err, second.id in err) == (1, True, True)

    def test_a_file_that_is_gone_from_its_folder_is_no_traceback(self, stage, atomicd):
        incident = block(stage)
        stage.bench.incidents.file_of(incident).unlink()
        assert atomicd("quarantine", "show", incident.id)[0] == 0
        status, _, err = atomicd("quarantine", "retry", incident.id)
        assert (status, "its file is gone" in err) == (1, True)


class TestDiff:
    def test_against_the_version_that_was_put_back(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        status, out, _ = atomicd("quarantine", "diff", incident.id)
        assert status == 0
        assert "--- last good version\n+++ blocked write\n" in out
        assert "-confidence: high\n+confidence: certain\n" in out
        told = json.loads(atomicd("quarantine", "diff", incident.id, "--json")[1])
        assert told["diff"] == out.splitlines()

    def test_without_a_good_version_it_says_so(self, stage, atomicd):
        status, _, err = atomicd("quarantine", "diff", block(stage).id)
        assert (status, "no good version is known" in err) == (1, True)

    def test_without_a_store_it_says_so_too(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        stage.bench.store.close()
        for file in stage.state.glob("state.sqlite3*"):
            file.unlink()
        status, _, err = atomicd("quarantine", "diff", incident.id)
        assert (status, "no good version is known" in err) == (1, True)
        stage.open()

    def test_the_newest_good_one_serves_where_the_one_put_back_is_not_kept(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        versions = stage.bench.store.versions
        stage.write(RULE, note("Newer"))
        with stage.bench.store.transaction():
            versions.drop(versions.number(RULE, 1))
        assert "-name: Newer" in atomicd("quarantine", "diff", incident.id)[1]

    def test_colours_are_for_terminals(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        stage.bench.store.close()
        out = on_terminal("quarantine", "diff", incident.id)
        assert "\x1b[32m+confidence: certain\x1b[0m" in out
        assert "\x1b" not in on_terminal("quarantine", "diff", incident.id, NO_COLOR="1")
        stage.open()


def on_terminal(*words, typed=b"", **env):
    """Run a command on a terminal and return what it showed."""
    parent, child = pty.openpty()
    shown = []

    def read():
        while True:
            try:
                piece = os.read(parent, 4096)
            except OSError:
                return
            if not piece:
                return
            shown.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    process = subprocess.Popen(
        [sys.executable, "-m", "atomic_agents", *words],
        stdin=child, stdout=child, stderr=child, env=os.environ | {"TERM": "xterm"} | env,
    )  # fmt: skip
    os.close(child)
    os.write(parent, typed)
    process.wait(60)
    reader.join(10)
    os.close(parent)
    return b"".join(shown).decode().replace("\r\n", "\n")


class TestRetry:
    def test_what_is_still_invalid_stays(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        status, out, _ = atomicd("quarantine", "retry", incident.id)
        assert (status, "Still invalid" in out, "field-enum" in out) == (1, True, True)
        told = json.loads(atomicd("quarantine", "retry", incident.id, "--json")[1])
        assert (told["valid"], told["problems"][0]["code"], told["state"]) == (False, "field-enum", "open")
        assert stage.read(RULE) == note()

    @pytest.mark.parametrize("put_back", [True, False])
    def test_what_is_valid_by_now_goes_back_and_the_agent_is_told_no_longer(self, stage, atomicd, put_back):
        if put_back:
            stage.write(RULE, note())
        incident = block(stage, LARGE)
        assert (stage.root / PAGE).exists()
        status, out, err = atomicd("quarantine", "retry", incident.id)
        assert (status, err) == (0, ""), out
        assert stage.read(RULE) == LARGE
        assert not (stage.root / PAGE).exists()
        assert stage.bench.incidents.find(incident.id).state == "solved"

    def test_another_write_that_stands_there_by_now_is_not_replaced(self, stage, atomicd):
        incident = block(stage, LARGE)
        stage.write(RULE, note("Other"))
        status, _, err = atomicd("quarantine", "retry", incident.id)
        assert (status, "something else is there" in err) == (1, True)
        assert stage.read(RULE) == note("Other")

    def test_altered_bytes_are_not_put_back(self, stage, atomicd):
        incident = block(stage)
        stage.bench.incidents.file_of(incident).write_text("altered")
        status, _, err = atomicd("quarantine", "retry", incident.id)
        assert (status, "was altered" in err) == (1, True)

    def test_a_path_that_is_ignored_by_now_is_told(self, stage, atomicd):
        incident = block(stage)
        put(stage.root, ".atomicdignore", "alpha/\n")
        status, _, err = atomicd("quarantine", "retry", incident.id)
        assert (status, "ignored by now" in err) == (1, True)


class TestRestore:
    def test_the_bytes_go_back_as_they_are_and_the_agent_is_told_no_longer(self, stage, atomicd):
        incident = block(stage)
        status, out, _ = atomicd("quarantine", "restore", incident.id)
        assert (status, out) == (0, f"{RULE}: back as it was written.\n")
        assert stage.read(RULE) == bad_note()
        assert not (stage.root / PAGE).exists()
        stage.settle(RULE)
        assert stage.read(RULE) == bad_note()
        assert len(stage.log.of("unit.adopted")) == 1

    def test_nothing_is_overwritten_silently(self, stage, atomicd):
        stage.write(RULE, note())
        incident = block(stage)
        status, _, err = atomicd("quarantine", "restore", incident.id)
        assert (status, "--force" in err) == (1, True)
        assert stage.read(RULE) == note()
        told = json.loads(atomicd("quarantine", "restore", incident.id, "--force", "--json")[1])
        assert (told["state"], told["released"]) == ("solved", True)
        folder = stage.root / "_quarantine" / incident.id
        (aside,) = folder.glob("displaced_*.md")
        assert aside.read_text() == note()
        (stage.root / RULE).write_text("third")
        assert "displaced_" in atomicd("quarantine", "restore", incident.id, "--force")[1]
        assert {path.read_text() for path in folder.glob("displaced_*.md")} == {note(), "third"}

    def test_a_folder_that_is_gone_is_made_again(self, stage, atomicd):
        incident = block(stage)
        (stage.root / "alpha/memory/INDEX.md").unlink(missing_ok=True)
        (stage.root / "alpha/memory").rmdir()
        assert atomicd("quarantine", "restore", incident.id)[0] == 0
        assert stage.read(RULE) == bad_note()

    def test_a_link_out_of_the_vault_is_not_written_through(self, stage, atomicd, tmp_path):
        incident = block(stage)
        (stage.root / "alpha/memory/INDEX.md").unlink(missing_ok=True)
        (stage.root / "alpha/memory").rmdir()
        (tmp_path / "outside").mkdir()
        (stage.root / "alpha/memory").symlink_to(tmp_path / "outside")
        status, _, err = atomicd("quarantine", "restore", incident.id, "--force")
        assert (status, "leads out of the vault" in err) == (1, True)
        assert list((tmp_path / "outside").iterdir()) == []

    def test_a_migration_that_runs_is_waited_for_and_then_told(self, stage, atomicd, monkeypatch):
        from atomic_agents.cli import incidents
        from atomic_agents.vault.lock import VaultLock

        monkeypatch.setattr(incidents, "LOCK_SECONDS", 0.1)
        incident = block(stage)
        with VaultLock(stage.root).hold():
            status, _, err = atomicd("quarantine", "restore", incident.id)
        assert (status, "held by another process" in err) == (75, True)


class TestEdit:
    def editor(self, monkeypatch, script):
        monkeypatch.setenv("EDITOR", f"{sys.executable} -c {script!r}")

    MEND = "import sys; p = sys.argv[1]; t = open(p).read().replace('certain', 'high'); open(p, 'w').write(t)"

    def test_what_is_valid_then_goes_back_and_the_original_stays_in_quarantine(
        self, stage, atomicd, monkeypatch
    ):
        stage.write(RULE, note("Old"))
        incident = block(stage)
        self.editor(monkeypatch, self.MEND)
        status, out, _ = atomicd("quarantine", "edit", incident.id, "--yes")
        assert (status, out) == (0, f"{RULE}: valid, and back.\n")
        assert stage.read(RULE) == note()
        assert stage.bench.incidents.file_of(incident).read_text() == bad_note()
        assert not (stage.root / PAGE).exists()

    def test_links_to_other_files_and_names_like_others_are_only_warnings(self, stage, atomicd, monkeypatch):
        incident = block(
            stage, note(confidence="certain", pinned="true", related="[none.md]", superseded_by="none.md")
        )
        self.editor(monkeypatch, self.MEND)
        assert atomicd("quarantine", "edit", incident.id, "--yes")[0] == 0

    def test_without_a_terminal_nothing_is_asked_and_the_copy_is_named(self, stage, atomicd, monkeypatch):
        incident = block(stage)
        self.editor(monkeypatch, self.MEND)
        told = json.loads(atomicd("quarantine", "edit", incident.id, "--json")[1])
        assert (told["valid"], told["put_back"], told["problems"]) == (True, False, [])
        assert Path(told["copy"]).read_text() == note()
        assert not (stage.root / RULE).exists()

    def test_what_is_still_invalid_is_shown_and_not_put_back(self, stage, atomicd, monkeypatch):
        incident = block(stage)
        monkeypatch.setenv("VISUAL", "true")
        status, out, _ = atomicd("quarantine", "edit", incident.id, "--yes")
        assert (status, "field-enum" in out, "Still invalid" in out) == (1, True, True)
        assert not (stage.root / RULE).exists()
        told = json.loads(atomicd("quarantine", "edit", incident.id, "--json")[1])
        assert told["problems"][0]["field"] == "confidence"

    @pytest.mark.parametrize(
        ("command", "said"), [("/nowhere/editor", "No such file"), ("false", "exit status 1")]
    )
    def test_an_editor_that_fails_is_told_with_the_copy(self, stage, atomicd, monkeypatch, command, said):
        incident = block(stage)
        monkeypatch.setenv("EDITOR", command)
        status, _, err = atomicd("quarantine", "edit", incident.id)
        assert (status, said in err, "the copy is" in err) == (1, True, True)

    def test_on_a_terminal_it_offers_to_edit_again_and_to_put_it_back(self, stage, monkeypatch, tmp_path):
        """The first time the editor changes nothing, the second time it mends."""
        incident = block(stage)
        stage.bench.store.close()
        flag = tmp_path / "flag"
        script = f"import os, sys; f = {str(flag)!r}; p = sys.argv[1]; t = open(p).read()\n"
        script += "if os.path.exists(f): open(p, 'w').write(t.replace('certain', 'high'))\n"
        script += "open(f, 'w').close()"
        (tmp_path / "editor.py").write_text(script)
        editor = f"{sys.executable} {tmp_path / 'editor.py'}"
        shown = on_terminal("quarantine", "edit", incident.id, typed=b"y\ny\n", EDITOR=editor)
        assert "Still invalid. Edit it again?" in shown
        assert "Valid. Put it back?" in shown
        assert stage.read(RULE) == note()
        stage.open()


class TestDrop:
    def test_only_with_yes_and_then_everything_of_it(self, stage, atomicd):
        incident = block(stage)
        status, _, err = atomicd("quarantine", "drop", incident.id)
        assert (status, "say --yes" in err) == (2, True)
        assert stage.bench.incidents.file_of(incident).exists()
        assert atomicd("quarantine", "drop", incident.id, "--yes") == (0, f"{incident.id}: deleted.\n", "")
        assert list((stage.root / "_quarantine").iterdir()) == []
        assert not (stage.root / PAGE).exists()

    def test_json(self, stage, atomicd):
        incident = block(stage)
        told = json.loads(atomicd("quarantine", "drop", incident.id, "--yes", "--json")[1])
        assert told == {"dropped": incident.id}

    def test_a_link_in_the_folder_is_not_followed(self, stage, atomicd, tmp_path):
        incident = block(stage)
        put(tmp_path, "outside/kept.md", "kept")
        (stage.root / "_quarantine" / incident.id / "link").symlink_to(tmp_path / "outside")
        assert atomicd("quarantine", "drop", incident.id, "--yes")[0] == 0
        assert (tmp_path / "outside/kept.md").read_text() == "kept"


class TestStats:
    def test_by_agent_code_field_and_week(self, stage, atomicd):
        for _ in range(3):
            stage.write(RULE, bad_note())
            stage.clock.advance(1)
        stage.clock.advance(8 * 86_400)
        stage.write("beta/memory/feedback_x_rule.md", note(confidence="sure", description=None))
        rows = json.loads(atomicd("quarantine", "stats", "--json")[1])
        assert rows == [
            {
                "agent": "alpha",
                "code": "field-enum",
                "field": "confidence",
                "week": "2026-W22",
                "incidents": 1,
                "writes": 3,
            },
            {
                "agent": "beta",
                "code": "field-enum",
                "field": "confidence",
                "week": "2026-W23",
                "incidents": 1,
                "writes": 1,
            },
            {
                "agent": "beta",
                "code": "field-missing",
                "field": "description",
                "week": "2026-W23",
                "incidents": 1,
                "writes": 1,
            },
        ]
        by_code = json.loads(atomicd("quarantine", "stats", "--by", "code", "--json")[1])
        assert by_code[0] == {"code": "field-enum", "incidents": 2, "writes": 4}
        out = atomicd("quarantine", "stats", "--by", "agent")[1]
        assert [line.split() for line in out.splitlines()] == [
            ["AGENT", "INCIDENTS", "WRITES"], ["alpha", "1", "3"], ["beta", "1", "1"],
        ]  # fmt: skip

    def test_nothing(self, atomicd):
        assert "Nothing was ever blocked" in atomicd("quarantine", "stats")[1]


class TestBreaker:
    @pytest.fixture
    def many(self, stage):
        stage.bench.config = stage.config.__class__(
            quarantine=stage.config.quarantine.__class__(grace_seconds=0.0, breaker=2)
        )
        self.paths = [f"{agent}/memory/feedback_rule_{n}.md" for agent in ("alpha", "beta") for n in (1, 2)]
        for path in self.paths:
            put(stage.root, path, bad_note())
        stage.settle(*self.paths)
        return stage

    def test_it_shows_what_waits(self, many, atomicd):
        status, out, _ = atomicd("quarantine", "breaker")
        assert (status, "The breaker is open since 2026-05-28T20:26:40+00:00" in out) == (0, True)
        assert all(path in out for path in self.paths)
        assert "4 files wait" in out
        told = json.loads(atomicd("quarantine", "breaker", "--json")[1])
        assert (told["breaker"], [one["path"] for one in told["waiting"]]) == ("open", self.paths)
        assert told["waiting"][0]["problems"][0]["code"] == "field-enum"

    def test_closed_and_nothing_waits(self, stage, atomicd):
        assert atomicd("quarantine", "breaker")[1] == "The breaker is closed.\n"

    def test_without_a_daemon_the_next_start_does_it(self, many, atomicd):
        many.bench.store.close()
        out = atomicd("quarantine", "breaker", "--adopt", "beta/")[1]
        assert out == "No daemon runs; it is done at the next start.\n"
        told = json.loads(atomicd("quarantine", "breaker", "--move", "--json")[1])
        assert told == {"decided": None, "waiting": 4}
        many.open()
        many.settle(*many.pipeline.resume())
        assert [(many.root / path).exists() for path in self.paths] == [False, False, True, True]

    def test_ignoring_by_pattern_or_exactly_adds_lines_and_keeps_the_others(self, many, atomicd):
        put(many.root, ".atomicdignore", "old/")
        assert "1 lines added" in atomicd("quarantine", "breaker", "--ignore", "beta/")[1]
        assert many.read(".atomicdignore") == "old/\nbeta/\n"
        told = json.loads(atomicd("quarantine", "breaker", "--ignore", "--json")[1])
        assert told["ignored"] == [f"/{path}" for path in self.paths]
        many.sweep()
        assert len(many.pipeline.blocking.holds) == 0
        assert all((many.root / path).exists() for path in self.paths)

    def test_special_characters_of_a_name_are_escaped(self, many, atomicd):
        path = "alpha/memory/feedback [x] !#*.md"
        put(many.root, path, bad_note())
        many.settle(path)
        atomicd("quarantine", "breaker", "--ignore")
        many.sweep()
        assert many.bench.store.files.get(path) is None
        assert many.bench.layout.place("alpha/memory/feedback_x_.md").kind.is_unit

    def test_a_name_that_no_pattern_can_hold_is_told(self, many, atomicd):
        put(many.root, "alpha/memory/new\nline.md", bad_note())
        many.settle("alpha/memory/new\nline.md")
        status, _, err = atomicd("quarantine", "breaker", "--ignore")
        assert (status, "no pattern can name it" in err) == (78, True)
        assert not (many.root / ".atomicdignore").exists()

    def test_a_wrong_pattern_and_patterns_without_a_decision_are_refused(self, many, atomicd):
        assert atomicd("quarantine", "breaker", "--adopt", "!")[0] == 78
        assert atomicd("quarantine", "breaker", "beta/")[0] == 2


class TestCompletion:
    def test_ids_are_offered_by_any_part_newest_first(self, stage, monkeypatch):
        first = block(stage)
        stage.clock.advance(60)
        second = block(stage, note(confidence="sure"))
        words = {"COMP_WORDS": f"atomicd --vault {stage.root} quarantine show 2026", "COMP_CWORD": "5"}
        env = {name: value for name, value in os.environ.items() if name != "ATOMIC_AGENTS_ROOT"}
        done = subprocess.run(
            [sys.executable, "-m", "atomic_agents"],
            check=True,
            env=env | words | {"_ATOMICD_COMPLETE": "bash_complete"},
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout.splitlines() == [f"plain,{second.id}", f"plain,{first.id}"]

    def test_without_a_vault_nothing_is_offered_and_nothing_said(self, monkeypatch, tmp_path):
        env = os.environ | {
            "ATOMIC_AGENTS_ROOT": str(tmp_path / "none"),
            "_ATOMICD_COMPLETE": "bash_complete",
        }
        done = subprocess.run(
            [sys.executable, "-m", "atomic_agents"],
            check=True,
            env=env | {"COMP_WORDS": "atomicd quarantine show x", "COMP_CWORD": "3"},
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert (done.stdout.strip(), done.stderr) == ("", "")


def test_every_command_has_help_with_an_example(atomicd):
    for words in (["quarantine"], ["history"], ["restore"], ["conflicts"]):
        assert "Example" in atomicd(*words, "--help")[1]
    for name in ("list", "show", "diff", "retry", "restore", "edit", "drop", "breaker", "stats"):
        out = atomicd("quarantine", name, "--help")[1]
        assert "Example" in out and "--json" in out


def test_a_page_that_was_edited_is_kept_before_a_command_replaces_it(stage, atomicd):
    incident = block(stage)
    with (stage.root / PAGE).open("a") as file:
        file.write("my remark\n")
    assert atomicd("quarantine", "drop", incident.id, "--yes")[0] == 0
    store = open_store(stage.state, now=0.0)
    assert b"my remark" in store.versions.content(store.versions.last(PAGE).sha256)
    store.close()
