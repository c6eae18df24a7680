"""Failures that people reported elsewhere, each as steps beside the real daemon, with the right behaviour."""

from __future__ import annotations

import json
import os

import pytest

from conftest import SHARED
from fakes.cases import Case, check

CASES = SHARED / "cases"

OVERRULED = {
    "YM04": "version 2 is newer than this package: it is left in place and never moved (contract, RULE-E)",
    "YM24": "sources is a non-empty list (contract, Fields), so n5 is blocked",
}
"""Cases whose expectation the contract sets otherwise; `expected` says what holds."""

ELSEWHERE = {
    "LC04": "test_service_*", "LC06": "test_service_*", "LK04": "the lock's own tests", "LK07": "tests/fs and tests/e2e",
    "WT17": "test_full_disk.py",
}  # fmt: skip
MIGRATING = {"migrate", "rollback", "make_tar", "lock"}


def names():
    if not CASES.is_dir():
        return []
    return sorted(path.name for path in CASES.iterdir() if (path / "case.json").is_file())


def is_migration(name):
    steps = json.loads((CASES / name / "case.json").read_text())["steps"]
    return any(step["op"] in MIGRATING for step in steps)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared test input is not beside this checkout")
@pytest.mark.parametrize("name", names() or ["none"])
def test_case(name, tmp_path):
    if name in ELSEWHERE or is_migration(name):
        pytest.skip(f"shown by {ELSEWHERE.get(name, 'the migration tests')}")
    case = Case(CASES, name, tmp_path)
    adjust(case)
    try:
        case.run()
        check(case)
        assert case.daemon.process.poll() is None, "the daemon ended"
        assert not [line for line in case.daemon.drain() if line["event"] == "daemon.failed"]
    finally:
        case.end()


def adjust(case):
    """Set the expectations that the contract overrules."""
    expect = case.spec["expect"]
    if case.spec["id"] == "YM04":
        expect["quarantined"].remove("feedback_sv5_rule.md")
        expect["quarantined"] += ["feedback_sv8_rule.md", "feedback_svnone_rule.md"]
    if case.spec["id"] == "YM24":
        expect["indexed"].remove("feedback_n5_rule.md")
        expect["quarantined"].append("feedback_n5_rule.md")
    if case.spec["id"] == "WT15" and os.geteuid() == 0:
        pytest.skip("root reads everything; shown by the permission tests")
