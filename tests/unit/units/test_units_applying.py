"""Every rule is known to apply somewhere, and what it looks at."""

from __future__ import annotations

import pytest

from atomic_agents.model import Kind
from atomic_agents.units import CODES
from atomic_agents.units.applying import need_of, rules_of


def test_every_code_applies_to_some_kind_of_file() -> None:
    applied = {code for kind in Kind for code in rules_of(kind)}
    assert applied == set(CODES)


def test_rules_of_one_layer_are_not_those_of_the_other() -> None:
    assert "source-form" in rules_of(Kind.NOTE)
    assert "source-form" not in rules_of(Kind.WIKI)
    assert "wiki-source" in rules_of(Kind.WIKI)
    assert "wiki-source" not in rules_of(Kind.NOTE)
    assert "index-long" not in rules_of(Kind.NOTE)
    assert rules_of(Kind.RAW) == ()


@pytest.mark.parametrize(
    ("code", "need"),
    [("bom", "bytes"), ("field-missing", "fields"), ("not-indexed", "neighbours"), ("shrunk", "history")],
)
def test_what_a_rule_looks_at_is_known(code: str, need: str) -> None:
    assert need_of(code) == need
