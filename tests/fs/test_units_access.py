from __future__ import annotations

import datetime as dt
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import FileChangedError, NotRegularFileError, SchemaValidationError
from atomic_agents.units import access, read_unit, write_unit
from atomic_agents.vault.lock import VaultBusyError, VaultLock
from unit.units.samples import note

META: dict[str, Any] = {
    "schema_version": 1,
    "name": "Answer first",
    "description": "Lead with the answer",
    "type": "feedback",
    "captured": dt.date(2026, 5, 6),
    "last_seen": dt.date(2026, 5, 6),
    "sources": ["observation"],
    "confidence": "high",
}
NAME = "alpha/memory/feedback_answer_first.md"


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    return path


def test_a_new_unit_is_written_and_read_back(unit: Path) -> None:
    write_unit(unit, META, "\nBody.\n")
    assert unit.read_text("utf-8").startswith("---\nschema_version: 1\nname: Answer first\n")
    assert read_unit(unit) == (META, "\nBody.\n")
    assert stat.S_IMODE(unit.stat().st_mode) == 0o644


def test_what_was_read_is_a_copy_and_writing_it_back_is_no_write(unit: Path) -> None:
    unit.write_bytes(note() + b"  trailing \n\n")
    before = unit.stat()
    meta, body = read_unit(unit)
    write_unit(unit, meta, body)
    assert unit.stat().st_mtime_ns == before.st_mtime_ns
    assert unit.stat().st_ino == before.st_ino


def test_a_change_keeps_comments_bom_line_ends_and_mode(unit: Path) -> None:
    data = b"\xef\xbb\xbf" + note(schema_version="1  # v").replace(b"\n", b"\r\n")
    unit.write_bytes(data)
    unit.chmod(0o600)
    meta, body = read_unit(unit)
    write_unit(unit, {**meta, "confidence": "low"}, body + "more\r\n")
    assert unit.read_bytes() == data.replace(b": high", b": low") + b"more\r\n"
    assert stat.S_IMODE(unit.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"confidence": "High"}, "confidence: field-enum"),
        ({"captured": "yesterday"}, "captured: date-invalid"),
        ({"type": "project"}, "type: filename-type"),
        ({"name": ""}, "name: field-empty"),
        ({"schema_version": 2}, "schema_version: schema-version-unsupported"),
        ({"schema_version": "1"}, "schema_version: field-type"),
        ({"extra": object()}, "a object cannot be written"),
    ],
)
def test_an_invalid_unit_is_not_written_and_the_field_is_named(
    unit: Path, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(SchemaValidationError, match=named):
        write_unit(unit, META | changes, "")
    assert not unit.exists()
    unit.write_bytes(note())
    with pytest.raises(SchemaValidationError, match=named):
        write_unit(unit, META | changes, "")
    assert unit.read_bytes() == note()


def test_nothing_at_all_is_no_frontmatter(unit: Path) -> None:
    with pytest.raises(SchemaValidationError, match="frontmatter-not-mapping"):
        write_unit(unit, {}, "body")


def test_a_body_that_cannot_be_encoded_is_refused(unit: Path) -> None:
    with pytest.raises(SchemaValidationError):
        write_unit(unit, META, "\ud800")


def test_a_file_that_cannot_be_read_is_replaced_by_a_valid_one(unit: Path) -> None:
    unit.write_bytes(b"no frontmatter")
    write_unit(unit, META, "new")
    assert read_unit(unit) == (META, "new")


def test_unreadable_frontmatter_is_told_with_its_line(unit: Path) -> None:
    unit.write_bytes(note(description="Rule: x"))
    with pytest.raises(SchemaValidationError, match="description: yaml-syntax in line 4") as caught:
        read_unit(unit)
    assert "quotes" in caught.value.hint


@pytest.mark.parametrize(
    "name",
    [
        "alpha/notes/feedback_a_b.md",
        "alpha/memory/INDEX.md",
        "alpha/memory/.x.md",
        "alpha/memory/x.txt",
        "x.md",
    ],
)
def test_only_units_are_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(SchemaValidationError, match="expected an"):
        write_unit(tmp_path / name, META, "")
    with pytest.raises(SchemaValidationError, match="expected an"):
        write_unit(tmp_path / name, META, "", root=tmp_path)


def test_a_path_outside_of_the_vault_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (tmp_path / "memory").mkdir()
    with pytest.raises(SchemaValidationError, match="expected an"):
        write_unit(tmp_path / "memory/feedback_a_b.md", META, "", root=root)
    (root / "memory").symlink_to(tmp_path / "memory")
    with pytest.raises(SchemaValidationError, match="expected an"):
        write_unit(root / "memory/feedback_a_b.md", META, "", root=root)


def test_a_wiki_page_is_judged_as_a_page(tmp_path: Path) -> None:
    path = tmp_path / "alpha/wiki/debt_methods.md"
    path.parent.mkdir(parents=True)
    with pytest.raises(SchemaValidationError, match="type: field-enum"):
        write_unit(path, META, "")
    write_unit(path, META | {"type": "wiki_page"}, "")
    assert read_unit(path).meta["type"] == "wiki_page"


def test_a_link_is_neither_read_nor_written(unit: Path) -> None:
    unit.with_name("real.md").write_bytes(note())
    unit.symlink_to("real.md")
    with pytest.raises(NotRegularFileError):
        read_unit(unit)
    with pytest.raises(NotRegularFileError):
        write_unit(unit, META, "")


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    unit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit.write_bytes(note())
    original = access._checked

    def check_late(*args: Any) -> bytes:
        unit.write_bytes(note(name="Somebody else"))
        os.utime(unit, ns=(1, 1))
        return original(*args)

    monkeypatch.setattr(access, "_checked", check_late)
    with pytest.raises(FileChangedError):
        write_unit(unit, META, "")
    assert read_unit(unit).meta["name"] == "Somebody else"


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    unit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = access._checked

    def check_late(*args: Any) -> bytes:
        unit.write_bytes(note(name="Somebody else"))
        return original(*args)

    monkeypatch.setattr(access, "_checked", check_late)
    with pytest.raises(FileChangedError):
        write_unit(unit, META, "")
    assert read_unit(unit).meta["name"] == "Somebody else"


def test_the_vaults_lock_is_taken_and_its_schemas_hold(
    unit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_LOCK_SECONDS", 0.05)
    with VaultLock(tmp_path).hold(), pytest.raises(VaultBusyError):
        write_unit(unit, META, "", root=tmp_path)
    assert not unit.exists()
    write_unit(unit, META, "", root=tmp_path)
    assert read_unit(unit).meta == META


def _adopt_second_version(root: Path) -> None:
    folder = root / "_migrations" / "schemas"
    folder.mkdir(parents=True)
    for kind in ("note", "wiki"):
        (folder / f"v2.{kind}.schema.json").write_text(
            '{"required": ["evidence"], "properties": {"evidence": {"type": "array"}}}'
        )


def test_an_older_unit_is_written_only_through_its_migration(unit: Path, tmp_path: Path) -> None:
    _adopt_second_version(tmp_path)
    unit.write_bytes(note())
    meta, body = read_unit(unit)
    with pytest.raises(SchemaValidationError, match="schema_version: found 1, expected 2") as caught:
        write_unit(unit, meta, body, root=tmp_path)
    assert "migrate" in caught.value.hint

    def migrate(old: dict[str, Any]) -> dict[str, Any]:
        old["evidence"] = old.pop("sources")
        return old | {"schema_version": 2}

    write_unit(unit, meta, body, root=tmp_path, migrate=migrate)
    assert read_unit(unit).meta["evidence"] == ["conversation_2026-11-20"]
    assert meta["sources"] == ["conversation_2026-11-20"]


def test_a_migration_that_does_not_end_at_the_current_version_writes_nothing(
    unit: Path, tmp_path: Path
) -> None:
    _adopt_second_version(tmp_path)
    unit.write_bytes(note())
    meta, body = read_unit(unit)
    with pytest.raises(SchemaValidationError, match="schema_version"):
        write_unit(unit, meta, body, root=tmp_path, migrate=lambda old: old | {"evidence": []})
    assert unit.read_bytes() == note()
