"""What a snapshot holds and what a restore may set aside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from atomic_agents.migration.scope import Scope, survey
from atomic_agents.vault.ignore import Ignore
from atomic_agents.vault.kinds import Layout
from fakes.migrating import make_vault, write

SCOPE = Scope(Layout(Ignore(["*.draft.md", "scratch/"])))
HELD = [
    "alpha/memory/feedback_x.md",
    "alpha/memory/INDEX.md",
    "alpha/memory/README.md",
    "alpha/memory/MEMORY.md",
    "alpha/memory/log/feedback_x.md",
    "alpha/memory/cache/x.md",
    "alpha/raw/logs/source.pdf",
    "alpha/journal/2026-05/2026-05-06.md",
    "alpha/persona/SOUL.md",
    "alpha/tools.md",
    "log/notes.md",
    "_migrations/v1_to_v2.py",
    "_migrations/README.md",
    "_migrations/schemas/v2.note.schema.json",
    "_templates/note.md",
    "README.md",
    "_migrations/old/snapshots/x.md",
]
LEFT_OUT = [
    ".git/HEAD",
    ".obsidian/x.json",
    "alpha/.versions/x.md",
    ".atomicdignore",
    ".migration.lock",
    "alpha/memory/.x.md.swp",
    "alpha/log/2026-05/2026-05-06.jsonl",
    "alpha/cache/x",
    "alpha/__pycache__/x.pyc",
    "node_modules/a/b.md",
    "alpha/memory/x.lock",
    "alpha/memory/x.md~",
    "alpha/memory/x.tmp",
    "alpha/memory/#x.md#",
    "_quarantine/a/x.md",
    "_migrations/snapshots/s.tar.gz",
    "_migrations/displaced/r/x.md",
    "_migrations/restoring/r/1",
    "_migrations/migration.jsonl",
    "_migrations/run.json",
    "_migrations/restore.jsonl",
    "alpha/QUARANTINED.md",
    "alpha/memory/x.draft.md",
    "scratch/x.md",
]


@pytest.mark.parametrize("path", HELD)
def test_a_snapshot_holds(path: str) -> None:
    assert SCOPE.reaches(path)


@pytest.mark.parametrize("path", LEFT_OUT)
def test_a_snapshot_leaves_out(path: str) -> None:
    assert not SCOPE.reaches(path)


def test_a_log_folder_at_the_root_is_left_out_where_the_root_is_an_agent() -> None:
    assert not Scope(Layout(root_is_agent=True)).reaches("log/2026-05/2026-05-06.jsonl")


@pytest.mark.parametrize(
    ("path", "is_content"),
    [
        ("alpha/memory/feedback_x.md", True),
        ("alpha/memory/INDEX.md", True),
        ("alpha/raw/x.pdf", True),
        ("alpha/README.md", False),
        ("_migrations/v2_to_v3.py", False),
        ("_templates/note.md", False),
    ],
)
def test_only_content_is_set_aside_by_a_restore(path: str, is_content: bool) -> None:
    assert SCOPE.is_content(path) is is_content


def test_the_survey_tells_parents_first_and_follows_no_link(tmp_path: Path) -> None:
    make_vault(tmp_path, notes=1)
    (tmp_path / "beta/memory").symlink_to("../alpha/memory")
    os.mkfifo(tmp_path / "alpha/raw/pipe")
    seen = {entry.path: entry.what for entry in survey(tmp_path, SCOPE)}
    assert list(seen).index("alpha") < list(seen).index("alpha/memory/feedback_rule_0.md")
    assert seen["beta/memory"] == seen["alpha/raw/pipe"] == "odd"
    assert not any(path.startswith(("beta/memory/", ".git", "alpha/log")) for path in seen)


def test_a_folder_that_cannot_be_listed_is_no_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "alpha/memory/x.md", "x")
    real = os.scandir

    def scandir(path: Path) -> object:
        if str(path).endswith("memory"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(PermissionError):
        list(survey(tmp_path, SCOPE))
