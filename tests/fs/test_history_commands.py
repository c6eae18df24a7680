"""`atomicd history`, `restore` and `conflicts`, in this process (contract [Q-5], section 8)."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from atomic_agents.cli import app
from atomic_agents.cli.diffs import MAX_BYTES, unified
from atomic_agents.cli.history import changes
from atomic_agents.store import state_folder
from fakes.notes import bad_note, note, put
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"
INDEX = "alpha/memory/INDEX.md"


@pytest.fixture
def stage(tmp_path, monkeypatch):
    for name in ("ATOMICD_CONFIG", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "vault"))
    made = Stage(tmp_path / "vault", state_folder(tmp_path / "vault"))
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


@pytest.fixture
def three(stage):
    """A note with three versions."""
    stage.write(RULE, note("One"))
    stage.clock.advance(60)
    stage.write(RULE, note("Two", tags="[a]"))
    stage.clock.advance(60)
    stage.write(RULE, note("Two", confidence="low") + "More.\n")
    return stage


class TestHistory:
    def test_when_how_large_and_what_changed_newest_first(self, three, atomicd):
        status, out, _ = atomicd("history", RULE)
        lines = out.splitlines()
        assert (status, lines[0]) == (0, RULE)
        assert [line.split()[0] for line in lines[2:5]] == ["3", "2", "1"]
        assert 'confidence: "high" → "low"; tags removed; body +1 -0 lines' in lines[2]
        assert 'name: "One" → "Two"; tags added: a list of 1' in lines[3]
        assert "first kept" in lines[4]
        assert f"{len(note('One'))} B" in lines[4]

    def test_json(self, three, atomicd):
        told = json.loads(atomicd("history", RULE, "--json")[1])
        assert [one["version"] for one in told] == [1, 2, 3]
        assert told[0] == {
            "version": 1,
            "sha256": told[0]["sha256"],
            "size": len(note("One")),
            "recorded": "2026-05-28T20:26:40.000+00:00",
            "valid": True,
            "changes": [],
        }
        assert told[1]["changes"] == ['name: "One" → "Two"', "tags added: a list of 1"]

    def test_what_one_version_changed(self, three, atomicd):
        out = atomicd("history", RULE, "--diff", "2")[1]
        assert "--- version 1\n+++ version 2\n" in out
        assert "-name: One\n+name: Two\n" in out
        told = json.loads(atomicd("history", RULE, "--diff", "2", "--json")[1])
        assert (told["version"], told["against"], told["diff"]) == (2, 1, out.splitlines())
        assert "+name: One\n" in atomicd("history", RULE, "--diff", "1")[1]

    def test_a_version_that_is_not_kept_names_those_that_are(self, three, atomicd):
        status, _, err = atomicd("history", RULE, "--diff", "9")
        assert (status, "no version 9" in err, "kept are 1, 2, 3" in err) == (1, True, True)

    @pytest.mark.parametrize("inside", [True, False])
    def test_the_path_is_looked_for_from_here_and_from_the_vault(
        self, three, atomicd, monkeypatch, tmp_path, inside
    ):
        monkeypatch.chdir(three.root / "alpha/memory" if inside else tmp_path)
        word = "feedback_first_rule.md" if inside else f"vault/{RULE}"
        for name in (word, RULE, str(three.root / RULE), "./" + word):
            assert atomicd("history", name)[1].startswith(f"{RULE}\n"), name

    def test_the_vault_may_be_named_through_a_link(self, three, atomicd, tmp_path):
        (tmp_path / "link").symlink_to(three.root)
        assert atomicd("history", str(tmp_path / "link" / RULE), "--vault", str(tmp_path / "link"))[0] == 0

    def test_a_removed_file_has_its_history_and_says_so(self, three, atomicd):
        (three.root / RULE).unlink()
        three.settle(RULE)
        out = atomicd("history", RULE)[1]
        assert "removed by its owner" in out
        assert "first kept" in out

    @pytest.mark.parametrize("word", ["alpha/memory/feedback_none.md", "/etc/passwd", "../../x.md", ".", "/"])
    def test_what_has_no_history_is_told(self, three, atomicd, word, monkeypatch):
        monkeypatch.chdir(three.root)
        status, out, err = atomicd("history", word)
        assert (status, out) == (1, "")
        assert "no version is kept" in err or "lies outside" in err

    def test_without_a_daemon_that_ever_ran_it_says_so(self, atomicd, monkeypatch, tmp_path):
        (tmp_path / "fresh").mkdir()
        status, _, err = atomicd("history", "x.md", "--vault", str(tmp_path / "fresh"))
        assert (status, "start the daemon once" in err) == (75, True)

    def test_an_index_has_one_too(self, three, atomicd):
        assert len(json.loads(atomicd("history", INDEX, "--json")[1])) >= 2

    def test_a_store_that_is_broken_is_no_traceback(self, three, atomicd):
        three.bench.store.close()
        (three.state / "state.sqlite3").write_bytes(b"no database at all " * 100)
        status, _, err = atomicd("history", RULE)
        assert (status, "state store: file is not a database" in err) == (1, True)
        three.open()


class TestChanges:
    def test_a_body_that_changed_is_told_by_lines(self):
        assert list(changes(b"---\na: 1\n---\nx\ny\n", b"---\na: 1\n---\nx\nz\nw\n")) == ["body +2 -1 lines"]

    def test_bytes_without_frontmatter_are_a_body(self):
        assert list(changes(b"x\n", b"y\n")) == ["body +1 -1 lines"]

    def test_a_comment_changes_nothing_that_reads_differently(self):
        assert list(changes(b"---\na: 1\n---\n", b"---\na: 1 # x\n---\n")) == []

    def test_bytes_that_are_no_text_are_no_fault(self):
        assert list(changes(b"\xff", b"---\na: 1\n---\n")) != []


class TestRestore:
    def test_a_version_is_back_and_the_present_bytes_are_one_too(self, three, atomicd):
        status, out, _ = atomicd("restore", RULE, "--version", "1")
        assert status == 0
        assert (
            out == f"{RULE}: version 1 is back.\nWhat was there is version 3: `--version 3` brings it back.\n"
        )
        assert three.read(RULE) == note("One")
        three.settle(RULE)
        assert [version.version for version in three.bench.store.versions.of(RULE)] == [1, 2, 3, 4]

    def test_by_default_it_is_the_last_that_differs(self, three, atomicd):
        atomicd("restore", RULE)
        assert three.read(RULE) == note("Two", tags="[a]")

    def test_a_removed_note_comes_back_and_is_indexed_again(self, three, atomicd):
        (three.root / RULE).unlink()
        three.settle(RULE)
        told = json.loads(atomicd("restore", RULE, "--json")[1])
        assert (told["version"], told["restored"], told["kept"]) == (3, True, None)
        three.settle(RULE)
        assert "feedback_first_rule.md" in three.read(INDEX)
        assert three.bench.store.versions.last_good(RULE) is not None

    def test_its_folder_is_made_again(self, three, atomicd):
        (three.root / RULE).unlink()
        (three.root / INDEX).unlink()
        (three.root / "alpha/memory").rmdir()
        assert atomicd("restore", RULE)[0] == 0
        assert three.read(RULE).startswith("---")

    def test_invalid_bytes_that_are_there_become_a_version_that_is_never_put_back_by_itself(
        self, three, atomicd
    ):
        put(three.root, RULE, bad_note())
        assert atomicd("restore", RULE, "--version", "2")[0] == 0
        told = json.loads(atomicd("history", RULE, "--json")[1])
        assert (told[-1]["version"], told[-1]["valid"]) == (4, False)
        versions = three.bench.store.versions
        assert versions.content(versions.number(RULE, 4).sha256).decode() == bad_note()
        assert versions.last_good(RULE).version == 3
        assert atomicd("restore", RULE, "--version", "4")[0] == 1
        assert atomicd("restore", RULE, "--version", "4", "--force")[0] == 0
        assert three.read(RULE) == bad_note()

    def test_mode_and_owner_stay(self, three, atomicd):
        os.chmod(three.root / RULE, 0o600)
        atomicd("restore", RULE)
        assert (three.root / RULE).stat().st_mode & 0o777 == 0o600

    def test_a_dry_run_shows_what_would_change_and_writes_nothing(self, three, atomicd):
        before = (three.root / RULE).stat()
        out = atomicd("restore", RULE, "--version", "1", "--dry-run")[1]
        assert "--- what is there now\n+++ version 1\n" in out
        told = json.loads(atomicd("restore", RULE, "--version", "1", "--dry-run", "--json")[1])
        assert (told["restored"], told["diff"]) == (False, out.splitlines())
        assert "is what is there now" in atomicd("restore", RULE, "--version", "3", "--dry-run")[1]
        assert (three.root / RULE).stat() == before
        assert len(three.bench.store.versions.of(RULE)) == 3

    def test_restoring_what_is_there_writes_nothing(self, three, atomicd):
        before = (three.root / RULE).stat()
        assert atomicd("restore", RULE, "--version", "3")[0] == 0
        assert (three.root / RULE).stat() == before

    def test_the_only_version_that_is_there_already_is_told(self, stage, atomicd):
        stage.write(RULE, note())
        status, _, err = atomicd("restore", RULE)
        assert (status, "is what is there now" in err) == (1, True)

    def test_an_index_can_be_put_back(self, three, atomicd):
        assert atomicd("restore", INDEX, "--version", "1")[0] == 0
        assert "[One]" in three.read(INDEX)

    @pytest.mark.parametrize("kind", ["folder", "fifo", "link out"])
    def test_what_is_no_file_of_the_vault_is_left_alone(self, three, atomicd, tmp_path, kind):
        target = three.root / RULE
        target.unlink()
        if kind == "folder":
            target.mkdir()
        elif kind == "fifo":
            os.mkfifo(target)
        else:
            put(tmp_path, "outside.md", "outside")
            target.symlink_to(tmp_path / "outside.md")
        before = target.lstat()
        assert atomicd("restore", RULE, "--version", "1")[0] == 1
        assert target.lstat() == before

    def test_a_write_that_comes_just_now_is_not_overwritten(self, three, atomicd, monkeypatch):
        from atomic_agents.cli import restore

        real = restore._keep

        def write_meanwhile(task, path, there):
            put(three.root, RULE, note("Just now"))
            return real(task, path, there)

        monkeypatch.setattr(restore, "_keep", write_meanwhile)
        status, _, err = atomicd("restore", RULE, "--version", "1")
        assert (status, "changed since it was read" in err) == (1, True)
        assert three.read(RULE) == note("Just now")

    def test_a_store_that_is_locked_is_waited_for(self, three, atomicd):
        """The daemon writes to the store meanwhile; WAL and a timeout let both."""
        other = sqlite3.connect(three.state / "state.sqlite3", timeout=0)
        other.execute("SELECT count(*) FROM files").fetchone()
        assert atomicd("restore", RULE, "--version", "1")[0] == 0
        other.close()


class TestConflicts:
    COPY = "alpha/memory/feedback_first_rule.sync-conflict-20260512-101500-ABCDEFG.md"

    def test_none(self, stage, atomicd):
        assert atomicd("conflicts") == (0, "No conflicts.\n", "")
        assert json.loads(atomicd("conflicts", "--json")[1]) == []

    @pytest.mark.parametrize(
        "name",
        [
            "feedback_first_rule.sync-conflict-20260512-101500-ABCDEFG.md",
            "feedback_first_rule (Ann's conflicted copy 2026-05-12).md",
            "feedback_first_rule 2.md",
            "feedback_first_rule-LAPTOP-AB12CD3.md",
            "feedback_first_rule (1).md",
        ],
    )
    def test_a_copy_is_listed_with_its_original_and_how_they_differ(self, stage, atomicd, name):
        put(stage.root, RULE, note("One"))
        put(stage.root, f"alpha/memory/{name}", note("Other"))
        status, out, _ = atomicd("conflicts")
        assert status == 1
        assert f"alpha/memory/{name}\n  a copy of {RULE}" in out
        assert "-name: One\n+name: Other\n" in out
        (told,) = json.loads(atomicd("conflicts", "--json")[1])
        assert (told["kind"], told["original"], told["incident"]) == ("sync-conflict", RULE, None)
        assert "+name: Other" in told["diff"]
        assert "+name" not in atomicd("conflicts", "--no-diff")[1]

    def test_one_that_was_moved_to_quarantine_is_listed_too_and_never_indexed(self, stage, atomicd):
        stage.write(RULE, note("One"))
        stage.write(self.COPY, note("Other"))
        stage.wait(11)
        assert "sync-conflict" not in stage.read(INDEX)
        (incident,) = stage.bench.incidents.all()
        (told,) = json.loads(atomicd("conflicts", "--json")[1])
        assert (told["path"], told["original"], told["incident"]) == (self.COPY, RULE, incident.id)
        assert f"in quarantine: {incident.id}" in atomicd("conflicts")[1]
        assert "+name: Other" in told["diff"]

    def test_the_same_bytes_and_a_missing_original_are_told(self, stage, atomicd):
        put(stage.root, self.COPY, note())
        assert "cannot be read" in atomicd("conflicts")[1]
        put(stage.root, RULE, note())
        assert "both hold the same bytes" in atomicd("conflicts")[1]

    def test_git_markers_are_listed_with_their_line_in_the_vault_and_in_quarantine(self, stage, atomicd):
        text = note() + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n"
        put(stage.root, RULE, text)
        (told,) = json.loads(atomicd("conflicts", "--json")[1])
        assert (told["kind"], told["line"]) == ("conflict-markers", text[: text.index("<<<")].count("\n") + 1)
        assert "git's conflict markers" in atomicd("conflicts")[1]
        stage.settle(RULE)
        stage.wait(11)
        (told,) = json.loads(atomicd("conflicts", "--json")[1])
        assert (told["kind"], told["incident"] is not None) == ("conflict-markers", True)

    def test_markers_within_a_code_fence_and_ordinary_names_are_none(self, stage, atomicd):
        put(stage.root, RULE, note() + "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n```\n")
        put(stage.root, "alpha/memory/feedback_Wrong-Name.md", note())
        put(stage.root, "alpha/memory/feedback_other_rule.md", b"\xff\xfe")
        assert atomicd("conflicts")[0] == 0


class TestDiffs:
    def test_a_missing_last_line_end_is_told(self):
        assert unified(b"a\n", b"a", ("x", "y"))[-2:] == ["+a", "\\ No newline at end of file"]

    def test_texts_that_are_too_large_are_only_measured(self):
        (line,) = unified(b"a", b"b" * (MAX_BYTES + 1), ("x", "y"))
        assert "too large to compare" in line

    def test_bytes_that_are_no_text_and_escapes_are_made_safe(self, capsys):
        from atomic_agents.cli.diffs import print_diff

        print_diff(unified(b"a\n", b"\x1b[31m\xff\tb\r\n", ("x\ny", "z")))
        out = capsys.readouterr().out
        assert "+\\x1b[31m\\\\xff\tb\\r\n" in out or "+\\x1b[31m\\xff\tb\\r\n" in out
        assert "--- x\\ny\n" in out


def test_a_broken_index_that_a_restore_kept_is_never_what_it_is_rebuilt_from(three, atomicd):
    broken = b"- [Broken](broken.md)\n<<<<<<< a\n=======\n>>>>>>> b\n"
    put(three.root, INDEX, broken)
    assert atomicd("restore", INDEX)[0] == 0
    assert broken in {
        three.bench.store.versions.content(v.sha256) for v in three.bench.store.versions.of(INDEX)
    }
    put(three.root, INDEX, b"")
    three.settle(INDEX)
    three.wait(60)
    assert "[Two](feedback_first_rule.md)" in three.read(INDEX)
    assert "Broken" not in three.read(INDEX)
