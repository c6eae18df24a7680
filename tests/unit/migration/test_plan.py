"""From a version to another: which scripts, in which order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import MigrationError, NothingToMigrateError
from atomic_agents.migration import LoadedScript, parse_target_version
from atomic_agents.migration.plan import build_plan, find_chain
from atomic_agents.migration.scripts import ScriptFile


def script(first: int, last: int, name: str = "") -> ScriptFile:
    return ScriptFile(Path(name or f"v{first}_to_v{last}.py"), first, last)


@pytest.mark.parametrize(("text", "version"), [("v2", 2), ("2", 2), (" v10 ", 10), ("V3", 3), ("v0", 0)])
def test_a_version_is_written_with_or_without_v(text: str, version: int) -> None:
    assert parse_target_version(text) == version


@pytest.mark.parametrize("text", ["", "v", "x2", "-1", "v-1", "1.5", "v2.0", "²", "v1 v2", "9" * 40])
def test_anything_else_is_no_version(text: str) -> None:
    with pytest.raises(MigrationError, match="expected one such as v2"):
        parse_target_version(text)


@given(st.integers(1, 5), st.integers(1, 6))
def test_a_whole_chain_is_found_whatever_lies_beside_it(start: int, length: int) -> None:
    scripts = [script(version, version + 1) for version in range(1, 15)]
    chain = find_chain(start, start + length, list(reversed(scripts)))
    assert [each.from_version for each in chain] == list(range(start, start + length))


def test_only_the_scripts_on_the_way_are_loaded() -> None:
    loaded: list[ScriptFile] = []

    def load(each: ScriptFile) -> LoadedScript:
        loaded.append(each)
        return LoadedScript(each.path, each.from_version, each.to_version, None)

    plan = build_plan(2, 3, [script(1, 2), script(2, 3), script(3, 4)], load)
    assert loaded == [script(2, 3)]
    assert [each.name for each in plan.scripts] == ["v2_to_v3.py"]


def test_a_gap_is_named() -> None:
    with pytest.raises(MigrationError, match="no script leads on from v2") as caught:
        find_chain(1, 4, [script(1, 2), script(3, 4)])
    assert "v2_to_v3.py" in caught.value.hint


def test_two_scripts_for_one_version_are_named() -> None:
    with pytest.raises(MigrationError, match=r"2 scripts begin at v1: v1_to_v2\.py, v1_to_v3\.py"):
        find_chain(1, 3, [script(1, 2), script(1, 3)])


def test_a_script_that_leads_past_the_target_is_named() -> None:
    with pytest.raises(MigrationError, match=r"v1_to_v3\.py leads to v3, past the target v2"):
        find_chain(1, 2, [script(1, 3)])


@pytest.mark.parametrize("last", [1, 0])
def test_a_script_that_does_not_lead_forward_is_refused(last: int) -> None:
    with pytest.raises(MigrationError, match="does not lead forward"):
        find_chain(1, 2, [script(1, last)])


def test_a_target_below_is_refused_and_points_to_rollback() -> None:
    with pytest.raises(MigrationError, match="forward only") as caught:
        build_plan(3, 2, [])
    assert "--rollback" in caught.value.hint


def test_the_version_that_the_vault_has_is_nothing_to_migrate() -> None:
    with pytest.raises(NothingToMigrateError) as caught:
        build_plan(2, 2, [])
    assert caught.value.exit_code == 0
