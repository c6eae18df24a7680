"""A long INDEX.md is split by the real daemon, and an agent that knows nothing of it is served ([INDEX-6])."""

from __future__ import annotations

import re

from fakes.notes import note, put
from fakes.process import eventually

LAYER = "alpha/memory"


def test_an_agent_that_writes_to_the_index_finds_its_line_in_the_sub_index(make_daemon, vault):
    for number in range(40):
        put(vault, f"{LAYER}/feedback_{chr(97 + number % 26)}_rule_{number}.md", note(f"Rule {number}"))
    daemon = make_daemon(vault, config="[index]\nmax_lines = 30\n").start()
    daemon.sync()
    index = vault / LAYER / "INDEX.md"
    assert index.read_text().count("\n") <= 30
    assert "- [INDEX_feedback](INDEX_feedback.md) — Critical Feedback (40 entries)\n" in index.read_text()
    ranges = {path.name: path.read_text() for path in (vault / LAYER).glob("INDEX_feedback_*.md")}
    assert sum(text.count("- [Rule") for text in ranges.values()) == 40

    put(vault, f"{LAYER}/feedback_b_new_rule.md", note("New"))
    index.write_text(
        index.read_text() + "\n## Critical Feedback\n- [New](feedback_b_new_rule.md) — in my words\n"
    )
    eventually(lambda: "in my words" not in index.read_text())
    daemon.sync()
    found = [path.name for path in (vault / LAYER).glob("INDEX*.md") if "in my words" in path.read_text()]
    assert len(found) == 1
    assert re.match(r"INDEX_feedback_a-.\.md", found[0])
    assert "(41 entries)" in index.read_text()
    assert "## Critical Feedback" not in index.read_text()
    assert daemon.sync()["written"] == []
