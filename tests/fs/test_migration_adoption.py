"""Adopting what other memory tools wrote: nothing invented silently, every body and unknown key kept."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from atomic_agents._schema import SchemaSet, validate_frontmatter
from atomic_agents.exceptions import MigrationError, NothingToMigrateError
from atomic_agents.migration.adoption import LegacyAdoption, as_json
from atomic_agents.migration.readings import parse
from atomic_agents.model import Kind
from atomic_agents.units.frontmatter import read
from fakes.migrating import BUMP, NOTE, Told, add_script, adopt_schema, events, make_vault, tree, write

DAY = dt.datetime(2026, 3, 4, 12, tzinfo=dt.UTC).timestamp()


def legacy(root: Path, name: str, text: str | bytes) -> Path:
    path = write(root / f"alpha/memory/{name}", text)
    os.utime(path, (DAY, DAY))
    return path


def adopting(root: Path, **options: Any) -> LegacyAdoption:
    return LegacyAdoption(root, around=Told().around, **options)


def decided(root: Path, **options: Any) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the fields that each adopted file gets, and why the others are left."""
    adoption = adopting(root, **options)
    adoption.decide()
    filled = {
        item.path: {one.field: (one.value, one.source) for one in item.filled}
        for item in adoption.adoptions.values()
    }
    return filled, {item.path: item.reason for item in adoption.undecided}


FLAT = "---\nname: Rule\ndescription: one hook\ntype: feedback\noriginSessionId: 7c1d\n---\nBody.\n"


def test_missing_fields_get_stated_values_with_their_sources(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback_x.md", FLAT)
    filled, left = decided(tmp_path)
    assert left == {}
    assert filled == {
        "alpha/memory/feedback_x.md": {
            "schema_version": (1, "the first version"),
            "captured": ("2026-03-04", "the file's time"),
            "last_seen": ("2026-03-04", "the file's time"),
            "sources": (["observation"], "nothing says where it came from"),
            "confidence": ("low", "nothing says how sure it is"),
        }
    }


def test_a_run_adds_the_missing_lines_and_nothing_else(tmp_path: Path) -> None:
    path = legacy(tmp_path, "feedback_x.md", FLAT.replace("\n", "\r\n").replace("Body.\r\n", "Body."))
    path.chmod(0o640)
    result = adopting(tmp_path).run_migration(1, dry_run=False)
    assert (result.error, result.validation_passed) == ("", True)
    text = path.read_bytes().decode()
    assert text.startswith(
        "---\r\nname: Rule\r\ndescription: one hook\r\ntype: feedback\r\noriginSessionId: 7c1d\r\n"
    )
    assert text.endswith("\r\n---\r\nBody.")
    assert "schema_version: 1\r\n" in text
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("x.md", "metadata: \n  node_type: memory\n  type: project", ("project", "metadata.type")),
        ("decision-use-rust.md", "", ("decision", "the file name")),
        ("User_profile.md", "", ("user", "the file name")),
        ("references/x.md", "", ("reference", "the folder references")),
        ("Feedback/deep/x.md", "", ("feedback", "the folder Feedback")),
    ],
)
def test_the_type_is_taken_from_metadata_the_name_or_the_folder(
    name: str, head: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    legacy(tmp_path, name, f"---\nname: N\ndescription: D\n{head}\n---\nBody\n")
    filled, _left = decided(tmp_path)
    assert filled[f"alpha/memory/{name}"]["type"] == expected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("x.md", "---\nname: N\ndescription: D\n---\n", "no type"),
        ("x.md", "---\nname: N\ndescription: D\nmetadata: {type: core}\n---\n", "metadata.type: found 'core'"),
        ("feedback_x.md", "---\nname: N\ndescription: D\ntype: core\n---\n", "type: found"),
        ("feedback_x.md", "---\nname: N\ndescription: a: b\n---\n", "yaml-syntax in line 3"),
        ("feedback_x.md", "---\nname: N\n", "frontmatter-unclosed"),
        ("feedback_x.md", "\n---\nname: N\n---\n", "frontmatter-missing"),
        ("feedback_x.md", "---- \nname: N\n---\n", "frontmatter-missing"),
        ("feedback_x.md", '{"name": "N"}\n', "frontmatter-missing"),
        ("feedback_x.md", "+++\nname = 'N'\n+++\n", "frontmatter-missing"),
        ("feedback_x.md", "", "frontmatter-missing"),
        ("feedback_x.md", b"\xff\xfe\x00", "nul-byte|not-utf8"),
        ("feedback_x.md", "---\nname: N\n---\n# Only\n", "no description"),
        ("feedback_x.md", "---\nname: 5\ndescription: D\n---\nText\n", "name: found"),
        ("feedback_x.md", "---\nname: N\ndescription: D\ncaptured: 2026-02-30\n---\n", "date-invalid|captured"),
        ("feedback_x.md", "---\nname: N\ndescription: D\npinned: perhaps\n---\n", "pinned: found"),
    ],
)  # fmt: skip
def test_what_cannot_be_decided_is_named_and_left(
    name: str, text: str | bytes, reason: str, tmp_path: Path
) -> None:
    import re

    path = legacy(tmp_path, name, text)
    before = path.read_bytes()
    legacy(tmp_path, "feedback_good.md", FLAT)
    filled, left = decided(tmp_path)
    assert list(filled) == ["alpha/memory/feedback_good.md"]
    assert re.search(reason, left[f"alpha/memory/{name}"])
    adopting(tmp_path).run_migration(1, dry_run=False)
    assert path.read_bytes() == before


def test_a_file_that_names_a_version_is_not_a_legacy_file(tmp_path: Path) -> None:
    make_vault(tmp_path)
    legacy(tmp_path, "feedback_odd.md", "---\nschema_version: '1'\n---\n")
    assert decided(tmp_path) == ({}, {})


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_file_without_frontmatter_gets_one_in_front_and_keeps_its_body(bom: str, tmp_path: Path) -> None:
    body = "# Answer  first #\n\n> Lead with the **answer**.\n\n---\n\nrule above\n"
    path = legacy(tmp_path, "feedback_answer.md", f"{bom}{body}")
    assert adopting(tmp_path).run_migration(1, dry_run=False).validation_passed
    reading = read(path.read_bytes())
    assert reading.has_bom is bool(bom)
    assert reading.body == body
    assert reading.meta["name"] == "Answer first"
    assert reading.meta["description"] == "Lead with the **answer**."


def test_a_name_without_any_heading_comes_from_the_file_name(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback_long-hook.md", "word " * 60)
    filled, _left = decided(tmp_path)
    fields = filled["alpha/memory/feedback_long-hook.md"]
    assert fields["name"] == ("feedback long hook", "the file name")
    assert len(fields["description"][0]) <= 150
    assert fields["description"][0].endswith("word…")


def test_wiki_pages_are_adopted_as_such(tmp_path: Path) -> None:
    write(tmp_path / "alpha/wiki/debt_methods.md", "---\nname: N\ndescription: D\n---\nBody\n")
    filled, _left = decided(tmp_path)
    fields = filled["alpha/wiki/debt_methods.md"]
    assert (fields["type"][0], fields["provenance"][0]) == ("wiki_page", "distilled")


def test_dates_come_from_git_where_the_vault_is_a_work_tree(tmp_path: Path) -> None:
    root = tmp_path / "repository/vault"
    legacy(root, "feedback_ünï.md", FLAT)

    def git(*words: str, day: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
            cwd=tmp_path / "repository",
            env=os.environ
            | {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"},
            check=True,
            capture_output=True,
        )

    git("init", "-q", day="2026-01-02")
    git("add", "-A", day="2026-01-02")
    git("commit", "-qm", "one", day="2026-01-02")
    legacy(root, "feedback_ünï.md", FLAT + "more\n")
    legacy(root, "feedback_new.md", FLAT)
    git("commit", "-qam", "two", day="2026-02-03")
    marker = tmp_path / "ran"
    config = tmp_path / "repository/.git/config"
    config.write_text(
        config.read_text() + f"[core]\n\tfsmonitor = touch {marker}\n\thooksPath = {tmp_path}\n"
    )
    filled, _left = decided(root)
    assert filled["alpha/memory/feedback_ünï.md"]["captured"] == ("2026-01-02", "git")
    assert filled["alpha/memory/feedback_ünï.md"]["last_seen"] == ("2026-02-03", "git")
    assert filled["alpha/memory/feedback_new.md"]["captured"] == ("2026-03-04", "the file's time")
    assert not marker.exists()


def test_without_git_the_files_own_times_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    legacy(tmp_path, "feedback_x.md", FLAT)
    monkeypatch.setenv("PATH", str(tmp_path))
    filled, _left = decided(tmp_path)
    assert filled["alpha/memory/feedback_x.md"]["captured"][1] == "the file's time"


def test_a_rollback_gives_the_folder_back(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback-one.md", FLAT)
    legacy(tmp_path, "project two.md", FLAT.replace("feedback", "project"))
    legacy(tmp_path, "MEMORY.md", "- [one](feedback-one.md) — hook\n")
    before = tree(tmp_path)
    backend = adopting(tmp_path, rename=True)
    result = backend.run_migration(1, dry_run=False)
    assert sorted(path.name for path in (tmp_path / "alpha/memory").iterdir()) == [
        "MEMORY.md", "feedback_one.md", "project_two.md",
    ]  # fmt: skip
    backend.restore_and_audit(result.snapshot_ref)
    after = tree(tmp_path)
    after.pop("_migrations")
    assert after == before
    assert not (tmp_path / "_migrations/displaced").exists()


def test_files_are_renamed_only_when_asked(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback-one.md", FLAT)
    backend = adopting(tmp_path)
    assert backend.run_migration(1, dry_run=False).validation_passed
    assert (tmp_path / "alpha/memory/feedback-one.md").exists()
    (adoption,) = backend.adoptions.values()
    assert adoption.rename == "feedback_one.md"


@pytest.mark.parametrize(
    ("name", "kind", "renamed"),
    [
        ("tide-list.md", "feedback", "feedback_tide_list.md"),
        ("feedback_Tide-List.md", "feedback", "feedback_tide_list.md"),
        ("project-x.md", "feedback", "feedback_x.md"),
        ("decision_2026-q3_income.md", "decision", None),
        ("2026-08-19 plan.md", "project", "project_2026_08_19_plan.md"),
        ("기록-정리.md", "user", "user_기록_정리.md"),
        ("---.md", "user", None),
    ],
)
def test_a_rename_follows_the_pattern(name: str, kind: str, renamed: str | None, tmp_path: Path) -> None:
    legacy(tmp_path, name, FLAT.replace("feedback", kind))
    backend = adopting(tmp_path)
    backend.decide()
    (adoption,) = backend.adoptions.values()
    assert adoption.rename == renamed


def test_a_name_that_is_taken_or_wanted_twice_is_given_to_nobody_else(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback_one.md", NOTE.format(1))
    legacy(tmp_path, "feedback-one.md", FLAT)
    legacy(tmp_path, "feedback-two.md", FLAT)
    legacy(tmp_path, "feedback two.md", FLAT)
    backend = adopting(tmp_path, rename=True)
    assert backend.run_migration(1, dry_run=False).validation_passed
    assert sorted(path.name for path in (tmp_path / "alpha/memory").iterdir()) == [
        "feedback-one.md", "feedback-two.md", "feedback_one.md", "feedback_two.md",
    ]  # fmt: skip


def test_a_dry_run_writes_nothing_and_is_recorded(tmp_path: Path) -> None:
    legacy(tmp_path, "feedback-one.md", FLAT)
    before = tree(tmp_path)
    result = adopting(tmp_path, rename=True).run_migration(1)
    assert len(result.units_touched) == 1
    after = tree(tmp_path)
    after.pop("_migrations")
    assert after == before
    (event,) = events(tmp_path)
    assert (event["from_version"], event["to_version"], event["dry_run"]) == (0, 1, True)


def test_a_vault_without_legacy_files_has_nothing_to_adopt(tmp_path: Path) -> None:
    make_vault(tmp_path)
    with pytest.raises(NothingToMigrateError, match="no file without schema_version"):
        adopting(tmp_path).run_migration(1, dry_run=False)


def test_a_vault_that_is_ahead_adopts_through_its_own_scripts(tmp_path: Path) -> None:
    make_vault(tmp_path)
    add_script(tmp_path, BUMP.format(1, 2))
    adopt_schema(tmp_path, 2, required=("step_2",))
    path = legacy(tmp_path, "feedback_old.md", FLAT)
    backend = adopting(tmp_path)
    result = backend.run_migration(backend.target, dry_run=False)
    assert (result.error, backend.target) == ("", 2)
    meta = parse(path.read_bytes())
    assert (meta["schema_version"], meta["step_2"]) == (2, "done")
    assert parse((tmp_path / "alpha/memory/feedback_rule_0.md").read_bytes())["schema_version"] == 1


def test_a_vault_that_is_ahead_without_scripts_cannot_adopt(tmp_path: Path) -> None:
    adopt_schema(tmp_path, 2)
    legacy(tmp_path, "feedback_old.md", FLAT)
    with pytest.raises(MigrationError, match="no script leads on from v1"):
        adopting(tmp_path).run_migration(2, dry_run=False)


def test_a_file_that_changes_between_decision_and_write_rolls_back(tmp_path: Path) -> None:
    path = legacy(tmp_path, "feedback_x.md", FLAT)
    backend = adopting(tmp_path)
    backend._around = Told(progress=lambda phase, done, _total: phase == "adopt-legacy" and done and path.write_text("x")).around  # fmt: skip
    result = backend.run_migration(1, dry_run=False)
    assert "changed since it was read" in result.error
    assert result.rolled_back
    assert path.read_text() == FLAT


def test_the_wild_vault_is_adopted_and_every_body_and_key_stays(shared: Path, tmp_path: Path) -> None:
    root = tmp_path / "wild"
    shutil.copytree(shared / "vaults/wild", root, copy_function=shutil.copyfile)
    for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    backend = adopting(root)
    result = backend.run_migration(1, dry_run=False)
    assert (result.error, len(result.units_touched)) == ("", 10)
    schemas = SchemaSet.packaged()
    report = as_json(list(backend.adoptions.values()), backend.undecided, rename=False)
    assert len(report["undecided"]) == 16
    assert json.loads(json.dumps(report)) == report
    for path, data in before.items():
        now, old = read(path.read_bytes()), read(data)
        if str(path) not in backend.adoptions:
            assert now.data == data
            continue
        validate_frontmatter(now.meta, Kind.NOTE, schemas)
        assert now.body == old.body
        assert {key: now.meta[key] for key in old.meta} == dict(old.meta)
        kept = [line for line in data.splitlines() if line in now.data.splitlines()]
        assert kept == data.splitlines()
    backend.restore_and_audit(result.snapshot_ref)
    assert {path: path.read_bytes() for path in before} == before
