"""The schemas that editors get say the same as those that atomicd judges by."""

from __future__ import annotations

import json
import os

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.cli import app
from atomic_agents.model import Kind
from atomic_agents.schemas.editors import DRAFT, editor_documents, for_editors
from atomic_agents.schemas.files import packaged_documents

NOTE = {
    "schema_version": 1,
    "name": "A rule",
    "description": "use it",
    "type": "feedback",
    "captured": "2026-05-06",
    "last_seen": "2026-05-06",
    "sources": ["observation"],
    "confidence": "high",
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.sampled_from(["", " ", "x", "high", "feedback", "wiki_page", "distilled", "2026-05-06", "2026-02-30"]),
    st.lists(st.sampled_from(["", "x", 1, None]), max_size=2),
    st.dictionaries(st.just("a"), st.just(1), max_size=1),
)


def test_each_version_and_the_current_one_are_exported():
    assert set(editor_documents(packaged_documents())) == {
        "v1.note.schema.json",
        "v1.wiki.schema.json",
        "note.schema.json",
        "wiki.schema.json",
    }


def test_no_two_exported_schemas_have_one_id():
    ids = [document["$id"] for document in editor_documents(packaged_documents()).values()]
    assert len(set(ids)) == len(ids)


@given(
    kind=st.sampled_from([Kind.NOTE, Kind.WIKI]),
    changes=st.dictionaries(st.sampled_from([*NOTE, "pinned", "tags", "expires_at", "supersedes"]), VALUES),
    gone=st.sets(st.sampled_from(sorted(NOTE)), max_size=2),
)
def test_both_drafts_judge_alike(kind, changes, gone):
    document = packaged_documents()[1, kind]
    instance = {key: value for key, value in (NOTE | changes).items() if key not in gone}
    newer = jsonschema_rs.Draft202012Validator(dict(document), validate_formats=True)
    older = jsonschema_rs.Draft7Validator(dict(for_editors(document)), validate_formats=True)
    assert older.is_valid(instance) == newer.is_valid(instance)


def test_our_own_notes_are_left_out():
    for document in editor_documents(packaged_documents()).values():
        assert "x-atomicd" not in json.dumps(document)
        assert document["$schema"] == DRAFT


def test_a_schema_that_the_older_draft_cannot_say_stays_in_its_own():
    document = {"$schema": "newer", "properties": {"a": {"prefixItems": [{"x-atomicd": 1}]}}}
    assert for_editors(document) == {"$schema": "newer", "properties": {"a": {"prefixItems": [{}]}}}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOMICD_CONFIG", os.devnull)
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(tmp_path / "none"))
    return tmp_path


def run(capsys, *words):
    code = app._run(["schema", "export", *map(str, words)])
    return code, capsys.readouterr()


def test_without_a_folder_all_schemas_are_printed(home, capsys):
    code, told = run(capsys)
    assert code == 0
    assert json.loads(told.out)["note.schema.json"]["required"] == list(NOTE)


def test_files_are_written_once_and_only_when_they_differ(home, capsys):
    code, told = run(capsys, home / "deep" / "schemas")
    assert code == 0
    assert told.out.count("wrote") == 4
    file = home / "deep" / "schemas" / "note.schema.json"
    before = file.stat().st_ino
    assert run(capsys, home / "deep" / "schemas")[1].out == ""
    assert file.stat().st_ino == before
    file.write_text('{"$schema": "old"}')
    assert run(capsys, home / "deep" / "schemas")[1].out.count("wrote") == 1


@pytest.mark.parametrize("text", ["my notes", "[]", "3", "{}"])
def test_a_file_that_is_no_schema_is_not_replaced(home, capsys, text):
    (home / "note.schema.json").write_text(text)
    code, told = run(capsys, home)
    assert code == 1
    assert "no JSON Schema" in told.err
    assert (home / "note.schema.json").read_text() == text


def test_schemas_that_the_vault_adopted_are_exported_too(home, capsys):
    vault = home / "vault"
    folder = vault / "_migrations" / "schemas"
    folder.mkdir(parents=True)
    for kind in ("note", "wiki"):
        document = {"$schema": "x", "$id": f"urn:mine:{kind}", "properties": {"schema_version": {"const": 2}}}
        (folder / f"v2.{kind}.schema.json").write_text(json.dumps(document))
    told = json.loads(run(capsys, "--vault", vault)[1].out)
    assert told["note.schema.json"]["properties"]["schema_version"] == {"const": 2}
    assert "v2.wiki.schema.json" in told


def test_a_vault_that_was_named_and_is_not_there_is_an_error(home, capsys):
    assert run(capsys, "--vault", home / "gone")[0] == 66


def test_a_folder_that_cannot_be_written_is_an_error_in_one_line(home, capsys):
    (home / "file").write_text("x")
    code, told = run(capsys, home / "file" / "schemas")
    assert code == 73
    assert told.err.startswith("atomicd: ")
