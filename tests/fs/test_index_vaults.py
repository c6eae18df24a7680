"""What the first sync changes in INDEX files that others made: no more than their owners would want."""

from __future__ import annotations

import datetime as dt

import pytest

from atomic_agents._schema import SchemaSet
from atomic_agents.index.merge import INDEX, Scope, merge
from atomic_agents.index.wanted import wanted_of
from atomic_agents.units import Limits, judge
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, walk
from unit.index.desk import Desk, added

ACME = (
    "- [SamCo retainers — two example clients stable through 2026](project_acme_retainers.md)"
    " — Two retainer clients; treat as stable income through year-end"
)
MAYA = (
    "- [Maya's consulting launch — Q3 2026 income side](project_maya_consulting_launch.md)"
    " — Maya launching B2B service practice; needs ~$Y/mo by Sept to hit Q3 household target"
)
CLASH = (
    "- [The same clash twice — the second time takes a minute](feedback_same_clash_twice.md)"
    " — Since 2026-04-28T20:55Z the list remembers how a clash was settled"
)
DAY = dt.date(2026, 12, 1)


def first_sync(root, layer_dir):
    """Return INDEX.md before and after, and a second merge's changes."""
    units, present = [], set()
    for found in walk(root, Layout(), Survey(), below=layer_dir):
        place = found.place
        if place.kind.is_unit:
            data = (root / place.path).read_bytes()
            verdict = judge(place, data, schemas=SchemaSet.packaged(), today=DAY, limits=Limits())
            if verdict.unit is None:
                present.add(place.inner)
            else:
                units.append(verdict.unit)
    before = {INDEX: (root / layer_dir / INDEX).read_bytes()}
    scope = Scope(layer_dir, layer_dir.rpartition("/")[2], "X", present=frozenset(present))
    merged = merge(before, wanted_of(units, layer_dir), {}, scope)
    after = {**before, **merged.files}
    again = merge(after, wanted_of(units, layer_dir), merged.remembered, scope)
    return before[INDEX].decode(), after[INDEX].decode(), again.files


@pytest.mark.parametrize(
    ("vault", "layer_dir", "lines"),
    [
        ("caldwell", "caldwell/memory", [
            ("- [SamCo retainers — two example clients stable through 2026](project_acme_retainers.md)"
             " — Two retainer clients; treat as stable income through year-end"),
            ("- [Maya's consulting launch — Q3 2026 income side](project_maya_consulting_launch.md)"
             " — Maya launching B2B service practice; needs ~$Y/mo by Sept to hit Q3 household target"),
        ]),
        ("caldwell", "caldwell/wiki", []),
        ("reference-init", "desk-advisor/memory", []),
        ("reference-init", "desk-advisor/wiki", [
            "## Pages", "", "- [Ledger tools compared](ledger_tools.md) — What the three ledger tools can do, from the report", "",
        ]),
        ("reference-init", "field-researcher/memory", []),
        ("reference-init", "field-researcher/wiki", []),
        ("wild", "harbor/memory", []),
        ("wild", "lantern/memory", []),
        ("wild", "meadow/memory", []),
        ("wild", "quarry/memory", [
            ("- [The same clash twice — the second time takes a minute](feedback_same_clash_twice.md)"
             " — Since 2026-04-28T20:55Z the list remembers how a clash was settled"),
        ]),
        ("wild", "relay/memory", []),
    ],
)  # fmt: skip
def test_the_first_sync_adds_what_was_left_out_and_touches_nothing_else(shared, vault, layer_dir, lines):
    before, after, again = first_sync(shared / "vaults" / vault, layer_dir)
    assert added(before, after) == lines
    assert again == {}


def test_new_notes_stand_where_the_templates_owner_expects_them(shared):
    text = (shared / "vaults/reference-init/field-researcher/memory/INDEX.md").read_text("utf-8")
    desk = Desk(text).note("feedback_x.md", "X").note("decision_y.md", "Y").note("reference_z.md", "Z")
    desk.sync()
    assert "## Critical Feedback\n\n- [X](feedback_x.md) — use it\n\n<!-- Behavioral" in desk.text
    assert "## Reference\n\n- [Z](reference_z.md) — use it\n\n<!-- Stable" in desk.text
    assert (
        "the lesson. -->\n\n## Locked Decisions\n\n- [Y](decision_y.md) — use it\n\n## Research" in desk.text
    )
