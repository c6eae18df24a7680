"""`atomicd check` before a commit: what is staged is judged, not what lies around."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest
import yaml

from atomic_agents.cli import app
from atomic_agents.cli.staging import MARK
from conftest import ROOT
from fakes.notes import bad_note, note, put

PATH = "alpha/memory/feedback_answer_first.md"


class Repository:
    def __init__(self, root):
        self.root = root
        self.git("init", "-q", "-b", "main")

    def git(self, *words, check=True):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *words],
            check=False,
            cwd=self.root,
            capture_output=True,
            text=True,
            env=self.env(),
        )
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    def env(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return kept | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "ATOMICD_CONFIG": os.devnull,
        }

    def stage(self, path, text):
        put(self.root, path, text)
        self.git("add", path)

    def commits(self):
        done = self.git("rev-list", "--count", "HEAD", check=False)
        return int(done.stdout or 0) if done.returncode == 0 else 0


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    (tmp_path / "repo").mkdir()
    return Repository(tmp_path / "repo")


def check(capsys, *words):
    code = app._run(["check", "--json", *map(str, words)])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out.startswith("{") else told.err


def install(repository, vault=None):
    assert app._run(["check", "--install-hook", "--vault", str(vault or repository.root)]) == 0


def test_what_is_staged_is_judged_and_not_the_file_on_the_disk(repository, capsys):
    repository.stage(PATH, bad_note())
    put(repository.root, PATH, note())
    code, told = check(capsys, "--staged", "--vault", repository.root)
    assert code == 1
    assert told["files"] == 1
    assert [problem["code"] for problem in told["problems"]] == ["field-enum"]
    repository.stage(PATH, note())
    put(repository.root, PATH, bad_note())
    assert check(capsys, "--staged", "--vault", repository.root) == (0, {"files": 1, "problems": []})


def test_only_units_and_index_files_of_the_next_commit_are_judged(repository, capsys):
    repository.stage("alpha/memory/feedback_old_rule.md", bad_note())
    repository.git("commit", "-qm", "x")
    repository.stage("alpha/memory/INDEX.md", "# Alpha\n<<<<<<< a\n=======\n>>>>>>> b\n")
    repository.stage("alpha/memory/README.md", "any")
    repository.stage("src/main.py", "any")
    repository.stage("alpha/memory/gone_note.md", note())
    repository.git("rm", "-q", "--cached", "alpha/memory/gone_note.md")
    (repository.root / "alpha/memory/feedback_a_link.md").symlink_to("feedback_old_rule.md")
    repository.git("add", "alpha/memory/feedback_a_link.md")
    code, told = check(capsys, "--staged", "--vault", repository.root)
    assert code == 1
    assert told["files"] == 1
    assert {problem["path"] for problem in told["problems"]} == {"alpha/memory/INDEX.md"}


def test_a_staged_note_over_the_limit_is_too_large(repository, capsys):
    repository.stage(PATH, "x" * ((1 << 20) + 1))
    told = check(capsys, "--staged", "--vault", repository.root)[1]
    assert [problem["code"] for problem in told["problems"]] == ["too-large"]


def test_names_of_any_script_and_many_files_are_judged_in_their_order(repository, capsys):
    names = [
        "alpha/memory/feedback_ü_ß.md",
        "alpha/memory/with blank.md",
        'alpha/memory/quo"te.md',
        "alpha/memory/a\nb.md",
    ]
    for number, name in enumerate(names):
        repository.stage(name, note(name=f"Note {number}", description=f"text {number}"))
    told = check(capsys, "--staged", "--vault", repository.root)[1]
    assert told["files"] == 4
    assert {problem["code"] for problem in told["problems"]} == {"filename-pattern"}
    assert len(told["problems"]) == 3


def test_nothing_staged_is_nothing_to_judge(repository, capsys):
    assert check(capsys, "--staged", "--vault", repository.root) == (0, {"files": 0, "problems": []})


def test_outside_of_git_staged_is_an_error_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "vault").mkdir()
    code, told = check(capsys, "--staged", "--vault", tmp_path / "vault")
    assert code == 1
    assert "not a git repository" in told


def test_paths_do_not_go_with_staged(repository, capsys):
    assert app._run(["check", "--staged", str(repository.root)]) == 2


def test_the_hook_refuses_a_commit_with_an_invalid_note_and_lets_a_valid_one_pass(repository):
    install(repository)
    repository.stage(PATH, bad_note())
    done = repository.git("commit", "-qm", "bad", check=False)
    assert done.returncode != 0
    assert "field-enum" in done.stdout + done.stderr
    assert repository.commits() == 0
    repository.stage(PATH, note())
    repository.git("commit", "-qm", "good")
    assert repository.commits() == 1
    put(repository.root, PATH, bad_note())
    assert repository.git("commit", "-qam", "bad again", check=False).returncode != 0
    repository.git("commit", "-qam", "all the same", "--no-verify")
    assert repository.commits() == 2


def test_the_hook_of_a_vault_in_a_folder_judges_that_folder_alone(repository):
    vault = repository.root / "notes of mine"
    put(vault, PATH, note())
    install(repository, vault)
    repository.stage("other/memory/feedback_bad_rule.md", bad_note())
    repository.git("commit", "-qm", "elsewhere")
    repository.stage(f"notes of mine/{PATH}", bad_note())
    assert repository.git("commit", "-qm", "bad", check=False).returncode != 0


def test_the_hook_goes_where_git_looks_for_hooks(repository):
    repository.git("config", "core.hooksPath", "my hooks")
    install(repository)
    hook = repository.root / "my hooks" / "pre-commit"
    assert MARK in hook.read_text()
    assert os.access(hook, os.X_OK)


def test_installing_twice_is_installing_once(repository, capsys):
    install(repository)
    hook = repository.root / ".git/hooks/pre-commit"
    before = hook.stat().st_ino
    assert "installed; delete it" in capsys.readouterr().out
    install(repository)
    assert "is installed already" in capsys.readouterr().out
    assert hook.stat().st_ino == before
    hook.write_text(f"#!/bin/sh\n# {MARK} of an older version\n")
    install(repository)
    assert "--staged" in hook.read_text()


def test_another_hook_stays_and_the_line_to_add_is_told(repository, capsys):
    hook = repository.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    assert app._run(["check", "--install-hook", "--vault", str(repository.root)]) == 1
    told = capsys.readouterr().err
    assert "there is another hook; it stays" in told
    assert "check --staged --vault ." in re.sub(r"\s+", " ", told)
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"


def test_a_hook_that_cannot_be_written_is_an_error_in_one_line(repository, capsys):
    (repository.root / ".git/hooks").rename(repository.root / ".git/old")
    (repository.root / ".git/hooks").write_text("no folder")
    assert app._run(["check", "--install-hook", "--vault", str(repository.root)]) == 73
    assert capsys.readouterr().err.startswith("atomicd: ")


def test_without_git_it_is_said(repository, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    code, told = check(capsys, "--staged", "--vault", repository.root)
    assert code == 1
    assert "git: not found" in told


HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_the_entry_of_a_pre_commit_hook_runs_as_it_stands(repository, capsys, monkeypatch, hook):
    put(repository.root, PATH, note())
    put(repository.root, "alpha/memory/INDEX.md", "- [A](feedback_answer_first.md)\n")
    monkeypatch.chdir(repository.root)
    program, *words = hook["entry"].split()
    assert program == "atomicd"
    assert app._run([*words, PATH, "alpha/memory/INDEX.md"]) == 0
    put(repository.root, PATH, bad_note())
    assert app._run([*words, PATH]) == 1


@pytest.mark.parametrize(
    ("path", "ids"),
    [
        (PATH, {"atomicd-check", "atomicd-lint"}),
        ("memory/sub/user_x_note.md", {"atomicd-check", "atomicd-lint"}),
        ("alpha/wiki/INDEX.md", {"atomicd-check", "atomicd-lint"}),
        ("alpha/persona/SOUL.md", {"atomicd-lint"}),
        ("alpha/log/2026-11/2026-11-29.jsonl", {"atomicd-lint"}),
        ("tools.md", {"atomicd-lint"}),
        ("src/memory.py", set()),
        ("docs/guide.md", set()),
    ],
)
def test_pre_commit_hands_over_the_files_that_matter(path, ids):
    assert {hook["id"] for hook in HOOKS if re.search(hook["files"], path)} == ids


def test_a_hook_that_cannot_be_read_is_an_error_in_one_line(repository, capsys):
    (repository.root / ".git/hooks/pre-commit").mkdir(parents=True)
    assert app._run(["check", "--install-hook", "--vault", str(repository.root)]) == 73
    assert "Is a directory" in capsys.readouterr().err


def test_a_git_that_hangs_is_given_up(repository, capsys, monkeypatch):
    def hang(*words, **more):
        raise subprocess.TimeoutExpired(words, 60)

    monkeypatch.setattr(subprocess, "run", hang)
    code, told = check(capsys, "--staged", "--vault", repository.root)
    assert code == 1
    assert "no answer in 60 s" in told
