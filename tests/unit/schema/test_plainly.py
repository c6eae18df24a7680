"""The quick yes is never said where the validator says no."""

from __future__ import annotations

import subprocess
import sys

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.model import Kind
from atomic_agents.schemas.files import packaged_documents
from atomic_agents.schemas.plainly import PlainTable
from atomic_agents.schemas.table import is_date

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
MORE = ["pinned", "tags", "expires_at", "supersedes", "related", "provenance", "unknown"]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.sampled_from(
        [1.0, "", " ", "\u2028", "\x1c", "\ufeff", "-", "x", "1", "high", "feedback", "wiki_page"]
    ),
    st.sampled_from(["distilled", "2026-05-06", "2026-02-30", "2026-5-6"]),
    st.lists(st.sampled_from(["", " ", "x", 1, None]), max_size=2),
    st.dictionaries(st.just("a"), st.just(1), max_size=1),
)


def validator(document):
    return jsonschema_rs.Draft202012Validator(
        dict(document), validate_formats=True, formats={"date": is_date}
    )


@given(
    kind=st.sampled_from([Kind.NOTE, Kind.WIKI]),
    changes=st.dictionaries(st.sampled_from([*NOTE, *MORE]), VALUES, max_size=4),
    gone=st.sets(st.sampled_from(sorted(NOTE)), max_size=1),
)
def test_whatever_fits_plainly_fits(kind, changes, gone):
    document = packaged_documents()[1, kind]
    base = NOTE | ({"type": "wiki_page", "provenance": "distilled"} if kind is Kind.WIKI else {})
    instance = {key: value for key, value in (base | changes).items() if key not in gone}
    if PlainTable(document, is_date).fits(instance):
        assert validator(document).is_valid(instance)


@pytest.mark.parametrize("kind", [Kind.NOTE, Kind.WIKI])
def test_an_ordinary_unit_fits_plainly(kind):
    document = packaged_documents()[1, kind]
    (example,) = document["examples"]
    more = {"pinned": True, "tags": ["x"], "expires_at": None, "supersedes": "a.md", "own": {"any": 1}}
    assert PlainTable(document, is_date).fits(example | more)
    assert PlainTable(document, is_date).fits(example | {"expires_at": "2026-09-30", "superseded_by": None})


@pytest.mark.parametrize(
    "document",
    [
        {"additionalProperties": False, "properties": {}},
        {"properties": {"a": {"type": "string", "maxLength": 3}}},
        {"properties": {"a": {"pattern": "^x"}}},
        {"properties": {"a": {"format": "uri"}}},
        {"properties": {"a": {"type": "number"}}},
        {"properties": {"a": {"items": {"minLength": 1}}}},
        {"properties": {"a": False}},
        {"type": "array"},
        {"allOf": []},
    ],
)
def test_a_schema_that_says_more_is_left_to_the_validator(document):
    assert not PlainTable(document, is_date).fits({"a": "xyz"})
    assert not PlainTable(document, is_date).fits({})


def test_a_good_note_is_judged_without_loading_the_validator(tmp_path):
    code = (
        "import sys, datetime as dt\n"
        "from atomic_agents._schema import SchemaSet\n"
        "from atomic_agents.model import Kind\n"
        f"note = {NOTE!r}\n"
        "assert SchemaSet.packaged().problems(note, Kind.NOTE) == ()\n"
        "assert 'jsonschema_rs' not in sys.modules\n"
        "assert SchemaSet.packaged().problems(note | {'type': 3}, Kind.NOTE)\n"
        "assert 'jsonschema_rs' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
