from __future__ import annotations

import datetime as dt
import json
import math
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from atomic_agents import _schema
from atomic_agents._schema import (
    SchemaSet,
    validate_atomic_note_frontmatter,
    validate_frontmatter,
    validate_wiki_frontmatter,
)
from atomic_agents.exceptions import ConfigError, SchemaValidationError
from atomic_agents.model import Kind
from atomic_agents.schemas.files import packaged_documents
from atomic_agents.schemas.found import describe, shorten
from atomic_agents.schemas.instance import hints_of, to_instance
from atomic_agents.schemas.table import FieldTable, is_date

NOTE: dict[str, Any] = {
    "schema_version": 1,
    "name": "Answer first",
    "description": "Lead with the answer",
    "type": "feedback",
    "captured": dt.date(2026, 5, 6),
    "last_seen": "2026-05-06",
    "sources": ["observation"],
    "confidence": "high",
}
PAGE = NOTE | {"type": "wiki_page", "provenance": "distilled"}


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.WIKI])
def test_the_shipped_schemas_are_valid_json_schema_and_their_examples_fit(kind: Kind) -> None:
    document = packaged_documents()[1, kind]
    jsonschema_rs.meta.validate(dict(document))
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for example in document["examples"]:
        assert SchemaSet.packaged().problems(example, kind) == ()


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.WIKI])
def test_every_field_says_what_it_is_what_it_expects_and_what_to_do(kind: Kind) -> None:
    for name, field in packaged_documents()[1, kind]["properties"].items():
        assert field["title"], name
        assert field["description"].endswith("."), name
        assert field["x-atomicd"]["expected"], name
        assert field["x-atomicd"]["fix"].endswith("."), name
        for example in field.get("examples", []):
            jsonschema_rs.validate(
                {**field, "$schema": "https://json-schema.org/draft/2020-12/schema"}, example
            )


def test_every_required_field_is_in_the_table() -> None:
    for document in packaged_documents().values():
        assert set(document["required"]) <= set(document["properties"])


@pytest.mark.parametrize("value", [dt.date(2026, 5, 6), "2026-05-06"])
def test_the_validators_take_dates_and_iso_text(value: Any) -> None:
    validate_atomic_note_frontmatter(NOTE | {"captured": value, "expires_at": value})
    validate_wiki_frontmatter(PAGE | {"captured": value})


def test_the_validators_name_every_field_at_once() -> None:
    meta = {key: value for key, value in NOTE.items() if key != "captured"} | {
        "confidence": "High",
        "tags": "x",
    }
    with pytest.raises(SchemaValidationError) as caught:
        validate_atomic_note_frontmatter(meta, filename="feedback_answer_first.md")
    for part in (
        "captured: field-missing",
        "confidence: field-enum",
        "tags: field-type",
        "feedback_answer_first.md: ",
    ):
        assert part in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("filename", "part"),
    [
        ("Feedback Answer.md", "file name: filename-pattern"),
        ("project_answer_first.md", "type: filename-type"),
        ("alpha/memory/x.md", "file name: filename-pattern"),
    ],
)
def test_a_given_file_name_has_to_fit_too(filename: str, part: str) -> None:
    with pytest.raises(SchemaValidationError, match=part):
        validate_atomic_note_frontmatter(NOTE, filename=filename)
    validate_atomic_note_frontmatter(NOTE, filename="alpha/memory/feedback_answer_first.md")


def test_a_page_name_has_to_fit_its_own_pattern() -> None:
    validate_wiki_frontmatter(PAGE, filename="debt_methods_2026.md")
    with pytest.raises(SchemaValidationError, match="filename-pattern"):
        validate_wiki_frontmatter(PAGE, filename="Debt-methods.md")


@pytest.mark.parametrize("version", [0, 2, -1, "1", True, 1.0, None])
def test_the_validators_refuse_every_version_but_the_current(version: Any) -> None:
    with pytest.raises(SchemaValidationError, match="schema_version"):
        validate_atomic_note_frontmatter(NOTE | {"schema_version": version})


def test_the_validators_follow_the_version_that_the_package_has_adopted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_schema, "CURRENT_SCHEMA_VERSION", 2)
    validate_atomic_note_frontmatter(NOTE | {"schema_version": 2})
    with pytest.raises(
        SchemaValidationError, match="schema_version: schema-version-unsupported, found 1, expected 2"
    ):
        validate_atomic_note_frontmatter(NOTE)


def _write(root: Path, version: int, kind: str, document: Any) -> None:
    folder = root / "_migrations" / "schemas"
    folder.mkdir(parents=True, exist_ok=True)
    text = document if isinstance(document, str) else json.dumps(document)
    (folder / f"v{version}.{kind}.schema.json").write_text(text, "utf-8")


def _second(kind: Kind, **changes: Any) -> dict[str, Any]:
    document = dict(packaged_documents()[1, kind])
    fields = dict(document["properties"])
    fields["schema_version"] = {"const": 2}
    fields["evidence"] = fields.pop("sources")
    fields["reviewed"] = {"type": "string", "format": "date"}
    required = [*[name for name in document["required"] if name != "sources"], "evidence"]
    return document | {"properties": fields, "required": required} | changes


def test_a_vault_without_schemas_of_its_own_has_the_packages(tmp_path: Path) -> None:
    assert SchemaSet.of_vault(tmp_path) is SchemaSet.packaged()


def test_a_vault_adopts_a_version_by_its_two_files(tmp_path: Path) -> None:
    _write(tmp_path, 2, "note", _second(Kind.NOTE))
    _write(tmp_path, 2, "wiki", _second(Kind.WIKI))
    (tmp_path / "_migrations/schemas/README.md").write_text("notes")
    schemas = SchemaSet.of_vault(tmp_path)
    second = {key: value for key, value in NOTE.items() if key != "sources"} | {
        "schema_version": 2,
        "evidence": ["x"],
    }
    assert schemas.current == 2
    assert schemas.problems(second, Kind.NOTE) == ()
    assert schemas.problems(NOTE, Kind.NOTE) == ()
    assert [problem.field for problem in schemas.problems(NOTE | {"schema_version": 2}, Kind.NOTE)] == [
        "evidence"
    ]
    validate_frontmatter(second, Kind.NOTE, schemas)
    validate_frontmatter(NOTE, Kind.NOTE, schemas, version=1)
    with pytest.raises(SchemaValidationError, match="schema_version"):
        validate_frontmatter(NOTE, Kind.NOTE, schemas)


def test_fields_of_a_vaults_own_schema_are_judged_by_their_kind(tmp_path: Path) -> None:
    _write(tmp_path, 2, "note", _second(Kind.NOTE))
    _write(tmp_path, 2, "wiki", _second(Kind.WIKI))
    meta = NOTE | {"schema_version": 2, "evidence": ["x"], "reviewed": dt.date(2026, 1, 1)}
    schemas = SchemaSet.of_vault(tmp_path)
    assert schemas.problems(meta, Kind.NOTE) == ()
    (problem,) = schemas.problems(meta | {"reviewed": "soon"}, Kind.NOTE)
    assert (problem.code, problem.expected, problem.fix) == (
        "date-invalid",
        "string",
        "Write string as `reviewed`.",
    )


def test_files_up_to_the_packages_version_are_not_read(tmp_path: Path) -> None:
    _write(tmp_path, 1, "note", "broken")
    assert SchemaSet.of_vault(tmp_path).current == 1


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        ({(2, "note"): {}}, ["v2.wiki.schema.json: not there, though version 2 needs it"]),
        (
            {(3, "note"): {}, (3, "wiki"): {}},
            ["v2.note.schema.json: not there", "v2.wiki.schema.json: not there"],
        ),
        (
            {(2, "note"): "{", (2, "wiki"): "[]"},
            ["v2.note.schema.json: ", "v2.wiki.schema.json: found no JSON object"],
        ),
        (
            {(2, "note"): {"type": "x"}, (2, "wiki"): {"pattern": "(["}},
            ["v2.note.schema.json: ", "v2.wiki.schema.json: "],
        ),
        ({(2, "note"): {"$ref": "http://example.org/x"}, (2, "wiki"): {}}, ["may only refer to itself"]),
        ({(2, "note"): "[" * 100_000, (2, "wiki"): {}}, ["v2.note.schema.json: "]),
        ({(2, "note"): " " * (2 << 20), (2, "wiki"): {}}, ["expected at most 1048576"]),
    ],
)
def test_every_broken_schema_file_of_a_vault_is_named(
    tmp_path: Path, files: dict[tuple[int, str], Any], parts: list[str]
) -> None:
    for (version, kind), document in files.items():
        _write(tmp_path, version, kind, document)
    with pytest.raises(ConfigError) as caught:
        SchemaSet.of_vault(tmp_path)
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.hint


def test_a_version_far_away_does_not_list_a_million_missing_files(tmp_path: Path) -> None:
    _write(tmp_path, 900_000, "note", {})
    with pytest.raises(ConfigError) as caught:
        SchemaSet.of_vault(tmp_path)
    assert len(str(caught.value)) < 3000


def test_a_schema_may_close_the_table_and_its_complaint_is_the_units() -> None:
    table = FieldTable({"type": "object", "properties": {"a": {}}, "additionalProperties": False})
    (problem,) = table.problems({"a": 1, "b": {"c": [dt.date(2026, 1, 1)]}})
    assert (problem.code, problem.field) == ("field-type", None)


@pytest.mark.parametrize(
    ("schema", "value", "code"),
    [
        ({"type": "integer"}, 1.0, "field-type"),
        ({"type": "integer"}, True, "field-type"),
        ({"type": "number"}, 1.0, None),
        ({"type": "number"}, math.nan, "field-type"),
        ({"type": "integer"}, 10**300, None),
        ({"type": "string", "format": "date-time"}, dt.datetime(2026, 1, 1, tzinfo=dt.UTC), None),
        ({"type": "string", "format": "date-time"}, dt.datetime(2026, 1, 1), "field-type"),  # noqa: DTZ001 - it is the point
        ({"type": "string", "format": "date"}, dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "field-type"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, dt.date(2026, 1, 1), None),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "soon", "field-type"),
        ({"type": "array", "items": {"type": "string", "format": "date"}}, [dt.date(2026, 1, 1)], None),
        ({"type": "array", "items": {"type": "string"}}, [dt.date(2026, 1, 1)], "field-type"),
        ({"type": "array", "items": {"type": "string"}}, ("a", "b"), None),
        ({"type": "string"}, "\ud800", None),
        ({"type": "string"}, b"x", "field-type"),
        ({"type": "string", "minLength": 3}, "ab", "field-type"),
        ({"type": "string", "minLength": 3}, "", "field-empty"),
        ({"enum": ["a", 1]}, "b", "field-enum"),
        ({"type": "object", "required": ["x"]}, {}, "field-type"),
        ({"type": "object", "properties": {"x": {"type": "string"}}}, {"x": 1}, "field-type"),
    ],
)
def test_values_are_judged_as_yaml_gave_them(schema: dict[str, Any], value: Any, code: str | None) -> None:
    problems = FieldTable({"properties": {"a": schema}}).problems({"a": value})
    assert [problem.code for problem in problems] == ([code] if code else [])


def test_what_a_schema_does_not_tell_is_told_from_its_types_and_words() -> None:
    table = FieldTable(
        {"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": ["x", "y"]}, "c": {}}}
    )
    assert table.expected("a") == "string or null"
    assert table.expected("b") == "one of x, y"
    assert table.expected("c") == "a value that the schema allows"
    assert table.words("a") == ()


def test_a_value_too_deep_for_json_is_foreign() -> None:
    deep: list[Any] = []
    for _ in range(60):
        deep = [deep]
    assert "x-atomicd-foreign" in json.dumps(to_instance(deep, frozenset()))


def test_hints_are_what_a_field_speaks_of_and_not_what_it_says() -> None:
    schema = {
        "title": "date",
        "anyOf": [{"format": "date"}, {"type": ["integer", "null"]}],
        "examples": ["number"],
    }
    assert hints_of(schema) == {"date", "integer"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-06", True),
        ("2024-02-29", True),
        ("2026-02-29", False),
        ("2026-5-6", False),
        ("20260506", False),
        ("2026-05-06\n", False),
        ("２０２６-05-06", False),
        ("0000-01-01", False),
        ("2026-W01-1", False),
    ],
)
def test_a_date_is_real_and_written_in_full(text: str, expected: bool) -> None:
    assert is_date(text) is expected


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "nothing"),
        (True, "true"),
        ("a\n b", '"a b"'),
        ("a\x1b\u202eb", '"a\\x1b\\u202eb"'),
        ("  ", "blank text"),
        (" x ", '" x "'),
        (12, "12"),
        (10**500, "a very large number"),
        (dt.date(2026, 1, 1), "2026-01-01"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ({}, "an empty mapping"),
        ({"a": 1}, "a mapping"),
        (b"x", "binary data"),
        ({1}, "a set"),
        (object(), "a object"),
    ],
)
def test_a_value_is_described_on_one_short_line(value: Any, shown: str) -> None:
    assert describe(value) == shown


def test_long_text_is_cut() -> None:
    assert shorten("x" * 100) == "x" * 79 + "…"
    assert shorten("\u202e" * 1000, 80)[-1] == "…"
    assert len(describe("x" * 10_000)) <= 80
