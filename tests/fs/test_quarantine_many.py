"""A quarantine that holds thousands (contract [Q-1]; section 12: no stall)."""

from __future__ import annotations

import hashlib
import os

from atomic_agents.model import Kind, Place, Problem, Verdict
from atomic_agents.quarantine import Incidents, take

NOW = 1_780_000_000.0


def test_taking_one_more_looks_only_into_folders_of_the_same_bytes(tmp_path, monkeypatch):
    (tmp_path / "alpha/memory").mkdir(parents=True)
    incidents = Incidents(tmp_path)
    looked = []
    real = os.lstat

    def look(path, **options):
        if str(path).endswith("report.json"):
            looked.append(path)
        return real(path, **options)

    monkeypatch.setattr(os, "lstat", look)
    for number in range(30):
        path = f"alpha/memory/feedback_rule_{number}.md"
        data = f"bad {number}\n".encode()
        (tmp_path / path).write_bytes(data)
        problem = Problem(
            path, "field-missing", "error", "nothing", "a type", "Add it.", field="type", line=2
        )
        place = Place(path, Kind.NOTE, "alpha", "memory", f"feedback_rule_{number}.md")
        take(incidents, tmp_path, Verdict(place, hashlib.sha256(data).hexdigest(), (problem,)), None, NOW)
    assert looked == []
    assert len(incidents.all()) == 30
    assert not incidents.is_released(
        "alpha/memory/feedback_rule_3.md", hashlib.sha256(b"bad 3\n").hexdigest()
    )
