"""`atomicd lint` and `check`: kinds of files, filters, baselines, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from atomic_agents.cli import app
from atomic_agents.lint.changes import Changes
from fakes.notes import bad_note, note, put

PATH = "alpha/memory/feedback_answer_first.md"
LOG = "alpha/log/2026-11/2026-11-29.jsonl"


@pytest.fixture
def vault(tmp_path, monkeypatch):
    root = tmp_path / "vault"
    (root / "alpha" / "memory").mkdir(parents=True)
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(root))
    monkeypatch.chdir(root)
    put(root, "alpha/memory/INDEX.md", "# Alpha\n\n- [A](feedback_answer_first.md)\n")
    return root


def run(capsys, *words):
    code = app._run(list(map(str, words)))
    return code, capsys.readouterr().out


def codes(capsys, *words):
    told = json.loads(run(capsys, "lint", "--json", *words)[1])
    return Counter((problem["path"], problem["code"]) for problem in told["problems"])


def test_other_kinds_of_files_are_linted_and_not_checked(vault, capsys):
    put(vault, PATH, note())
    put(vault, LOG, "{}\n")
    put(vault, "alpha/persona/SOUL.md", "text\n")
    put(vault, "alpha/journal/2026-11/2026-11-28.md", "# 2026-11-28\n\n## Captured to memory\n\n- gone.md\n")
    put(vault, "alpha/tools.md", b"# TOOLS \xff\n")
    assert run(capsys, "check") == (0, "2 files judged: all is well\n")
    assert codes(capsys) == {
        (LOG, "log-line"): 7,
        ("alpha/persona/SOUL.md", "title-line"): 1,
        ("alpha/persona/SOUL.md", "sections-missing"): 1,
        ("alpha/journal/2026-11/2026-11-28.md", "journal-capture"): 1,
        ("alpha/tools.md", "text-encoding"): 1,
        ("alpha/tools.md", "sections-missing"): 1,
    }


def test_one_file_of_another_kind_can_be_named(vault, capsys):
    put(vault, LOG, "{}\n")
    assert codes(capsys, LOG) == {(LOG, "log-line"): 7}
    assert run(capsys, "lint", LOG)[0] == 0


def test_the_vault_of_a_file_outside_of_layers_is_found(tmp_path, vault, capsys, monkeypatch):
    put(vault, "alpha/persona/SOUL.md", "text\n")
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "none"))
    assert {path for path, _ in codes(capsys, vault / "alpha/persona/SOUL.md")} == {"alpha/persona/SOUL.md"}


def test_a_secret_in_a_journal_is_told_and_not_shown(vault, capsys):
    key = "ghp_" + "a1B2" * 9
    put(vault, "alpha/journal/2026-11/2026-11-28.md", f"# 2026-11-28\n\n[x]({key}.md) {key}\n")
    put(vault, LOG, f'{{"trigger": "{key}"}}\n')
    code, out = run(capsys, "lint", "alpha/journal", "alpha/log")
    assert code == 0
    assert "possible-secret" in out
    assert key not in out


def test_a_broken_link_in_the_body_of_a_note_is_told_with_its_line(vault, capsys):
    text = note() + "\nSee [the plan](project_gone_plan.md).\n"
    put(vault, PATH, text)
    told = json.loads(run(capsys, "lint", "--json")[1])["problems"]
    (problem,) = [one for one in told if one["code"] == "body-link"]
    assert text.split("\n")[problem["line"] - 1].startswith("See [the plan]")


def test_units_among_each_other_are_told_only_where_they_were_asked_for(vault, capsys):
    put(vault, PATH, note(name="Answer before background"))
    put(vault, "alpha/memory/feedback_other_rule.md", note(name="Answer before the background"))
    assert codes(capsys, PATH)[PATH, "near-duplicate"] == 1
    assert ("alpha/memory/feedback_other_rule.md", "near-duplicate") not in codes(capsys, PATH)
    assert codes(capsys)["alpha/memory/feedback_other_rule.md", "near-duplicate"] == 1


def test_problems_of_one_file_stand_together(vault, capsys):
    put(vault, PATH, note(name="Answer before background", last_seen="2020-01-01", captured="2020-01-01"))
    put(vault, "alpha/memory/feedback_other_rule.md", note(name="Answer before the background"))
    out = run(capsys, "lint")[1]
    assert [line for line in out.splitlines() if line.endswith(".md")] == [
        PATH,
        "alpha/memory/feedback_other_rule.md",
    ]


def test_a_code_can_be_silenced(vault, tmp_path, capsys, monkeypatch):
    config = put(tmp_path, "config.toml", '[lint]\ndisable = ["log-line", "near-duplicate"]\n')
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    put(vault, LOG, "{}\n")
    assert codes(capsys) == {}


def test_severity_filters_and_fail_on_decides_the_exit_status(vault, capsys):
    put(vault, PATH, note(captured="2020-01-01", last_seen="2020-01-01"))
    assert "stale" in run(capsys, "lint")[1]
    assert run(capsys, "lint")[0] == 0
    assert run(capsys, "lint", "--fail-on", "warning")[0] == 1
    code, out = run(capsys, "lint", "--severity", "error")
    assert code == 0
    assert "stale" not in out
    put(vault, PATH, bad_note())
    assert run(capsys, "lint", "--severity", "error")[0] == 1


def test_wrong_options_are_wrong_usage(vault, capsys):
    assert app._run(["lint", "--severity", "info"]) == 2
    assert app._run(["check", "--fail-on", "warning"]) == 2


def test_a_baseline_leaves_out_what_it_names_and_nothing_new(vault, capsys):
    put(vault, PATH, note(confidence="certain", captured="2020-01-01"))
    base = vault / "known.json"
    code, out = run(capsys, "lint", "--write-baseline", base)
    assert code == 0
    assert "known problem" in out
    code, out = run(capsys, "lint", "--baseline", base, "--fail-on", "warning")
    assert code == 0
    assert "known" in out
    assert run(capsys, "check", "--baseline", base)[0] == 0
    put(vault, "alpha/memory/feedback_other_rule.md", bad_note())
    code, out = run(capsys, "check", "--baseline", base)
    assert code == 1
    assert PATH not in out.splitlines()


def test_a_baseline_counts_what_it_knows(vault, capsys):
    put(vault, LOG, '{"trigger": "a"}\n')
    base = vault / "known.json"
    run(capsys, "lint", "--write-baseline", base)
    put(vault, LOG, '{"trigger": "a"}\n{"trigger": "b"}\n')
    told = json.loads(run(capsys, "lint", "--baseline", base, "--json")[1])["problems"]
    assert Counter(problem["field"] for problem in told)["trigger"] == 1
    assert {problem["line"] for problem in told} == {2}


def test_a_baseline_is_sorted_and_one_line_a_problem(vault, capsys):
    put(vault, LOG, "{}\n")
    put(vault, PATH, bad_note())
    base = vault / "known.json"
    run(capsys, "lint", "--write-baseline", base)
    values = json.loads(base.read_text())
    assert values["problems"] == sorted(
        values["problems"], key=lambda one: (one["path"], one["code"], one["field"])
    )
    assert len(base.read_text().splitlines()) == len(values["problems"]) + 2
    run(capsys, "lint", "--write-baseline", base)
    assert json.loads(base.read_text()) == values


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2, "problems": []}', '{"format": 1, "problems": [3]}']
)
def test_a_file_that_is_no_baseline_is_an_error(vault, capsys, text):
    base = put(vault, "known.json", text)
    assert app._run(["lint", "--baseline", str(base)]) == 1
    assert "is no baseline" in capsys.readouterr().err


def test_a_baseline_that_is_not_there_or_cannot_be_written_is_an_error(vault, capsys):
    assert app._run(["lint", "--baseline", str(vault / "gone.json")]) == 1
    assert app._run(["lint", "--write-baseline", str(vault / "gone" / "known.json")]) == 73


def git(root: Path, *words: str, day: str = "2026-11-01") -> None:
    stamp = f"{day}T12:00:00+0000"
    env = os.environ | {
        "GIT_AUTHOR_DATE": stamp,
        "GIT_COMMITTER_DATE": stamp,
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *words], cwd=root, env=env, check=True, capture_output=True)


def test_the_day_of_a_document_comes_from_git_its_name_or_its_time(tmp_path):
    put(tmp_path, "raw/twice.md", "1")
    put(tmp_path, "raw/2026-10-05_once.md", "1")
    put(tmp_path, "raw/once.md", "1")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    put(tmp_path, "raw/twice.md", "2")
    git(tmp_path, "commit", "-qam", "y", day="2026-11-15")
    os.utime(put(tmp_path, "raw/new.md", "1"), (1_700_000_000, 1_700_000_000))
    changes = Changes(tmp_path)
    assert changes.last("raw/twice.md") == "2026-11-15"
    assert changes.last("raw/2026-10-05_once.md") == "2026-10-05"
    assert changes.last("raw/once.md") == "2026-11-01"
    assert changes.last("raw/new.md") in {"2023-11-14", "2023-11-15"}
    assert changes.last("raw/gone.md") is None
    assert changes.last("raw/\0.md") is None


def test_a_page_that_is_older_than_its_source_is_told(vault, capsys):
    page = note(kind="wiki_page", provenance="distilled", sources="[raw/report.md]")
    os.utime(put(vault, "alpha/wiki/debt_methods.md", page), (1_700_000_000, 1_700_000_000))
    put(vault, "alpha/raw/report.md", "new")
    os.utime(vault / "alpha/raw/report.md", (1_900_000_000, 1_900_000_000))
    assert codes(capsys)["alpha/wiki/debt_methods.md", "source-newer"] == 1


@pytest.mark.shared
def test_the_caldwell_vault_is_linted_as_its_source_note_says(shared, capsys, monkeypatch):
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    told = json.loads(run(capsys, "lint", "--json", "--vault", shared / "vaults" / "caldwell")[1])["problems"]
    lines = [
        (one["path"].rpartition("/")[2], one["line"], one["field"])
        for one in told
        if one["code"] == "log-line"
    ]
    assert lines == [("2026-05-07.jsonl", number, "trigger") for number in (1, 2, 3)]


@pytest.mark.shared
def test_the_other_shared_vaults_get_no_further_warnings_on_their_units(shared, capsys, monkeypatch):
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    for name, expected in (("wild", set()), ("reference-init", {"sections-missing"})):
        told = json.loads(run(capsys, "lint", "--json", "--vault", shared / "vaults" / name)[1])["problems"]
        lint_only = {"near-duplicate", "overlapping-sources", "source-newer", "body-link", "sections-missing"}
        lint_only |= {
            "title-line",
            "budget-number",
            "day-file",
            "journal-capture",
            "log-line",
            "text-encoding",
        }
        assert {one["code"] for one in told} & lint_only == expected


def test_a_path_of_the_configured_vault_is_judged_there(vault, tmp_path, capsys, monkeypatch):
    put(vault, ".atomicdignore", "drafts/\n")
    put(vault, "alpha/memory/drafts/feedback_a_rule.md", bad_note())
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "check", "vault/alpha") == (0, "1 file judged: all is well\n")


def test_a_path_outside_of_the_named_vault_is_an_error(vault, tmp_path, capsys):
    other = put(tmp_path, "other/alpha/memory/feedback_a_rule.md", note())
    assert app._run(["check", "--vault", str(vault), str(other)]) == 1
    assert "lies outside of" in capsys.readouterr().err


def test_files_that_lie_in_no_agent_are_an_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "none"))
    file = put(tmp_path, "plain.md", "text")
    assert app._run(["check", str(file)]) == 1
    assert "lies in no memory or wiki folder" in capsys.readouterr().err


def test_the_vault_is_found_by_the_first_path_that_lies_in_an_agent(vault, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "none"))
    put(vault, "plain.md", "text")
    put(vault, PATH, note())
    assert run(capsys, "check", "plain.md", PATH) == (0, "1 file judged: all is well\n")


@pytest.mark.parametrize("words", [["check"], ["lint"]])
def test_what_cannot_be_read_is_told_and_counts_as_an_error(vault, capsys, words):
    os.mkfifo(vault / "alpha/memory/feedback_pipe_note.md")
    code, out = run(capsys, *words, "alpha/memory/feedback_pipe_note.md")
    assert code == 1
    assert "alpha/memory/feedback_pipe_note.md: no regular file; not judged" in out


@pytest.mark.parametrize("words", [["check"], ["lint"]])
def test_a_note_over_the_limit_is_told_by_both(vault, capsys, words):
    put(vault, PATH, "x" * ((1 << 20) + 1))
    code, out = run(capsys, *words)
    assert code == 1
    assert "too-large" in out


def test_a_log_that_is_too_large_to_read_is_told(vault, capsys, monkeypatch):
    monkeypatch.setattr("atomic_agents.lint.linting._LARGEST", 10)
    put(vault, LOG, "{}\n" * 10)
    code, out = run(capsys, "lint")
    assert code == 1
    assert f"{LOG}: 30 bytes, expected at most 10; not judged" in out


def test_a_folder_that_cannot_be_listed_is_told(vault, capsys, monkeypatch):
    import atomic_agents.vault.walk as walking

    real = walking._listing

    def refuse(root, folder):
        if folder == "alpha/memory":
            raise PermissionError(13, "Permission denied")
        return real(root, folder)

    monkeypatch.setattr(walking, "_listing", refuse)
    code, out = run(capsys, "check")
    assert code == 1
    assert "alpha/memory: Permission denied; not judged" in out
