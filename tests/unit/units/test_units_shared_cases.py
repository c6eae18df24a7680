"""The reported failures of the shared cases, judged directly: what they call quarantined is invalid here.

Where the contract overrules a case it is listed with the contract's word.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.model import Verdict
from unit.units.samples import codes, verdict

CASES = [
    *(
        "YM01",
        "YM02",
        "YM04",
        "YM05",
        "YM07",
        "YM08",
        "YM09",
        "YM10",
        "YM12",
        "YM14",
        "YM15",
        "YM16",
        "YM18",
        "YM19",
    ),
    *("YM20", "YM21", "YM24", "YM25", "YM26", "YM28"),
    *("EN01", "EN03", "EN04", "EN05", "EN07", "EN08", "EN10", "EN12", "EN13", "ED09"),
]
OVERRULED = {
    ("YM04", "feedback_sv5_rule.md"): "schema-version-unsupported: left in place, never moved",
    ("YM24", "feedback_n5_rule.md"): "sources is a list that is not empty",
}

TODAY = dt.date(2026, 5, 10)
"""A few days after the dates in the cases."""

pytestmark = pytest.mark.shared


def _writes(case: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    for step in case["steps"]:
        path = (
            base64.b64decode(step["path_b64"]).decode("utf-8", "surrogateescape")
            if "path_b64" in step
            else step.get("path", "")
        )
        if path.endswith("INDEX.md"):
            continue
        if step["op"] == "write":
            yield (
                path,
                base64.b64decode(step["b64"])
                if "b64" in step
                else step["text"].encode("utf-8", "surrogatepass"),
            )
        elif step["op"] == "repeat_write":
            units = "".join(step["unit"].replace("{i}", str(number)) for number in range(step["count"]))
            yield path, f"{step['prefix']}{units}{step['suffix']}".encode()


def _judged(shared: Path, name: str) -> dict[str, Verdict]:
    case = json.loads((shared / "cases" / name / "case.json").read_text("utf-8"))
    return {path.rpartition("/")[2]: verdict(data, path, today=TODAY) for path, data in _writes(case)}


@pytest.mark.parametrize("name", CASES)
def test_a_case_gets_the_verdict_that_it_expects(shared: Path, name: str) -> None:
    expect = json.loads((shared / "cases" / name / "case.json").read_text("utf-8"))["expect"]
    judged = _judged(shared, name)
    assert judged
    for file in expect.get("indexed", []):
        if (name, file) not in OVERRULED:
            assert judged[file].is_valid, (file, judged[file].problems)
    for file in expect.get("quarantined", []):
        assert not judged[file].is_valid, file
        assert judged[file].left_in_place == ((name, file) in OVERRULED), file


def test_a_newer_version_is_left_in_place(shared: Path) -> None:
    judged = _judged(shared, "YM04")["feedback_sv5_rule.md"]
    assert (codes(judged), judged.left_in_place) == (["schema-version-unsupported"], True)


def test_version_look_alikes_that_the_case_leaves_open_are_decided(shared: Path) -> None:
    judged = _judged(shared, "YM04")
    assert judged["feedback_sv3_rule.md"].is_valid
    assert judged["feedback_sv9_rule.md"].is_valid
    assert codes(judged["feedback_sv8_rule.md"]) == ["field-type"]
    assert codes(judged["feedback_svnone_rule.md"]) == ["field-missing"]


def test_an_empty_list_of_sources_is_empty(shared: Path) -> None:
    assert codes(_judged(shared, "YM24")["feedback_n5_rule.md"]) == ["field-empty"]


def test_a_conflict_is_told_as_one_and_nothing_else(shared: Path) -> None:
    assert codes(_judged(shared, "ED09")["feedback_sample_rule.md"]) == ["conflict-markers"]


def test_blocks_without_fields_have_reasons_of_their_own(shared: Path) -> None:
    found = {problem.found for judged in _judged(shared, "YM15").values() for problem in judged.problems}
    assert found == {
        "an empty file",
        '"just text"',
        "empty frontmatter",
        "a list of 2",
        '"plain words"',
        "only comments",
    }


def test_text_that_yaml_drops_is_valid_with_a_warning(shared: Path) -> None:
    judged = _judged(shared, "YM16")
    for name in ("feedback_hash_rule.md", "feedback_amp_rule.md"):
        assert (codes(judged[name]), judged[name].is_valid) == (["yaml-comment-cut"], True)


def test_long_and_many_lined_values_are_valid_with_a_warning(shared: Path) -> None:
    long, lines = _judged(shared, "YM19"), _judged(shared, "YM18")
    assert codes(long["feedback_l1_rule.md"]) == ["name-long"]
    assert codes(long["feedback_l2_rule.md"]) == ["description-long"]
    assert "yaml-too-complex" in codes(long["feedback_l3_rule.md"])
    assert codes(lines["feedback_fold_rule.md"]) == []
    assert codes(lines["feedback_lit_rule.md"]) == ["description-multiline"]


def test_a_file_name_that_is_no_utf8_is_told_in_print(shared: Path) -> None:
    judged = _judged(shared, "EN10")
    (bad,) = (each for name, each in judged.items() if not name.isprintable() or "\udce9" in name)
    assert codes(bad) == ["filename-pattern"]
    assert bad.problems[0].found == "feedback_caf\\xe9_rule.md"


def test_invisible_characters_are_named(shared: Path) -> None:
    judged = _judged(shared, "EN12")
    assert "U+00A0" in judged["feedback_nbsp_rule.md"].problems[0].found
    assert "U+200B" in judged["feedback_zwsp_rule.md"].problems[0].found
