from __future__ import annotations

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Kind
from atomic_agents.schemas.files import packaged_documents
from unit.units.samples import NOTE, codes, note, only, page, verdict
from unit.units.samples import PAGE_PATH as PAGE

REQUIRED = list(NOTE)


def test_a_valid_note_and_a_valid_page_have_no_problem() -> None:
    assert verdict(note()).problems == ()
    assert verdict(page(), PAGE).problems == ()


@pytest.mark.parametrize("field", REQUIRED)
def test_a_required_field_that_is_missing_is_named(field: str) -> None:
    problem = only(verdict(note(**{field: None})), "field-missing")
    assert (problem.field, problem.line, problem.found) == (field, None, "nothing")


@pytest.mark.parametrize("field", REQUIRED)
def test_a_required_field_without_a_value_is_empty(field: str) -> None:
    problem = only(verdict(note(**{field: ""})), "field-empty")
    assert (problem.field, problem.found) == (field, "nothing")
    assert problem.line == 2 + REQUIRED.index(field)


def test_all_missing_fields_are_told_at_once() -> None:
    judged = verdict(
        b'---\nname: x-launch\ndescription: "short text"\nmetadata: \n  type: project\n---\nBody\n'
    )
    missing = {problem.field for problem in judged.problems if problem.code == "field-missing"}
    assert missing == {"schema_version", "type", "captured", "last_seen", "sources", "confidence"}


@pytest.mark.parametrize(
    ("field", "value", "code", "found"),
    [
        ("schema_version", '"1"', "field-type", '"1"'),
        ("schema_version", "true", "field-type", "true"),
        ("schema_version", "1.0", "field-type", "1.0"),
        ("schema_version", "1e0", "field-type", '"1e0"'),
        ("schema_version", "0", "field-type", "0"),
        ("schema_version", "-1", "field-type", "-1"),
        ("schema_version", "2026-01-01", "field-type", "2026-01-01"),
        ("name", "no", "field-type", "false, which YAML made of `no`"),
        ("name", "12:30", "field-type", "750, which YAML made of `12:30`"),
        ("name", "010", "field-type", "8, which YAML made of `010`"),
        ("name", "2026-05-26", "field-type", "2026-05-26"),
        ("name", "[[x]]", "field-type", "a list of 1"),
        ("name", '"  "', "field-empty", "blank text"),
        ("name", '""', "field-empty", "blank text"),
        ("description", "{a: b}", "field-type", "a mapping"),
        ("description", "#tag first", "field-empty", "nothing: to YAML, `#tag first` is a comment"),
        ("type", "core", "field-enum", '"core"'),
        ("type", "wiki_page", "field-enum", '"wiki_page"'),
        ("type", "[feedback]", "field-enum", "a list of 1"),
        ("captured", "2026-05-06T10:11:12Z", "date-invalid", "2026-05-06 10:11:12+00:00"),
        ("captured", "2026-05-06 23:30:00", "date-invalid", "2026-05-06 23:30:00"),
        ("captured", "20260506", "date-invalid", "20260506"),
        ("captured", "2026-5-6", "date-invalid", '"2026-5-6"'),
        ("captured", '"2026-02-30"', "date-invalid", '"2026-02-30"'),
        ("captured", '"0000-01-01"', "date-invalid", '"0000-01-01"'),
        ("captured", '"2026-05-06 "', "date-invalid", '"2026-05-06 "'),
        ("captured", "12", "date-invalid", "12"),
        ("captured", "[2026-05-06]", "date-invalid", "a list of 1"),
        ("last_seen", "yesterday", "date-invalid", '"yesterday"'),
        ("sources", "observation", "field-type", '"observation"'),
        ("sources", "[]", "field-empty", "an empty list"),
        ("sources", '[""]', "field-empty", "blank text"),
        ("sources", "[2026-05-06]", "field-type", "2026-05-06"),
        ("sources", "[observation, ~]", "field-type", "nothing"),
        ("sources", "{a: b}", "field-type", "a mapping"),
        ("confidence", "High", "field-enum", '"High"'),
        ("confidence", "0.9", "field-enum", "0.9"),
        ("confidence", '"high "', "field-enum", '"high "'),
        ("pinned", '"yes"', "field-type", '"yes"'),
        ("pinned", "1", "field-type", "1"),
        ("pinned", "~", "field-type", "nothing"),
        ("expires_at", '"null"', "date-invalid", '"null"'),
        ("expires_at", "2026-13-01", "date-invalid", "2026-13-01"),
        ("supersedes", "[]", "field-type", "an empty list"),
        ("superseded_by", "5", "field-type", "5"),
        ("tags", "money", "field-type", '"money"'),
        ("tags", "[on, off, y]", "field-type", "true, which YAML made of `on`"),
        ("tags", "!!set {a, b}", "field-type", "a set"),
        ("tags", "~", "field-type", "nothing"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_what_stands_there(
    field: str, value: str, code: str, found: str
) -> None:
    problem = only(verdict(note(**{field: value})), code)
    assert (problem.field, problem.found, problem.severity) == (field, found, "error")
    assert problem.line is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema_version", "01"),
        ("schema_version", "0x1"),
        ("captured", '"2026-05-06"'),
        ("captured", "'2026-05-06'"),
        ("captured", "0001-01-01"),
        ("sources", "\n- observation\n- raw/x.md"),
        ("pinned", "yes"),
        ("pinned", "off"),
        ("expires_at", "null"),
        ("expires_at", ""),
        ("expires_at", '"2027-01-01"'),
        ("supersedes", "~"),
        ("tags", "[]"),
        ("tags", '["on", "2026-05-06"]'),
        ("provenance", "v1_migrated"),
        ("priority", "3"),
        ("score", ".nan"),
        ("anything", "{a: [1, {b: 2026-01-01}], 3: ~}"),
    ],
)
def test_a_field_that_fits_has_no_error(field: str, value: str) -> None:
    assert verdict(note(**{field: value})).is_valid


def test_only_the_first_bad_item_of_a_list_is_told() -> None:
    problem = only(verdict(note(tags="\n- a\n- no\n- 5")), "field-type")
    assert (problem.field, problem.line, problem.found) == ("tags", 12, "false, which YAML made of `no`")


@pytest.mark.parametrize(
    ("value", "code"),
    [("original", "provenance-invalid"), ("~", "provenance-invalid"), ("[distilled]", "provenance-invalid")],
)
def test_a_page_that_is_not_distilled_is_an_error(value: str, code: str) -> None:
    assert only(verdict(page(provenance=value), PAGE), code).field == "provenance"


def test_a_page_has_the_type_of_a_page() -> None:
    assert only(verdict(page(type="feedback"), PAGE), "field-enum").expected == "wiki_page"


def test_related_is_a_list_of_text_on_pages_and_anything_on_notes() -> None:
    assert only(verdict(page(related="x.md"), PAGE), "field-type").field == "related"
    assert verdict(note(related="x.md")).is_valid


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("\u200bname", "`\\u200bname`, with an invisible U+200B"),
        ("Name", "`Name`"),
        ("NAME", "`NAME`"),
    ],
)
def test_a_key_that_only_looks_like_the_field_is_pointed_at(key: str, found: str) -> None:
    problem = only(verdict(note(name=None, **{key: "x"})), "field-missing")
    assert (problem.field, problem.found, problem.line) == ("name", found, 9)


@pytest.mark.parametrize("key", ["last-seen", "lastSeen", "Last seen"])
def test_another_spelling_of_a_key_is_pointed_at(key: str) -> None:
    problem = only(verdict(note(last_seen=None, **{key: "2026-11-20"})), "field-missing")
    assert problem.found == f"`{key}`"


def test_a_field_that_lies_below_another_is_pointed_at() -> None:
    problem = only(verdict(note(type=None, metadata="{type: feedback}")), "field-missing")
    assert (problem.found, problem.line) == ("`type` below `metadata` only", 9)
    assert "--adopt-legacy" in problem.fix


def test_a_newer_version_is_left_in_place_and_its_fields_are_not_judged() -> None:
    judged = verdict(note(schema_version="2", sources=None, confidence="0.9"))
    assert codes(judged) == ["schema-version-unsupported"]
    assert judged.left_in_place
    assert not judged.is_valid


def test_a_newer_version_is_left_in_place_whatever_else_is_wrong() -> None:
    judged = verdict(note(schema_version="2"), "alpha/memory/Notes.md")
    assert codes(judged) == ["filename-pattern", "schema-version-unsupported"]
    assert judged.left_in_place


@pytest.mark.parametrize("version", ["0", "-1", "true", "1.0", '"2"'])
def test_no_other_version_is_left_in_place(version: str) -> None:
    assert not verdict(note(schema_version=version)).left_in_place


def test_optional_fields_read_as_their_defaults() -> None:
    read = verdict(note()).unit
    assert read is not None
    assert (read.pinned, read.expires_at, read.supersedes, read.tags, read.related) == (
        False,
        None,
        None,
        (),
        (),
    )


def test_dates_of_a_unit_are_iso_text_and_meta_keeps_what_yaml_gave() -> None:
    read = verdict(note(captured='"2026-11-19"', expires_at="2027-01-01")).unit
    assert read is not None
    assert (read.captured, read.last_seen, read.expires_at) == ("2026-11-19", "2026-11-20", "2027-01-01")
    assert read.meta["captured"] == "2026-11-19"
    assert read.meta["last_seen"].isoformat() == "2026-11-20"


def test_errors_come_before_warnings_and_then_by_line() -> None:
    judged = verdict(note(name="N" * 81, confidence="High", captured="never"))
    assert [problem.code for problem in judged.problems] == ["date-invalid", "field-enum", "name-long"]


def test_a_problem_names_the_path_and_one_short_line_of_what_was_found() -> None:
    judged = verdict(
        note(name="[" + ", ".join(["a long word"] * 50) + "]", confidence="x" * 300, tags="é\u202e")
    )
    for problem in judged.problems:
        assert problem.path == "alpha/memory/feedback_answer_first.md"
        assert len(problem.found) <= 80
        assert problem.found.isprintable()


def test_a_flood_of_one_problem_is_cut_and_counted() -> None:
    judged = verdict(note(extra="\n" + "".join(f"  k: {number}\n" for number in range(100)).rstrip()))
    duplicates = [problem for problem in judged.problems if problem.code == "yaml-duplicate-key"]
    assert len(duplicates) == 50
    assert duplicates[-1].found == "50 more of these"


def _two_versions() -> SchemaSet:
    documents = dict(packaged_documents())
    for kind in (Kind.NOTE, Kind.WIKI):
        first = documents[1, kind]
        fields = {name: field for name, field in first["properties"].items() if name != "sources"}
        required = [name for name in first["required"] if name != "sources"]
        documents[2, kind] = {**first, "properties": fields, "required": required}
    return SchemaSet(documents)


def test_an_older_version_is_judged_by_its_own_schema_and_warned_about() -> None:
    schemas = _two_versions()
    old = verdict(note(), schemas=schemas)
    assert (codes(old), old.is_valid) == (["old-schema"], True)
    assert only(old, "old-schema").line == 2
    assert codes(verdict(note(sources=None), schemas=schemas)) == ["field-missing", "old-schema"]
    assert codes(verdict(note(schema_version="2", sources=None), schemas=schemas)) == []
    assert codes(verdict(note(schema_version="3"), schemas=schemas)) == ["schema-version-unsupported"]


def test_a_field_that_came_by_a_merge_has_no_line_of_its_own() -> None:
    problem = only(verdict(note(confidence=None, base="&b {confidence: High}", **{"<<": "*b"})), "field-enum")
    assert (problem.field, problem.line, problem.found) == ("confidence", None, '"High"')
