"""What the rules across files see while files come and go (contract [RULE-W])."""

from __future__ import annotations

import pytest

from fakes.bench import Workshop
from fakes.notes import note, put

OLD = "alpha/memory/feedback_old_rule.md"
NEW = "alpha/memory/feedback_new_rule.md"


@pytest.fixture
def shop(tmp_path):
    workshop = Workshop(tmp_path).adopted()
    put(workshop.root, OLD, note("First"))
    workshop.take(OLD)
    yield workshop
    workshop.close()


def codes(shop):
    return [problem["code"] for line in shop.kept.events("unit.indexed") for problem in line["problems"]]


def test_a_renamed_note_is_not_said_to_have_the_name_of_its_former_self(shop):
    (shop.root / OLD).rename(shop.root / NEW)
    shop.take(NEW, OLD)
    assert len(shop.kept.events("unit.renamed")) == 1
    assert "duplicate-name" not in codes(shop)


def test_a_copied_note_is_said_to_have_the_name_of_the_other(shop):
    put(shop.root, NEW, note("First"))
    shop.take(NEW)
    assert "duplicate-name" in codes(shop)
