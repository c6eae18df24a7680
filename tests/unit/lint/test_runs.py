"""Lines of a log of runs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.lint.runs import judge_runs
from atomic_agents.units.codes import Fault

GOOD = {
    "ts": "2026-11-29T18:04:11+01:00",
    "trigger": "skill",
    "model": "small",
    "input_tokens": 0,
    "output_tokens": 140,
    "status": "ok",
    "summary": "Frame: what is missing",
}


def judge(*records: object) -> list[Fault]:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return list(judge_runs("".join(f"{line}\n" for line in lines)))


def test_a_good_line_with_and_without_optional_fields_is_fine() -> None:
    more = {"error": None, "cost_usd": 0.02, "cache_hit": 0.8, "tools_called": [], "skill_invocation_id": "x"}
    assert judge(GOOD, GOOD | more, GOOD | {"ts": "2026-11-29T18:04:11.5Z", "run_id": "any"}, "", "  ") == []


@pytest.mark.parametrize("name", GOOD)
def test_a_missing_field_is_told_with_its_line(name: str) -> None:
    (fault,) = judge(GOOD, {key: value for key, value in GOOD.items() if key != name})
    assert (fault.code, fault.field, fault.line, fault.found) == ("log-line", name, 2, "nothing")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ts", "2026-11-29T18:04:11"),
        ("ts", "2026-11-29"),
        ("ts", "2026-13-29T18:04:11Z"),
        ("ts", 1),
        ("trigger", "helper"),
        ("trigger", None),
        ("model", " "),
        ("input_tokens", -1),
        ("input_tokens", 1.5),
        ("output_tokens", True),
        ("output_tokens", "140"),
        ("status", "OK"),
        ("summary", "two\nlines"),
        ("summary", ["x"]),
        ("error", 3),
        ("cost_usd", -1),
        ("cost_usd", "0.1"),
        ("cost_usd", True),
        ("tools_called", "Read"),
        ("skill_invocation_id", 7),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_what_is_expected(name: str, value: object) -> None:
    (fault,) = judge(GOOD | {name: value})
    assert (fault.code, fault.field, fault.line) == ("log-line", name, 1)
    assert fault.expected in fault.fix


@pytest.mark.parametrize("line", ["{", "[]", "3", "null", '"x"', "text", "{" * 100_000, "[" * 100_000])
def test_a_line_that_is_no_object_is_told(line: str) -> None:
    (fault,) = judge(GOOD, line)
    assert (fault.code, fault.field, fault.line, fault.expected) == ("log-line", None, 2, "one JSON object")


def test_a_long_line_is_not_parsed() -> None:
    (fault,) = judge(json.dumps(GOOD | {"summary": "x" * (1 << 20)}))
    assert len(fault.found) <= 42


def test_many_faults_are_told_up_to_fifty_and_then_counted() -> None:
    faults = judge(*["{}"] * 20)
    assert len(faults) == 50
    assert faults[-1].found == "91 more of these"
    assert len(judge(*["x"] * 50)) == 50
    assert judge(*["x"] * 50)[-1].found == "`x`"


@given(st.text())
def test_any_text_is_taken_without_failing(text: str) -> None:
    assert all(fault.line is not None for fault in judge_runs(text))
