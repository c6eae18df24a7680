"""`atomicd fix`: what it shows, what it writes, and what follows a renamed file."""

from __future__ import annotations

import json
import os
import shutil
import stat

import pytest

from atomic_agents.cli import app, mending, writing
from atomic_agents.store import open_store, state_folder
from atomic_agents.vault.lock import VaultLock
from fakes.notes import note, put

PATH = "alpha/memory/feedback_answer_first.md"
BROKEN = note(description="Rule: answer first")
GOOD = note(description='"Rule: answer first"')


@pytest.fixture
def vault(tmp_path, monkeypatch):
    root = tmp_path / "vault"
    root.mkdir()
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(root))
    return root


def run(capsys, *words):
    code = app._run(["fix", *map(str, words)])
    return code, capsys.readouterr().out


def run_json(capsys, *words):
    code, out = run(capsys, "--json", *words)
    return code, json.loads(out)


def versions(root, path):
    store = open_store(state_folder(root), now=0.0, read_only=True)
    try:
        return [
            (store.versions.content(one.sha256), store.versions.is_checked(one))
            for one in store.versions.of(path)
        ]
    finally:
        store.close()


def test_without_write_a_diff_is_shown_and_nothing_is_written(vault, capsys):
    file = put(vault, PATH, BROKEN)
    code, out = run(capsys, vault)
    assert code == 1
    assert "-description: Rule: answer first" in out
    assert '+description: "Rule: answer first"' in out
    assert "1 file: 1 would be written, with --write" in out
    assert file.read_text() == BROKEN
    assert not state_folder(vault).exists()


def test_with_write_the_file_is_mended_and_the_former_version_is_kept(vault, capsys):
    file = put(vault, PATH, BROKEN)
    file.chmod(0o640)
    code, out = run(capsys, vault, "--write")
    assert code == 0
    assert "1 file: 1 of 1 written" in out
    assert file.read_text() == GOOD
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert versions(vault, PATH) == [(BROKEN.encode(), False)]


def test_a_valid_former_version_is_kept_as_one_that_may_be_put_back(vault, capsys):
    former = note(description="use #tag")
    put(vault, PATH, former)
    assert run(capsys, vault, "--write")[0] == 0
    assert versions(vault, PATH) == [(former.encode(), True)]


def test_a_vault_in_order_is_left_as_it_is(vault, capsys):
    file = put(vault, PATH, note())
    before = file.stat()
    code, out = run(capsys, vault, "--write")
    assert code == 0
    assert out.strip() == "1 file: nothing that can be mended by itself"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_is_not_mechanical_is_explained(vault, capsys):
    put(vault, PATH, note(confidence="certain"))
    code, out = run(capsys, vault / PATH)
    assert code == 1
    assert "field-enum" in out
    assert "fix: " in out
    assert "1 problem to mend by hand" in out


def test_programs_get_the_mends_the_diff_and_what_is_left(vault, capsys):
    put(vault, PATH, note(description="Rule: X", confidence="certain"))
    code, told = run_json(capsys, vault)
    assert code == 1
    assert told["files"] == 1
    assert told["fixes"] == [
        {
            "path": PATH,
            "rename": None,
            "mends": [
                {
                    "code": "yaml-syntax",
                    "field": "description",
                    "lines": [4, 4],
                    "done": "put the value of `description` in quotes",
                }
            ],
            "diff": told["fixes"][0]["diff"],
            "written": False,
            "refused": None,
        }
    ]
    assert '+description: "Rule: X"' in told["fixes"][0]["diff"]
    assert [problem["code"] for problem in told["left"]] == ["field-enum"]
    assert told["skipped"] == []


def test_a_secret_in_a_line_of_the_diff_is_not_shown(vault, capsys):
    key = "ghp_" + "a1B2" * 9
    put(vault, PATH, note(description=f"Key: {key}"))
    code, out = run(capsys, vault)
    assert code == 1
    assert key not in out
    assert "not shown" in out


def test_a_file_that_somebody_writes_meanwhile_is_left_alone(vault, capsys, monkeypatch):
    file = put(vault, PATH, BROKEN)
    real = mending.make_plan

    def plan_and_write(*words, **options):
        plan = real(*words, **options)
        file.write_text(note(name="Another"))
        return plan

    monkeypatch.setattr(mending, "make_plan", plan_and_write)
    code, out = run(capsys, vault, "--write")
    assert code == 1
    assert "somebody wrote to it meanwhile" in out
    assert file.read_text() == note(name="Another")


def test_while_a_migration_runs_nothing_is_written(vault, capsys, monkeypatch):
    file = put(vault, PATH, BROKEN)
    monkeypatch.setattr(writing, "LOCK_SECONDS", 0.05)
    with VaultLock(vault).hold():
        assert app._run(["fix", str(vault), "--write"]) == 75
    assert "a migration is running" in capsys.readouterr().err
    assert file.read_text() == BROKEN


def test_a_file_that_cannot_be_read_is_named(vault, capsys):
    put(vault, PATH, BROKEN)
    (vault / PATH).unlink()
    os.mkfifo(vault / PATH)
    code, out = run(capsys, vault / PATH)
    assert code == 1
    assert f"{PATH}: no regular file; left alone" in out


def test_a_path_that_is_no_note_is_wrong_usage_or_nothing(vault, capsys):
    put(vault, "alpha/tools.md", "# TOOLS\n")
    assert run(capsys, vault / "alpha/tools.md")[1].startswith("0 files")
    assert app._run(["fix"]) == 2
    assert app._run(["fix", str(vault / "gone.md")]) == 1


OLD = "alpha/memory/answer-first.md"
NEW = "alpha/memory/feedback_answer_first.md"
INDEX = "# Alpha — Memory Index\n\n- [Mine](answer-first.md) — by hand\n- [[answer-first|Same]]\n\n```\n[a](answer-first.md)\n```\n"


@pytest.fixture
def linked(vault):
    put(vault, OLD, note(name="Answer first"))
    put(vault, "alpha/memory/INDEX.md", INDEX)
    put(
        vault,
        "alpha/memory/feedback_other_rule.md",
        note(supersedes="answer-first.md  # older", related="[answer-first, '[[answer-first.md|A]]']")
        + "\nSee [it](./answer-first.md#why) and [[answer-first]], `[not](answer-first.md)`,\n"
        "<!-- [nor](answer-first.md) --> [x](../memory/answer-first.md).\n",
    )
    put(
        vault,
        "alpha/wiki/answer_methods.md",
        'no frontmatter, but [a link](../memory/answer-first.md "t")\r\n',
    )
    put(vault, "beta/memory/feedback_of_another.md", note() + "[[answer-first]]\n")
    return vault


def test_a_new_name_is_shown_with_all_that_follows(linked, capsys):
    before = {file: file.read_bytes() for file in linked.rglob("*.md")}
    code, told = run_json(capsys, linked / OLD, "--rename")
    assert code == 1
    assert [(each["path"], each["rename"]) for each in told["fixes"]] == [
        (OLD, "feedback_answer_first.md"),
        ("alpha/memory/INDEX.md", None),
        ("alpha/memory/feedback_other_rule.md", None),
        ("alpha/wiki/answer_methods.md", None),
    ]
    assert {file: file.read_bytes() for file in linked.rglob("*.md")} == before


def test_links_and_entries_follow_a_renamed_file_and_nothing_else_changes(linked, capsys):
    assert run(capsys, linked / OLD, "--rename", "--write")[0] == 0
    assert not (linked / OLD).exists()
    assert (linked / NEW).read_text() == note(name="Answer first")
    assert (linked / "alpha/memory/INDEX.md").read_text() == INDEX.replace(
        "[Mine](answer-first.md)", "[Mine](feedback_answer_first.md)"
    ).replace("[[answer-first|", "[[feedback_answer_first|")
    other = (linked / "alpha/memory/feedback_other_rule.md").read_text()
    assert "supersedes: feedback_answer_first.md  # older\n" in other
    assert "related: [feedback_answer_first, '[[feedback_answer_first.md|A]]']\n" in other
    assert (
        "[it](./feedback_answer_first.md#why) and [[feedback_answer_first]], `[not](answer-first.md)`"
        in other
    )
    assert "[nor](answer-first.md)" in other
    page = (linked / "alpha/wiki/answer_methods.md").read_bytes()
    assert page == b'no frontmatter, but [a link](../memory/feedback_answer_first.md "t")\r\n'
    assert "[[answer-first]]" in (linked / "beta/memory/feedback_of_another.md").read_text()
    assert len(versions(linked, "alpha/memory/INDEX.md")) == 1


def test_a_file_is_mended_and_renamed_at_once(vault, capsys):
    put(vault, "alpha/memory/Café — first.md".replace("C", "c"), BROKEN)
    assert run(capsys, vault, "--rename", "--write")[0] == 0
    assert (vault / "alpha/memory/feedback_café_first.md").read_text() == GOOD


def test_two_files_that_want_one_name_keep_theirs(vault, capsys):
    put(vault, "alpha/memory/answer-first.md", note())
    put(vault, "alpha/memory/answer first.md", note())
    code, told = run_json(capsys, vault, "--rename", "--write")
    assert code == 1
    assert told["fixes"] == []
    assert [problem["code"] for problem in told["left"]] == ["filename-pattern"] * 2


def test_a_name_that_is_taken_is_not_taken_again(vault, capsys):
    put(vault, "alpha/memory/answer-first.md", note())
    put(vault, NEW, note(name="Another"))
    code, told = run_json(capsys, vault, "--rename", "--write")
    assert code == 1
    assert told["fixes"] == []
    assert (vault / NEW).read_text() == note(name="Another")


def test_a_name_that_came_meanwhile_is_not_overwritten(vault, capsys, monkeypatch):
    put(vault, "alpha/memory/answer-first.md", note())
    real = mending.make_plan

    def plan_and_write(*words, **options):
        plan = real(*words, **options)
        put(vault, NEW, note(name="Another"))
        return plan

    monkeypatch.setattr(mending, "make_plan", plan_and_write)
    code, out = run(capsys, vault, "--rename", "--write")
    assert code == 1
    assert "feedback_answer_first.md is there already" in out
    assert (vault / NEW).read_text() == note(name="Another")
    assert (vault / "alpha/memory/answer-first.md").exists()


def test_without_rename_a_name_is_only_told(vault, capsys):
    put(vault, OLD, note())
    code, told = run_json(capsys, vault, "--write")
    assert code == 1
    assert [problem["code"] for problem in told["left"]] == ["filename-pattern"]
    assert (vault / OLD).exists()


@pytest.mark.shared
def test_the_wild_vault_can_be_read_after_a_fix_and_a_second_one_finds_nothing(shared, vault, capsys):
    shutil.copytree(shared / "vaults" / "wild", vault, dirs_exist_ok=True)
    for path in [vault, *vault.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    code, told = run_json(capsys, vault, "--write", "--rename")
    assert code == 1
    assert all(change["written"] for change in told["fixes"])
    mended = {mend["code"] for change in told["fixes"] for mend in change["mends"]}
    assert mended == {"yaml-syntax", "yaml-comment-cut", "field-missing", "date-invalid", "bom"}
    left = {problem["code"] for problem in told["left"]}
    assert not left & {"yaml-syntax", "yaml-comment-cut", "date-invalid"}
    renamed = {change["path"]: change["rename"] for change in told["fixes"] if change["rename"]}
    assert renamed["lantern/memory/project-tide-table-print.md"] == "project_tide_table_print.md"
    assert renamed["harbor/memory/feedback_stamp-then-post.md"] == "feedback_stamp_then_post.md"
    assert "harbor/memory/LAST_SESSION.md" not in renamed
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    again = run_json(capsys, vault, "--write", "--rename")[1]
    assert again["fixes"] == []
    assert {path: path.read_bytes() for path in vault.rglob("*.md")} == before


@pytest.mark.shared
def test_index_entries_of_the_wild_vault_follow_their_renamed_notes(shared, vault, capsys):
    shutil.copytree(shared / "vaults" / "wild", vault, dirs_exist_ok=True)
    for path in [vault, *vault.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    dead = {line["target"] for line in json.loads(index_check(capsys))["dead"]}
    run(capsys, vault, "--write", "--rename")
    assert {line["target"] for line in json.loads(index_check(capsys))["dead"]} == dead


def index_check(capsys):
    app._run(["index", "check", "--json"])
    return capsys.readouterr().out


def test_files_that_cannot_follow_stay_as_they_are(linked, capsys):
    latin = put(linked, "alpha/memory/feedback_latin_note.md", b"caf\xe9 [[answer-first]]\n")
    odd = put(linked, "alpha/memory/feedback_odd_fields.md", note(related="3", superseded_by="[x]"))
    os.mkfifo(linked / "alpha/memory/feedback_pipe_note.md")
    big = put(linked, "alpha/wiki/big_page.md", "[[answer-first]]" + "x" * (1 << 20))
    before = [file.read_bytes() for file in (latin, odd, big)]
    assert run(capsys, linked / OLD, "--rename", "--write")[0] == 0
    assert [file.read_bytes() for file in (latin, odd, big)] == before


def test_a_link_in_frontmatter_that_cannot_be_written_stays(linked, capsys):
    text = note(supersedes="&it answer-first.md", own="*it")
    other = put(linked, "alpha/memory/feedback_alias_note.md", text)
    assert run(capsys, linked / OLD, "--rename", "--write")[0] == 0
    assert other.read_text() == text


@pytest.mark.parametrize("call", ["replace_file", "move_file"])
def test_what_the_system_refuses_is_told_and_the_rest_is_done(vault, capsys, monkeypatch, call):
    put(vault, OLD, BROKEN)
    put(vault, "alpha/memory/feedback_other_rule.md", BROKEN)
    real = getattr(writing, call)

    def refuse(path, *words, **more):
        if "answer-first" in str(path):
            raise OSError(13, "Permission denied")
        return real(path, *words, **more)

    monkeypatch.setattr(writing, call, refuse)
    code, out = run(capsys, vault, "--rename", "--write")
    assert code == 1
    assert "not written: Permission denied" in out
    assert (vault / OLD).exists()
    assert (vault / "alpha/memory/feedback_other_rule.md").read_text() == GOOD


def test_a_unit_behind_a_link_is_mended_and_keeps_its_name(vault, capsys):
    hidden = put(vault, "alpha/.store/x.md", BROKEN)
    (vault / "alpha/memory").mkdir()
    (vault / OLD).symlink_to(hidden)
    code, out = run(capsys, vault, "--rename", "--write")
    assert code == 1
    assert "it is a link, which keeps its name" in out
    assert hidden.read_text() == GOOD


def test_folders_and_files_that_cannot_be_read_are_named(vault, capsys, monkeypatch):
    put(vault, PATH, BROKEN)
    monkeypatch.setattr(
        mending, "read_content", lambda *_words: (_ for _ in ()).throw(OSError(5, "Input/output error"))
    )
    code, out = run(capsys, vault)
    assert code == 1
    assert f"{PATH}: Input/output error; left alone" in out
