"""`report.json`, which anybody may have edited (contract [Q-1]; section 12)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.model import Problem
from atomic_agents.quarantine import Incident

PATH = "alpha/memory/feedback_x_rule.md"


def incident(**changes):
    path = changes.get("path", PATH)
    problem = Problem(
        path, "field-enum", "error", "certain", "high", "Write high.", field="confidence", line=8
    )
    values = {
        "id": "20260528T202640Z_alpha_feedback_x_rule_aaaaaaaa",
        "path": path,
        "sha256": "a" * 64,
        "size": 4,
        "mtime": "2026-05-28T20:26:40.000+00:00",
        "mode": "0640",
        "problems": (problem,),
        "first_seen": "2026-05-28T20:26:40.000+00:00",
        "last_seen": "2026-05-28T20:26:40.000+00:00",
    }
    return Incident(**{**values, **changes})


def again(value):
    return Incident.from_json(json.loads(json.dumps(value.as_json())))


@given(
    st.text(st.characters(exclude_characters="/\0", codec=None), min_size=1).filter(
        lambda t: t not in {".", ".."}
    )
)
def test_any_path_comes_back_as_it_was(name):
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return
    value = incident(path=f"alpha/memory/{name}")
    assert again(value) == value


@pytest.mark.parametrize("path", ["hex:ab/memory/x.md", "hex:zz/memory/x.md", "caf\udce9/memory/x.md"])
def test_a_path_that_looks_like_an_escaped_one_comes_back_too(path):
    assert again(incident(path=path)).path == path


@pytest.mark.parametrize(
    ("path", "agent"),
    [
        ("alpha/memory/x.md", "alpha"),
        ("team/beta/wiki/x.md", "team/beta"),
        ("memory/x.md", ""),
        ("alpha/memory/wiki/x.md", "alpha"),
    ],
)
def test_the_agent_is_told_by_the_path(path, agent):
    assert incident(path=path).agent == agent


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", 3),
        ("path", 3),
        ("path", "../x.md"),
        ("path", "/etc/passwd"),
        ("path", "a/./b.md"),
        ("path", "a\0b.md"),
        ("path", ""),
        ("path", "hex:zz"),
        ("sha256", "a"),
        ("sha256", "../" + "a" * 61),
        ("size", "4"),
        ("size", True),
        ("occurrences", None),
        ("occurrences", "1"),
        ("mode", "rwx"),
        ("mode", "7777777"),
        ("state", "closed"),
        ("step", "maybe"),
        ("released", 1),
        ("restored", 1),
        ("first_seen", "yesterday"),
        ("last_seen", "2026-05-28T20:26:40"),
        ("problems", None),
        ("problems", [3]),
        ("problems", [{"code": "x"}]),
        ("problems", [{**incident().problems[0].as_json(), "line": "8"}]),
        ("problems", [{**incident().problems[0].as_json(), "line": True}]),
        ("problems", [{**incident().problems[0].as_json(), "found": ["x"]}]),
    ],
)
def test_a_report_that_is_not_ours_is_refused(key, value):
    report = {**incident().as_json(), key: value}
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        Incident.from_json(report)


def test_what_a_later_version_adds_does_not_matter():
    assert Incident.from_json({**incident().as_json(), "format": 2, "new": 1}) == incident()
