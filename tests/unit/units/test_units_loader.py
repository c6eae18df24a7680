from __future__ import annotations

import datetime as dt
import time
from typing import Any

import frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.model import Verdict, printable
from atomic_agents.units import loader, read
from atomic_agents.units.loader import load
from atomic_agents.units.marks import same
from unit.units.samples import NOTE, codes, note, only, verdict


def test_values_are_those_of_python_frontmatter() -> None:
    data = note(tags="[a, 'b']", pinned="true", expires_at="2026-12-31", extra="{a: [1, 2.5, ~]}")
    assert read(data).meta == frontmatter.parse(data.decode())[0]


FORMS = [
    "a: yes\nb: 12:30\nc: 010\nd: 1_000\ne: 1e3\nf: 0x1F\ng: .inf\n",
    "a: 2026-05-06\nb: 2026-05-06T10:11:12Z\nc: 2026-05-06 10:00:00 +01:30\n",
    "a: !!str 5\nb: ! 5\nc: !!int '7'\nd: !!float 1\ne: !!null x\nf: !!bool yes\n",
    "a: !!set {x, y}\nb: !!omap [p: 1]\nc: !!pairs [p: 1, p: 2]\nd: !!binary aGk=\n",
    "a: !!seq [1]\nb: !!map {c: 1}\n",
    "a: &x [1, 2]\nb: *x\nc: {<<: {p: 1}, q: 2}\nd: {<<: [{p: 1}, {p: 2, r: 3}]}\n",
    "base: &b {p: 1}\n<<: *b\nq: 2\n",
    "a: |\n  x\n  y\n\nb: >-\n  p\n  q\nc: 'it''s'\nd: \"\\u00e9\\n\"\n",
    "? a\n: 1\n? b\n",
    "a: {1: x, 2026-05-06: y, ~: z, false: w}\n",
    "=: 1\nb: {=: 2}\n",
    "a: &x word\n? *x\n: 1\n",
    '{"a": 1, b, c: [x]}\n',
    "a: 1\n...\n",
    "a:\n- 1\n-\n- - 2\n  - 3\n- b: 4\n  c: 5\n",
]


@pytest.mark.parametrize("block", FORMS)
def test_every_yaml_form_is_built_as_the_c_loader_builds_it(block: str) -> None:
    loaded = load(block)
    assert loaded.faults == ()
    assert loaded.values is not None
    assert same(loaded.values, yaml.load(block, Loader=yaml.CSafeLoader))


@pytest.mark.parametrize("block", FORMS)
def test_the_parser_of_a_pyyaml_without_libyaml_gives_the_same_values_and_places(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = load(block)
    monkeypatch.setattr(loader, "PARSER", yaml.SafeLoader)
    loaded = load(block)
    assert loaded.faults == ()
    assert same(loaded.values, wanted.values)
    assert {key: entry.style for key, entry in loaded.marks.entries.items()} == {
        key: entry.style for key, entry in wanted.marks.entries.items()
    }


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff"), max_size=12)
_SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.dates(min_value=dt.date(1000, 1, 1)),
    _TEXT,
)
_VALUE = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_TEXT, _VALUE, min_size=1, max_size=8), st.booleans())
def test_what_pyyaml_dumps_is_read_as_the_c_loader_reads_it(meta: dict[str, Any], flow: bool) -> None:
    block = yaml.dump(meta, Dumper=yaml.SafeDumper, allow_unicode=True, default_flow_style=flow)
    loaded = load(block)
    wanted = yaml.load(block, Loader=yaml.CSafeLoader)
    assert loaded.values is not None
    assert same(loaded.values, wanted)


@given(st.text(st.sampled_from("ab: -[]{}#&*!|>'\"%@`,?\n\t0129._~=<"), max_size=60))
def test_whatever_the_c_loader_reads_is_read_the_same_or_named(block: str) -> None:
    loaded = load(block)
    try:
        wanted = yaml.load(block, Loader=yaml.CSafeLoader)
    except Exception:  # noqa: BLE001 - PyYAML raises half a dozen kinds
        assert loaded.faults
        return
    if loaded.faults:
        assert {fault.code for fault in loaded.faults} <= {
            "yaml-duplicate-key",
            "frontmatter-not-mapping",
            "field-type",
            "yaml-too-complex",
        }
    else:
        assert same(loaded.values, wanted)


def _check_shown(judged: Verdict) -> None:
    for problem in judged.problems:
        assert len(problem.found) <= 80
        for text in (problem.found, problem.expected, problem.fix):
            assert text
            assert "\n" not in text
        assert printable(problem.found) == problem.found


@given(st.binary(max_size=400))
def test_arbitrary_bytes_never_raise(data: bytes) -> None:
    judged = verdict(data)
    assert judged.is_valid == (judged.errors == ())
    _check_shown(judged)


@given(st.binary(max_size=200))
def test_arbitrary_bytes_between_fences_never_raise(data: bytes) -> None:
    judged = verdict(b"---\n" + data + b"\n---\nbody\n")
    assert judged.is_valid == (judged.errors == ())
    _check_shown(judged)


@given(
    st.dictionaries(
        st.sampled_from([*NOTE, "tags", "expires_at", "supersedes", "pinned", "extra", "Name"]),
        st.text(st.characters(codec="utf-8"), max_size=200)
        | st.text("ab: -[]{}#&*!|>'\"%@`,\n\t0129.~", max_size=60),
        max_size=4,
    )
)
def test_whatever_stands_in_the_fields_what_was_found_is_short_and_printable(fields: dict[str, str]) -> None:
    judged = verdict(note(**fields))
    assert judged.is_valid == (judged.errors == ())
    _check_shown(judged)


_HOSTILE = {
    "flow depth": "a: " + "[" * 3000,
    "block depth": "\n".join("  " * depth + "a:" for depth in range(900)),
    "wide flow": "a: " + "[" * 999 + "a," * 200_000,
    "items": "a:\n" + "  - x\n" * 100_000,
    "keys": "".join(f"k{number}: 1\n" for number in range(50_000)),
    "sexagesimal": "a: 1" + ":00" * 300_000,
    "digits": "a: " + "9" * 900_000,
    "one long text": "a: " + "x " * 450_000,
    "unclosed quote": "a: '" + "''" * 400_000,
    "conflict markers": "<<<<<<< a\n=======\n" * 40_000,
    "colons": "a: " * 300_000,
    "anchors": "".join(f"a{number}: &a{number} x\n" for number in range(4_000)),
    "comments": "a: b #c\n" + "#\n" * 400_000,
    "secrets": "a: " + "password='a1b2c3d4e5' " * 40_000,
    "eyJ": "a: " + "eyJ" * 300_000,
    "fences": "a: 1\n---\n" + "```\n" * 200_000,
    "brackets": "a: 1\n---\n" + "[" * 900_000,
}


@pytest.mark.parametrize("name", list(_HOSTILE))
def test_a_file_made_to_hurt_is_judged_in_seconds(name: str) -> None:
    began = time.monotonic()
    verdict(f"---\n{_HOSTILE[name]}\n---\nbody\n".encode()[: 1 << 20])
    assert time.monotonic() - began < 5


def test_an_alias_bomb_is_refused_before_it_unfolds() -> None:
    levels = [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    bomb = "\n".join(['a0: &a0 ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]', *levels])
    problem = only(verdict(f"---\n{bomb}\n---\n".encode()), "yaml-too-complex")
    assert problem.found == "more than 10000 values"
    assert len(str(problem)) < 500


@pytest.mark.parametrize(
    "block", ["x: &x [*x]\n", "x: &x {a: *x}\n", "x: &x\n  <<: *x\n", "x: &x\n  - - *x\n"]
)
def test_a_value_that_contains_itself_is_refused(block: str) -> None:
    assert (
        only(verdict(f"---\n{block}---\n".encode()), "yaml-too-complex").found
        == "a value that contains itself"
    )


def test_twenty_levels_are_read_and_one_more_is_not() -> None:
    assert load("a: " + "[" * 19 + "]" * 19 + "\n").faults == ()
    assert load("a: " + "[" * 20 + "]" * 20 + "\n").faults[0].code == "yaml-too-complex"


def test_levels_count_through_aliases() -> None:
    half = "[" * 12 + "]" * 12
    assert load(f"a: &a {half}\nb: [[[*a]]]\n").faults == ()
    deeper = "[" * 8 + "*a" + "]" * 8
    assert load(f"a: &a {half}\nb: {deeper}\n").faults[0].code == "yaml-too-complex"


def test_ten_thousand_values_are_read_and_one_more_is_not() -> None:
    block = "a:\n" + "- x\n" * 9_997
    assert load(block).faults == ()
    assert load(block + "- x\n").faults[0].code == "yaml-too-complex"


def test_values_count_through_aliases() -> None:
    items = "- x\n" * 4_000
    assert load(f"a: &a\n{items}b: *a\n").faults == ()
    assert load(f"a: &a\n{items}b: [*a, *a]\n").faults[0].code == "yaml-too-complex"


def test_a_duplicate_key_is_named_with_both_lines() -> None:
    problem = only(
        verdict(note().replace(b"confidence: high\n", b"confidence: high\nconfidence: low\n")),
        "yaml-duplicate-key",
    )
    assert (problem.field, problem.line, problem.found) == (
        "confidence",
        10,
        "`confidence` on lines 9 and 10",
    )


def test_keys_that_are_the_same_to_python_are_duplicates() -> None:
    assert load("a: {1: x, true: y}\n").faults[0].code == "yaml-duplicate-key"


def test_a_duplicate_key_inside_an_unknown_field_is_named_too() -> None:
    problem = only(verdict(note(metadata="{a: 1, a: 2}")), "yaml-duplicate-key")
    assert problem.field == "metadata"


@pytest.mark.parametrize("key", ["content", "handler", "self"])
def test_fields_that_break_other_loaders_are_read(key: str) -> None:
    judged = verdict(note(**{key: "hi"}))
    assert judged.unit is not None
    assert judged.unit.meta[key] == "hi"


@pytest.mark.parametrize(
    ("key", "found"), [("2026-01-01", "2026-01-01"), ("1", "1"), ("true", "true"), ("~", "nothing")]
)
def test_a_key_that_is_no_text_is_a_problem(key: str, found: str) -> None:
    problem = only(verdict(note(**{key: "x"})), "field-type")
    assert problem.found == f"{found} as a key"
    assert problem.field == key


@pytest.mark.parametrize(
    "value", ["2026-02-30", "2026-13-01", "0000-01-01", "2026-01-01 25:00:00", "!!timestamp x"]
)
def test_a_date_that_yaml_cannot_build_is_the_fault_of_its_field(value: str) -> None:
    problem = only(verdict(note(captured=value)), "date-invalid")
    assert (problem.field, problem.line, problem.found) == ("captured", 6, value)


def test_an_impossible_date_in_an_unknown_field_is_named() -> None:
    assert only(verdict(note(reviewed="2026-02-30")), "date-invalid").field == "reviewed"


@pytest.mark.parametrize(
    ("value", "code", "part"),
    [
        (
            '!!python/object/apply:os.system ["true"]',
            "yaml-syntax",
            "the YAML tag `!!python/object/apply:os.system`",
        ),
        ("!important", "yaml-syntax", "the YAML tag `!important`"),
        ("!!set [a]", "yaml-syntax", "the YAML tag `!!set`"),
        ("!!seq {}", "yaml-syntax", "the YAML tag `!!seq`"),
        ("=", "yaml-syntax", "`=`, which has a meaning of its own"),
        ("!!int x", "yaml-syntax", "`!!int x`, which YAML cannot read as a number"),
        ("!!bool x", "yaml-syntax", "cannot read as true or false"),
        ('!!binary "é"', "yaml-syntax", "cannot read as binary data"),
        ("!!binary aGVsbG8=", "field-type", "binary data"),
        ("{{template}}", "yaml-syntax", "a list or mapping as a key"),
        ("*important thing", "yaml-syntax", "`*important`, which YAML takes for an alias"),
        ("*important", "yaml-syntax", "`*important`, which YAML takes for an alias"),
        ("9" * 5000, "yaml-syntax", "which YAML cannot read as a number"),
    ],
)
def test_exotic_yaml_in_a_text_field_is_a_problem_and_never_an_exception(
    value: str, code: str, part: str
) -> None:
    problem = only(verdict(note(name=value)), code)
    assert problem.field == "name"
    assert part in problem.found


def test_a_merge_of_something_that_is_no_mapping_is_named() -> None:
    assert only(verdict(note(**{"<<": "foo"})), "yaml-syntax").found == '`<<` with "foo"'


def test_an_anchor_defined_twice_is_named() -> None:
    assert "a second time" in only(verdict(note(a="&x 1", b="&x 2")), "yaml-syntax").found


def test_a_second_yaml_document_is_named() -> None:
    problem = only(verdict(b"---\nname: x\n...\ntype: y\n---\n"), "yaml-syntax")
    assert (problem.line, problem.found) == (4, "column 1: more text behind the end of the YAML")


def test_a_list_as_the_whole_value_of_a_bad_tag_is_not_taken_for_a_mapping() -> None:
    assert codes(verdict(b"---\n!x {a: 1}\n---\n")) == ["frontmatter-not-mapping", "yaml-syntax"]


@pytest.mark.parametrize(
    ("escape", "shown"),
    [(r"\e", "U+001B"), (r"\0", "U+0000"), (r"\a", "U+0007"), (r"\x7f", "U+007F"), (r"\x9b", "U+009B")],
)
def test_a_control_character_from_an_escape_is_an_error(escape: str, shown: str) -> None:
    problem = only(verdict(note(name=f'"a{escape}b"')), "control-characters")
    assert (problem.field, problem.found) == ("name", f"the control character {shown}")


def test_a_raw_control_character_is_an_error_of_its_field_and_the_rest_is_judged() -> None:
    judged = verdict(note(name="a\x07b", confidence="High"))
    assert codes(judged) == ["control-characters", "field-enum"]
    assert only(judged, "control-characters").field == "name"
    assert only(judged, "control-characters").line == 3


@pytest.mark.parametrize("escape", [r"\t", r"\u00e9", "é\ttab"])
def test_tabs_and_letters_are_no_control_characters(escape: str) -> None:
    assert verdict(note(name=f'"a{escape}b"')).is_valid


@pytest.mark.parametrize("separator", [r"\n", r"\x0b", r"\x85", r"\L", r"\P", r"\r"])
def test_a_line_separator_in_a_description_is_a_second_line_and_no_error(separator: str) -> None:
    assert codes(verdict(note(description=f'"one{separator}two"'))) == ["description-multiline"]


def test_a_control_character_in_a_key_is_an_error() -> None:
    assert "control-characters" in codes(verdict(note(**{'"a\\eb"': "1"})))


def test_a_key_that_is_no_text_and_stands_twice_is_a_duplicate_and_no_crash() -> None:
    data = note().replace(b"---\n", b"---\n?\n?\n", 1)
    assert "yaml-duplicate-key" in codes(verdict(data))
