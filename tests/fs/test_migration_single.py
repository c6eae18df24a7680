"""Single files, trust in scripts, and rehearsals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import FileChangedError, MigrationError, UnitsUnreadableError
from atomic_agents.migration import straggler, trust
from atomic_agents.migration.readings import parse
from atomic_agents.migration.scripts import find_scripts, read_script
from atomic_agents.migration.straggler import upgrade_bytes, upgrade_file
from atomic_agents.migration.unit import UnreadableUnitError
from fakes.migrating import (
    BUMP,
    NOTE,
    WIKI,
    add_script,
    adopt_schema,
    backend_of,
    events,
    make_vault,
    tree,
    write,
)

NAME = "alpha/memory/feedback_late.md"


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(tmp_path / "vault")
    add_script(root)
    adopt_schema(root, 2)
    return root


def hashes(root: Path) -> set[str]:
    return {read_script(script)[1] for script in find_scripts(root / "_migrations")}


def test_a_straggler_is_brought_up_to_date_by_trusted_scripts(vault: Path) -> None:
    path = write(vault / NAME, NOTE.format("late"), 0o640)
    upgrade = upgrade_file(vault, path, "memory", hashes(vault))
    assert (upgrade.from_version, upgrade.to_version, upgrade.reason) == (1, 2, "")
    text = path.read_text()
    assert text == upgrade.data.decode()
    assert "schema_version: 2   # v\n" in text
    assert path.stat().st_mode & 0o777 == 0o640
    assert parse((vault / "alpha/memory/feedback_rule_0.md").read_bytes())["schema_version"] == 1


def test_a_wiki_page_is_judged_by_its_own_table(vault: Path) -> None:
    upgrade = upgrade_bytes(vault, "x", "wiki", WIKI.format(1).encode(), hashes(vault))
    assert upgrade.data is not None


def test_a_script_that_the_operator_has_not_run_is_never_executed(vault: Path) -> None:
    ran = vault.parent / "ran"
    add_script(vault, f"open({str(ran)!r}, 'w')\n" + BUMP.format(1, 2))
    path = write(vault / NAME, NOTE.format("late"))
    upgrade = upgrade_file(vault, path, "memory", {"0" * 64})
    assert upgrade.data is None
    assert "has not run v1_to_v2.py on this vault" in upgrade.reason
    assert path.read_text() == NOTE.format("late")
    assert not ran.exists()


def test_a_chain_is_run_only_when_all_of_it_is_trusted(vault: Path) -> None:
    trusted = hashes(vault)
    add_script(vault, BUMP.format(2, 3), "v2_to_v3.py")
    adopt_schema(vault, 3)
    data = NOTE.format("late").encode()
    assert "v2_to_v3.py" in upgrade_bytes(vault, "x", "memory", data, trusted).reason
    changed = upgrade_bytes(vault, "x", "memory", data, hashes(vault)).data
    assert parse(changed)["schema_version"] == 3


def test_a_script_that_is_exchanged_after_the_look_is_not_executed(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted, ran = hashes(vault), vault.parent / "ran"
    real = straggler.read_script

    def read_then_exchange(script: Any) -> Any:
        result = real(script)
        script.path.write_text(f"open({str(ran)!r}, 'w')\n")
        return result

    monkeypatch.setattr(straggler, "read_script", read_then_exchange)
    upgrade = upgrade_bytes(vault, "x", "memory", NOTE.format(1).encode(), trusted)
    assert "changed since the operator ran it" in upgrade.reason
    assert not ran.exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (NOTE.format(1).replace("schema_version: 1", "schema_version: 2"), "not an old one"),
        (NOTE.format(1).replace("schema_version: 1", "schema_version: 9"), "not an old one"),
        (NOTE.format(1).replace("schema_version: 1   # v\n", ""), "not an old one"),
        (NOTE.format(1).replace("confidence: high", "confidence: HIGH"), "confidence"),
        (NOTE.format(1).replace("schema_version: 1", "schema_version: 0"), "no script leads on from v0"),
    ],
)
def test_a_file_that_would_not_be_valid_is_left_alone(text: str, reason: str, vault: Path) -> None:
    upgrade = upgrade_bytes(vault, "x", "memory", text.encode(), hashes(vault))
    assert upgrade.data is None
    assert reason in upgrade.reason


def test_a_script_that_leaves_the_unit_alone_is_told(vault: Path) -> None:
    add_script(vault, BUMP.format(1, 2).replace("== FROM_VERSION", "== 99"))
    assert (
        "leaves the unit alone"
        in upgrade_bytes(vault, "x", "memory", NOTE.format(1).encode(), hashes(vault)).reason
    )


def test_a_file_that_cannot_be_read_is_named(vault: Path) -> None:
    with pytest.raises(UnreadableUnitError, match="frontmatter-missing"):
        upgrade_bytes(vault, "x", "memory", b"nothing", hashes(vault))
    with pytest.raises(UnreadableUnitError, match="No such file"):
        upgrade_file(vault, vault / "none.md", "memory", hashes(vault))


def test_a_file_that_is_written_to_meanwhile_keeps_what_was_written(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(vault / NAME, NOTE.format("late"))
    real = straggler.upgrade_bytes

    def slow(*args: Any) -> Any:
        result = real(*args)
        path.write_text("by an agent")
        return result

    monkeypatch.setattr(straggler, "upgrade_bytes", slow)
    with pytest.raises(FileChangedError):
        upgrade_file(vault, path, "memory", hashes(vault))
    assert path.read_text() == "by an agent"


# Trust


def test_what_the_operator_ran_is_trusted_on_that_vault_only(vault: Path, tmp_path: Path) -> None:
    other = make_vault(tmp_path / "other")
    add_script(other)
    assert [script.path.name for script in trust.unknown_scripts(vault)] == ["v1_to_v2.py"]
    trust.trust(vault, hashes(vault))
    assert trust.unknown_scripts(vault) == []
    assert [script.path.name for script in trust.unknown_scripts(other)] == ["v1_to_v2.py"]
    add_script(vault, BUMP.format(1, 2) + "\n")
    assert [script.path.name for script in trust.unknown_scripts(vault)] == ["v1_to_v2.py"]


def test_trust_lies_outside_of_the_vault_and_for_the_owner_alone(vault: Path) -> None:
    trust.trust(vault, ["a" * 64])
    path = trust.memory_path(vault)
    assert vault not in path.parents
    assert path.parent.stat().st_mode & 0o077 == 0
    assert trust.recall(vault).trusted == {"a" * 64}


def test_a_script_that_cannot_be_read_is_unknown(vault: Path) -> None:
    trust.trust(vault, hashes(vault))
    (vault / "_migrations/v1_to_v2.py").unlink()
    (vault / "_migrations/v1_to_v2.py").mkdir()
    assert [script.path.name for script in trust.unknown_scripts(vault)] == ["v1_to_v2.py"]


def test_dry_runs_are_remembered_by_target_and_scripts(vault: Path) -> None:
    assert not trust.was_tried(vault, 2, ["a"])
    trust.remember_try(vault, 2, ["a"])
    trust.trust(vault, ["b"])
    assert trust.was_tried(vault, 2, ["a"])
    assert not trust.was_tried(vault, 3, ["a"])
    assert not trust.was_tried(vault, 2, ["a", "b"])
    assert trust.recall(vault).trusted == {"b"}


def test_only_so_many_dry_runs_are_remembered(vault: Path) -> None:
    for number in range(60):
        trust.remember_try(vault, number, ["a"])
    assert len(trust.recall(vault).tried) == 50
    assert trust.was_tried(vault, 59, ["a"])
    assert not trust.was_tried(vault, 0, ["a"])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"trusted": 5, "tried": []}', '{"trusted": [], "tried": [5]}']
)
def test_a_broken_memory_trusts_nothing(text: str, vault: Path) -> None:
    write(trust.memory_path(vault), text)
    assert trust.recall(vault) == trust.Remembered()


# Rehearsal


def test_a_rehearsal_shows_each_difference_and_writes_nothing(vault: Path) -> None:
    before = tree(vault)
    rehearsal = backend_of(vault).rehearse(2)
    assert (rehearsal.is_good, rehearsal.touched, rehearsal.verdict) == (True, 4, "")
    diffs = list(rehearsal.diffs())
    assert len(diffs) == 4
    assert diffs[0].startswith(
        "--- a/alpha/memory/feedback_rule_0.md\n+++ b/alpha/memory/feedback_rule_0.md\n"
    )
    changed = [line for line in diffs[0].splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-schema_version: 1   # v", "+schema_version: 2   # v", "+step_2: done"]
    assert tree(vault) == before
    (event,) = events(vault)
    assert (event["dry_run"], event["units_touched"], event["error"]) == (True, 4, "")


def test_a_rehearsal_runs_a_whole_chain(vault: Path) -> None:
    add_script(vault, BUMP.format(2, 3), "v2_to_v3.py")
    adopt_schema(vault, 3)
    rehearsal = backend_of(vault).rehearse(3)
    assert (rehearsal.is_good, rehearsal.touched) == (True, 8)
    assert "+step_3: done" in next(rehearsal.diffs())


def test_a_rehearsal_tells_what_would_not_be_valid(vault: Path) -> None:
    write(vault / NAME, NOTE.format(1).replace("confidence: high", "confidence: HIGH"))
    rehearsal = backend_of(vault).rehearse(2)
    assert not rehearsal.is_good
    assert [Path(fault["unit_id"]).name for fault in rehearsal.faults] == ["feedback_late.md"]
    assert "1 units would not be valid" in events(vault)[-1]["error"]


def test_a_rehearsal_tells_what_a_script_does_wrong(vault: Path) -> None:
    add_script(vault, BUMP.format(1, 2).replace("    meta[", "    raise ValueError('boom')\n    meta[", 1))
    rehearsal = backend_of(vault).rehearse(2)
    assert not rehearsal.is_good
    assert "boom" in rehearsal.verdict


@pytest.mark.parametrize(
    ("broken", "error"), [("no frontmatter", UnitsUnreadableError), ("", MigrationError)]
)
def test_a_rehearsal_that_is_refused_is_recorded(broken: str, error: type[Exception], vault: Path) -> None:
    if broken:
        write(vault / NAME, broken)
    else:
        (vault / "_migrations/v1_to_v2.py").unlink()
    with pytest.raises(error):
        backend_of(vault).rehearse(2)
    (event,) = events(vault)
    assert (event["dry_run"], event["error"] != "") == (True, True)


# Status


def test_the_status_tells_where_the_vault_stands(vault: Path) -> None:
    backend = backend_of(vault)
    ref = backend.run_migration(2, dry_run=False).snapshot_ref
    status = backend.vault_status()
    assert json.loads(json.dumps(status)) == {
        "agents_root": str(vault),
        "current_schema_version": 2,
        "current_helper_version": 2,
        "needs_migration": False,
        "content_file_count": 4,
        "available_scripts": [{"from": 1, "to": 2, "path": str(vault / "_migrations/v1_to_v2.py")}],
        "snapshots": [
            {"name": ref.snapshot_id, "path": str(vault / "_migrations/snapshots" / ref.snapshot_id)}
        ],
        "running": False,
        "unfinished": None,
    }


def test_the_status_executes_no_script_and_writes_nothing(vault: Path) -> None:
    ran = vault.parent / "ran"
    add_script(vault, f"open({str(ran)!r}, 'w')\n")
    before = tree(vault)
    assert backend_of(vault).vault_status()["needs_migration"] is True
    assert tree(vault) == before
    assert not ran.exists()


def test_a_migrations_folder_behind_a_link_is_not_used(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "vault")
    outside = tmp_path / "outside"
    write(outside / "v1_to_v2.py", BUMP.format(1, 2))
    (vault / "_migrations").symlink_to(outside)
    with pytest.raises(MigrationError, match="found a link or a file"):
        backend_of(vault).run_migration(2)
    assert sorted(path.name for path in outside.iterdir()) == ["v1_to_v2.py"]
