"""Whole vaults judged as `lint` does, against what was written down about them."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from pathlib import Path

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Kind, Problem
from atomic_agents.units import DiskNeighbours, Limits, judge, judge_index
from atomic_agents.vault.walk import Survey, read_layout, walk

TODAY = dt.date(2026, 12, 1)
NEVER_CONTENT = "relay/memory/MEMORY.md"
CUT = "harbor/memory/project_ferry_timetable.md"

pytestmark = pytest.mark.shared


def _lint(root: Path) -> dict[str, tuple[Problem, ...]]:
    layout, schemas, limits = read_layout(root), SchemaSet.packaged(), Limits()
    neighbours = DiskNeighbours(root, layout, schemas, limits)
    found: dict[str, tuple[Problem, ...]] = {}
    for each in walk(root, layout, Survey()):
        data = (root / each.place.path).read_bytes()
        if each.place.kind.is_unit:
            judged = judge(
                each.place, data, schemas=schemas, today=TODAY, limits=limits, neighbours=neighbours
            )
            found[each.place.path] = judged.problems
        elif each.place.kind is Kind.INDEX:
            found[each.place.path] = judge_index(each.place, data, limits)
    return found


def _expected(table: Path) -> dict[str, tuple[set[str], str]]:
    rows = [
        line.split("\t")
        for line in table.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return {row[0]: (set(row[2].split(",")) - {"ok"}, row[5]) for row in rows[1:]}


def _fields(detail: str) -> list[tuple[str, set[str]]]:
    """Return the codes and fields of a detail such as `name+type;field-enum=type`; "" is any code."""
    parts = [part.rpartition("=") for part in filter(None, detail.split(";"))]
    return [(code, set(names.split("+"))) for code, _, names in parts]


def test_the_wild_vault_gets_exactly_the_expected_codes(shared: Path) -> None:
    root = shared / "vaults" / "wild"
    expected = {
        path: want for path, (want, _) in _expected(root / "EXPECTED.tsv").items() if path != NEVER_CONTENT
    }
    expected[CUT] = expected[CUT] | {"yaml-comment-cut"}
    found = {path: {problem.code for problem in problems} for path, problems in _lint(root).items()}
    assert found == expected


def test_the_wild_vault_gets_the_expected_fields(shared: Path) -> None:
    root = shared / "vaults" / "wild"
    found = _lint(root)
    for path, (want, detail) in _expected(root / "EXPECTED.tsv").items():
        for code, fields in _fields(detail):
            told = {each: {problem.field for problem in found[path] if problem.code == each} for each in want}
            assert fields in (list(told.values()) if not code else [told[code]]), (path, told)


def test_the_caldwell_vault_holds_what_its_source_note_says(shared: Path) -> None:
    paths = defaultdict(set)
    for path, problems in _lint(shared / "vaults" / "caldwell").items():
        for problem in problems:
            paths[problem.code].add(path.removeprefix("caldwell/").removesuffix(".md"))
    bounded = {
        "memory/decision_q3_income_target",
        "memory/project_acme_retainers",
        "memory/project_freelance_editing_growth",
        "memory/project_freelance_retainers",
        "memory/project_maya_consulting_launch",
    }
    later = {"memory/project_acme_retainers", "memory/project_freelance_retainers"}
    assert dict(paths) == {
        "yaml-syntax": {"memory/feedback_debt_priority_order"},
        "name-long": {"memory/reference_cpa_contact"},
        "wiki-source": {"wiki/avalanche_vs_snowball"},
        "undated-bounded": bounded,
        "archive-candidate": bounded - later,
        "not-indexed": {"memory/project_acme_retainers", "memory/project_maya_consulting_launch"},
        "stale": bounded
        | {
            "memory/feedback_communication_style",
            "memory/reference_cpa_contact",
            "memory/reference_financial_vault",
            "memory/user_money_stress",
            "wiki/avalanche_vs_snowball",
        },
    }


def test_the_vault_of_the_reference_stack_has_no_errors(shared: Path) -> None:
    found = [
        problem for problems in _lint(shared / "vaults" / "reference-init").values() for problem in problems
    ]
    assert {problem.code for problem in found} == {"supersede-mismatch", "not-indexed"}
    assert {problem.severity for problem in found} == {"warning"}
