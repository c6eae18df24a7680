"""The seed's Implementer Contract, sentence by sentence, on every backend."""

from __future__ import annotations

import dataclasses
import itertools
import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import atomic_agents._schema
from atomic_agents import migration
from atomic_agents.exceptions import (
    AtomicAgentsError,
    MigrationBusyError,
    MigrationError,
    MigrationInterruptedError,
    NothingToMigrateError,
)
from atomic_agents.migration import (
    FilesystemMigrationBackend,
    LoadedScript,
    MigrationBackend,
    MigrationRollbackUnavailable,
    MigrationSnapshotNotFound,
    MigrationSnapshotRef,
)
from fakes.migrating import BUMP, Told, add_script, adopt_schema, events, make_vault, tree
from fakes.migration_backends import MemoryBackend


class Case:
    """A backend at v1 that can reach v2, and its audit."""

    def __init__(
        self, backend: Any, told: Told, audit: Callable[[], list[dict[str, Any]]], state: Callable[[], Any]
    ):
        self.backend = backend
        self.told = told
        self.audit = audit
        self.state = state

    def script(self) -> LoadedScript:
        return self.backend.build_plan(2).scripts[0]


def filesystem(root: Path) -> Case:
    make_vault(root)
    add_script(root)
    adopt_schema(root, 2)
    told = Told()
    backend = FilesystemMigrationBackend(root, around=told.around)
    return Case(backend, told, lambda: events(root), lambda: tree(root))


def memory(_root: Path) -> Case:
    told = Told()
    backend = MemoryBackend(around=told.around)
    return Case(
        backend, told, lambda: [dataclasses.asdict(event) for event in backend.events], lambda: backend.store
    )


@pytest.fixture(params=[filesystem, memory])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return request.param(tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Case:
    return filesystem(tmp_path)


def test_a_backend_satisfies_the_runtime_checkable_protocol(case: Case) -> None:
    assert isinstance(case.backend, MigrationBackend)
    assert not isinstance(SimpleNamespace(), MigrationBackend)


def test_every_name_of_the_contract_is_importable_from_the_package() -> None:
    names = (
        "MigratableUnit MigrationBackend MigrationCapabilities MigrationSnapshotRef MigrationPlan MigrationResult "
        "MigrationEvent FilesystemMigrationBackend MigrationRollbackUnavailable MigrationSnapshotNotFound "
        "LoadedScript parse_target_version"
    )
    assert set(names.split()) == set(migration.__all__)
    assert all(hasattr(migration, name) for name in migration.__all__)


def test_an_event_has_exactly_the_contracts_fields() -> None:
    names = [spec.name for spec in dataclasses.fields(migration.MigrationEvent)]
    assert names == (
        [
            "run_id",
            "timestamp",
            "agents_root",
            "from_version",
            "to_version",
            "units_touched",
            "dry_run",
            "rolled_back",
            "error",
        ]
    )


# MUST 1


def test_must_1_the_version_is_the_least_of_all_units(disk: Case, tmp_path: Path) -> None:
    newer = tmp_path / "alpha/memory/feedback_rule_0.md"
    newer.write_text(newer.read_text().replace("schema_version: 1 ", "schema_version: 2 "))
    assert disk.backend.read_schema_version() == 1


def test_must_1_reading_the_version_writes_nothing(case: Case) -> None:
    before = case.state()
    case.backend.read_schema_version()
    assert case.state() == before


def test_must_1_an_empty_vault_has_the_current_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_agents._schema, "CURRENT_SCHEMA_VERSION", 7)
    assert FilesystemMigrationBackend(tmp_path).read_schema_version() == 7


@pytest.mark.parametrize(
    "head",
    ["schema_version: true\nname: x", "schema_version: '1'", "schema_version: 1.0", "name: x", "a: [", ""],
)
def test_must_1_without_any_integer_version_it_is_the_current_one_and_says_so(
    head: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    note = tmp_path / "alpha/memory/feedback_x.md"
    note.parent.mkdir(parents=True)
    note.write_text(f"---\n{head}\n---\n")
    with caplog.at_level(logging.WARNING, "atomic_agents.migration.filesystem"):
        version = FilesystemMigrationBackend(tmp_path).read_schema_version()
    assert version == atomic_agents._schema.CURRENT_SCHEMA_VERSION
    (record,) = caplog.records
    assert record.name == "atomic_agents.migration.filesystem"
    assert record.levelno == logging.WARNING
    assert "none yielded a valid integer schema_version" in record.getMessage()


def test_must_1_there_is_no_way_to_write_the_version(case: Case) -> None:
    assert not hasattr(case.backend, "write_schema_version")


# MUST 2


def test_must_2_each_unit_comes_once_with_its_type(disk: Case, tmp_path: Path) -> None:
    units = disk.backend.enumerate_units()
    names = [(Path(unit.unit_id).relative_to(tmp_path).as_posix(), unit.unit_type) for unit in units]
    assert sorted(names) == [
        ("alpha/memory/feedback_rule_0.md", "memory"),
        ("alpha/memory/feedback_rule_1.md", "memory"),
        ("alpha/memory/feedback_rule_2.md", "memory"),
        ("beta/wiki/debt_methods.md", "wiki"),
    ]


def test_must_2_links_and_second_names_give_no_second_unit(disk: Case, tmp_path: Path) -> None:
    (tmp_path / "gamma").mkdir()
    (tmp_path / "gamma/memory").symlink_to("../alpha/memory")
    (tmp_path / "alpha/memory/feedback_twin.md").hardlink_to(tmp_path / "alpha/memory/feedback_rule_0.md")
    (tmp_path / "alpha/memory/feedback_link.md").symlink_to("feedback_rule_1.md")
    assert len(disk.backend.enumerate_units()) == 4


@pytest.mark.parametrize("name", ["INDEX.md", "INDEX_feedback.md", "README.md", "MEMORY.md", ".draft.md"])
def test_must_2_sidecars_are_no_units(name: str, disk: Case, tmp_path: Path) -> None:
    (tmp_path / f"alpha/memory/{name}").write_text("---\nschema_version: 1\n---\n")
    assert len(disk.backend.enumerate_units()) == 4


def test_must_2_the_type_is_memory_or_wiki(case: Case) -> None:
    assert {unit.unit_type for unit in case.backend.enumerate_units()} <= {"memory", "wiki"}


# MUST 3


def test_must_3_a_write_is_there_when_it_returns(case: Case) -> None:
    unit = case.backend.enumerate_units()[0]
    unit.write_frontmatter({**unit.read_frontmatter(), "extra": "yes"})
    again = next(each for each in case.backend.enumerate_units() if each.unit_id == unit.unit_id)
    assert again.read_frontmatter()["extra"] == "yes"


def test_must_3_reading_gives_a_copy(case: Case) -> None:
    unit = case.backend.enumerate_units()[0]
    unit.read_frontmatter()["name"] = "changed"
    assert unit.read_frontmatter()["name"] != "changed"


def test_must_3_writing_what_was_read_writes_nothing(disk: Case) -> None:
    for unit in disk.backend.enumerate_units():
        before = Path(unit.unit_id).stat()
        unit.write_frontmatter(unit.read_frontmatter())
        after = Path(unit.unit_id).stat()
        assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
            before.st_ino,
            before.st_mtime_ns,
            before.st_ctime_ns,
        )


def test_must_3_a_dry_handle_writes_nothing(case: Case) -> None:
    before = case.state()
    unit = dataclasses.replace(case.backend.enumerate_units()[0], dry_run=True)
    unit.write_frontmatter({"schema_version": 9})
    assert case.state() == before


# MUST 4


def test_must_4_a_snapshot_brings_everything_back(case: Case) -> None:
    before = case.state() if not isinstance(case.backend, MemoryBackend) else dict(case.state())
    ref = case.backend.snapshot(2)
    for unit in case.backend.enumerate_units():
        unit.write_frontmatter({**unit.read_frontmatter(), "schema_version": 2})
    assert case.state() != before
    case.backend.restore(ref)
    assert case.state() == before


def test_must_4_a_snapshot_ref_names_its_backend(case: Case) -> None:
    ref = case.backend.snapshot(2)
    assert ref.backend_id == case.backend.backend_id
    assert ref.snapshot_id


def test_must_4_the_archive_is_labelled_with_the_target(disk: Case) -> None:
    assert disk.backend.snapshot(12).snapshot_id.endswith("_pre_v12_migration.tar.gz")


def test_must_4_the_ref_is_announced_after_the_snapshot_and_before_any_write(tmp_path: Path) -> None:
    seen: list[Any] = []
    case = memory(tmp_path)
    case.backend._around = dataclasses.replace(
        case.told.around, announce=lambda ref, _place: seen.append((ref, list(case.backend.calls)))
    )
    result = case.backend.run_migration(2, dry_run=False)
    ((ref, calls),) = seen
    assert ref == result.snapshot_ref
    assert calls[-1] == "snapshot"
    assert "apply_unit" not in calls


def test_must_4_the_announcement_goes_to_stdout_in_the_seeds_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_vault(tmp_path)
    add_script(tmp_path)
    adopt_schema(tmp_path, 2)
    result = FilesystemMigrationBackend(tmp_path).run_migration(2, dry_run=False)
    name = result.snapshot_ref.snapshot_id
    assert capsys.readouterr().out == (
        f"Snapshot created: {tmp_path}/_migrations/snapshots/{name}\n"
        f"If this migration is interrupted, run: python -m atomic_agents.migrate --rollback {name}\n"
    )


def test_must_4_the_filesystem_says_that_it_serves_a_single_host(disk: Case) -> None:
    assert disk.backend.capabilities().single_host_only is True


# MUST 5


def test_must_5_without_rollback_a_real_run_is_refused_before_anything(tmp_path: Path) -> None:
    backend = MemoryBackend(rolls_back=False, around=Told().around)
    before = {name: dict(meta) for name, meta in backend.store.items()}
    with pytest.raises(MigrationRollbackUnavailable, match="memory"):
        backend.run_migration(2, dry_run=False)
    assert backend.store == before
    assert "apply_unit" not in backend.calls
    assert "snapshot" not in backend.calls


def test_must_5_without_rollback_a_dry_run_proceeds() -> None:
    backend = MemoryBackend(rolls_back=False, around=Told().around)
    assert len(backend.run_migration(2).units_touched) == 3


# MUST 6


def test_must_6_the_id_is_stable_and_lowercase(case: Case) -> None:
    assert case.backend.backend_id
    assert case.backend.backend_id == case.backend.backend_id.lower() == case.backend.backend_id


# MUST 7


def test_must_7_apply_raises_when_the_version_was_not_bumped(case: Case) -> None:
    unit = case.backend.enumerate_units()[0]
    idle = SimpleNamespace(applies_to=lambda _unit: True, migrate=lambda _unit: {"changes": ["none"]})
    script = LoadedScript(Path("v1_to_v2.py"), 1, 2, idle)
    with pytest.raises(AtomicAgentsError) as caught:
        case.backend.apply_unit(unit, script, dry_run=False)
    assert "v1_to_v2.py" in str(caught.value)
    assert unit.unit_id in str(caught.value)


@pytest.mark.parametrize("version", [True, "2", 2.0, 3, None])
def test_must_7_only_exactly_the_target_counts_as_bumped(version: Any) -> None:
    backend = MemoryBackend(around=Told().around)

    def migrate(unit: Any) -> dict[str, Any]:
        unit.write_frontmatter({**unit.read_frontmatter(), "schema_version": version})
        return {"changes": ["wrong"]}

    script = LoadedScript(
        Path("v1_to_v2.py"), 1, 2, SimpleNamespace(applies_to=lambda _unit: True, migrate=migrate)
    )
    with pytest.raises(AtomicAgentsError, match="expected 2"):
        backend.apply_unit(backend.enumerate_units()[0], script, dry_run=False)


def test_must_7_a_dry_run_does_not_check_the_version(case: Case) -> None:
    summary = case.backend.apply_unit(case.backend.enumerate_units()[0], case.script())
    assert summary["changes"] == ["bump"]


def test_must_7_apply_is_a_dry_run_unless_told_otherwise(case: Case) -> None:
    before = case.state()
    case.backend.apply_unit(case.backend.enumerate_units()[0], case.script())
    assert case.state() == before


# Return-value contract


def test_a_unit_that_the_script_does_not_claim_is_skipped(case: Case) -> None:
    script = LoadedScript(
        Path("v1_to_v2.py"), 1, 2, SimpleNamespace(applies_to=lambda _unit: False, migrate=None)
    )
    assert case.backend.apply_unit(case.backend.enumerate_units()[0], script, dry_run=False) == {}


@pytest.mark.parametrize("returned", [None, {}])
def test_a_falsy_summary_on_a_dry_run_is_a_skip(returned: Any) -> None:
    backend = MemoryBackend(around=Told().around)
    backend.script = SimpleNamespace(applies_to=lambda _unit: True, migrate=lambda _unit: returned)
    result = backend.run_migration(2)
    assert (len(result.units_touched), result.units_skipped) == (0, 3)


def test_the_summary_gets_script_and_unit_after_the_skip_was_decided(case: Case) -> None:
    first = case.backend.run_migration(2).units_touched[0]
    assert first["script"] == "v1_to_v2.py"
    assert first["unit_id"] == case.backend.enumerate_units()[0].unit_id
    assert first["changes"] == ["bump"]


def test_a_change_that_the_script_does_not_tell_of_fails_the_run() -> None:
    backend = MemoryBackend(around=Told().around)

    def silent(unit: Any) -> None:
        unit.write_frontmatter({**unit.read_frontmatter(), "schema_version": 2})

    backend.script = SimpleNamespace(applies_to=lambda _unit: True, migrate=silent)
    result = backend.run_migration(2, dry_run=False)
    assert "returned nothing" in result.error
    assert result.rolled_back


# Validation after migrate


def test_a_run_that_succeeds_touches_every_unit(case: Case) -> None:
    result = case.backend.run_migration(2, dry_run=False)
    assert (result.error, result.validation_passed, result.rolled_back) == ("", True, False)
    assert len(result.units_touched) == len(case.backend.enumerate_units())
    assert case.backend.read_schema_version() == 2


def test_every_unit_is_validated_not_only_the_touched_ones(case: Case) -> None:
    before = {unit.unit_id: unit.read_frontmatter() for unit in case.backend.enumerate_units()}
    left = case.backend.enumerate_units()[-1].unit_id
    plan = case.backend.build_plan(2)
    inner = plan.scripts[0].module
    module = SimpleNamespace(
        applies_to=lambda unit: unit.unit_id != left and inner.applies_to(unit), migrate=inner.migrate
    )
    half = dataclasses.replace(plan, scripts=(dataclasses.replace(plan.scripts[0], module=module),))
    case.backend.build_plan = lambda _target: half
    result = case.backend.run_migration(2, dry_run=False)
    assert [error["unit_id"] for error in result.validation_errors] == [left]
    assert result.rolled_back
    assert {unit.unit_id: unit.read_frontmatter() for unit in case.backend.enumerate_units()} == before


def test_without_an_adopted_schema_a_real_run_validates_and_rolls_back(tmp_path: Path) -> None:
    make_vault(tmp_path)
    add_script(tmp_path)
    before = tree(tmp_path)
    result = FilesystemMigrationBackend(tmp_path, around=Told().around).run_migration(2, dry_run=False)
    assert (result.rolled_back, len(result.validation_errors)) == (True, 4)
    assert tree(tmp_path) == before


def test_a_raised_package_version_completes_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_vault(tmp_path)
    add_script(tmp_path)
    monkeypatch.setattr(atomic_agents._schema, "CURRENT_SCHEMA_VERSION", 2)
    result = FilesystemMigrationBackend(tmp_path, around=Told().around).run_migration(2, dry_run=False)
    assert result.validation_passed


# MUST 8


def only(audit: list[dict[str, Any]]) -> dict[str, Any]:
    (event,) = audit
    assert event["run_id"]
    assert event["timestamp"].endswith("+00:00")
    return {
        key: event[key]
        for key in ("from_version", "to_version", "units_touched", "dry_run", "rolled_back", "error")
    }


def test_must_8_a_dry_run_is_recorded(case: Case) -> None:
    count = len(case.backend.run_migration(2).units_touched)
    assert only(case.audit()) == {
        "from_version": 1, "to_version": 2, "units_touched": count,
        "dry_run": True, "rolled_back": False, "error": "",
    }  # fmt: skip


def test_must_8_a_success_is_recorded(case: Case) -> None:
    count = len(case.backend.run_migration(2, dry_run=False).units_touched)
    assert only(case.audit()) == {
        "from_version": 1, "to_version": 2, "units_touched": count,
        "dry_run": False, "rolled_back": False, "error": "",
    }  # fmt: skip


def test_must_8_the_record_comes_before_the_lock_is_released() -> None:
    case = memory(Path())
    case.backend.run_migration(2, dry_run=False)
    assert case.backend.calls[-3:] == ["record", "end finished=True", "unlock"]


def test_must_8_a_validation_rollback_is_recorded() -> None:
    case = memory(Path())
    case.backend.validate = lambda _target: [{"unit_id": "u0", "error": "wrong"}]
    result = case.backend.run_migration(2, dry_run=False)
    recorded = only(case.audit())
    assert recorded["rolled_back"] is True
    assert recorded["error"] == result.error != ""


def test_must_8_an_exception_in_apply_is_recorded_with_its_rollback() -> None:
    case = memory(Path())
    case.backend.fails["apply_unit"] = MigrationError("boom")
    case.backend.run_migration(2, dry_run=False)
    assert only(case.audit()) == {
        "from_version": 1, "to_version": 2, "units_touched": 0,
        "dry_run": False, "rolled_back": True, "error": "boom",
    }  # fmt: skip


def test_must_8_a_rollback_that_fails_is_recorded_as_not_rolled_back() -> None:
    case = memory(Path())
    case.backend.fails |= {"apply_unit": MigrationError("boom"), "roll_back": OSError("disk gone")}
    result = case.backend.run_migration(2, dry_run=False)
    recorded = only(case.audit())
    assert recorded["rolled_back"] is False
    assert result.rolled_back is False
    assert "boom" in recorded["error"]
    assert "disk gone" in recorded["error"]
    assert "end finished=False" in case.backend.calls


def test_must_8_no_rollback_refusal_is_recorded_with_the_sentinel() -> None:
    backend = MemoryBackend(rolls_back=False, around=Told().around)
    with pytest.raises(MigrationRollbackUnavailable):
        backend.run_migration(2, dry_run=False)
    recorded = only([dataclasses.asdict(event) for event in backend.events])
    assert (recorded["from_version"], recorded["to_version"]) == (-1, 2)
    assert "cannot roll back" in recorded["error"]


@pytest.mark.parametrize(
    ("target", "error"), [(3, MigrationError), (0, MigrationError), (1, NothingToMigrateError)]
)
def test_must_8_refusals_before_the_plan_are_recorded_with_the_sentinel(
    target: int, error: type[Exception], case: Case
) -> None:
    before = case.state()
    for dry_run in (True, False):
        with pytest.raises(error):
            case.backend.run_migration(target, dry_run=dry_run)
    for event, dry_run in zip(case.audit(), (True, False), strict=True):
        assert (event["from_version"], event["to_version"], event["dry_run"]) == (-1, target, dry_run)
        assert event["error"]
    assert case.state() == before


def test_must_8_a_busy_lock_is_recorded_with_the_resolved_version(case: Case) -> None:
    busy = MigrationBusyError("Another migration is already running")
    if isinstance(case.backend, MemoryBackend):
        case.backend.fails["exclusive"] = busy
        with pytest.raises(MigrationBusyError):
            case.backend.run_migration(2, dry_run=False)
    else:
        from atomic_agents.vault.lock import VaultLock

        with VaultLock(case.backend._root).hold(), pytest.raises(MigrationBusyError, match=str(busy)):
            case.backend.run_migration(2, dry_run=False)
    recorded = only(case.audit())
    assert recorded["from_version"] == 1
    assert "Another migration is already running" in recorded["error"]


def test_must_8_a_lock_that_cannot_be_released_does_not_suppress_the_record(
    disk: Case, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError("no release")

    monkeypatch.setattr(disk.backend._lock._lock, "release", fail)
    result = disk.backend.run_migration(2, dry_run=False)
    monkeypatch.undo()
    disk.backend._lock._lock.release(force=True)
    assert result.validation_passed
    assert only(disk.audit())["error"] == ""
    assert "could not be released" in caplog.text


def test_must_8_a_manual_rollback_is_recorded_with_both_versions(case: Case) -> None:
    ref = case.backend.run_migration(2, dry_run=False).snapshot_ref
    case.backend.restore_and_audit(ref)
    assert only(case.audit()[1:]) == {
        "from_version": 2, "to_version": 1, "units_touched": 0,
        "dry_run": False, "rolled_back": True, "error": "",
    }  # fmt: skip


def test_must_8_a_manual_rollback_that_fails_is_recorded(case: Case) -> None:
    missing = MigrationSnapshotRef(case.backend.backend_id, "2020-01-01T000000_pre_v2_migration.tar.gz")
    with pytest.raises(MigrationError) as caught:
        case.backend.restore_and_audit(missing)
    recorded = only(case.audit())
    assert (recorded["from_version"], recorded["rolled_back"]) == (1, False)
    assert recorded["error"] == str(caught.value)


def test_must_8_a_version_that_cannot_be_read_after_a_rollback_is_recorded() -> None:
    case = memory(Path())
    ref = case.backend.snapshot(2)
    real = case.backend.read_schema_version
    answers = itertools.chain([real], itertools.repeat(None))

    def read() -> int:
        answer = next(answers)
        if answer is None:
            raise MigrationError("unreadable now")
        return answer()

    case.backend.read_schema_version = read
    with pytest.raises(MigrationError, match="unreadable now"):
        case.backend.restore_and_audit(ref)
    recorded = only(case.audit())
    assert (recorded["from_version"], recorded["to_version"], recorded["rolled_back"]) == (1, -1, True)
    assert recorded["error"] == "unreadable now"


def test_must_8_a_vault_whose_version_cannot_be_read_can_be_rolled_back() -> None:
    case = memory(Path())
    ref = case.backend.snapshot(2)
    case.backend.fails["read_schema_version"] = OSError("broken")
    case.backend.restore_and_audit(ref)
    assert only(case.audit())["from_version"] == -1


def test_must_8_the_bare_restore_records_nothing(case: Case) -> None:
    case.backend.restore(case.backend.snapshot(2))
    assert case.audit() == []


STEPS = [
    "build_plan",
    "exclusive",
    "prepare",
    "snapshot",
    "begin",
    "apply_unit",
    "settle",
    "validate",
    "record",
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "fault", [MigrationError("named"), OSError(28, "No space left"), ValueError("bug"), KeyboardInterrupt()]
)
def test_must_8_a_failure_at_any_step_leaves_everything_as_it_was_and_one_record(
    step: str, fault: BaseException
) -> None:
    case = memory(Path())
    before = {name: dict(meta) for name, meta in case.backend.store.items()}
    case.backend.fails[step] = fault
    is_undone = step in {"apply_unit", "settle", "validate", "record"}
    if is_undone and isinstance(fault, (MigrationError, OSError)):
        result = case.backend.run_migration(2, dry_run=False)
        assert (bool(result.error), result.rolled_back, result.validation_passed) == (True, True, False)
    else:
        with pytest.raises((MigrationInterruptedError, type(fault))):
            case.backend.run_migration(2, dry_run=False)
    assert case.backend.store == before
    (recorded,) = case.audit()
    assert recorded["error"]
    assert recorded["from_version"] == (-1 if step == "build_plan" else 1)
    assert recorded["rolled_back"] == is_undone


def test_must_8_an_audit_that_cannot_be_written_at_all_is_told_and_the_run_is_left_for_recovery() -> None:
    case = memory(Path())
    case.backend.record = lambda _event: (_ for _ in ()).throw(MigrationError("audit full"))
    before = {name: dict(meta) for name, meta in case.backend.store.items()}
    result = case.backend.run_migration(2, dry_run=False)
    assert "audit full" in result.error
    assert case.backend.store == before
    assert "end finished=False" in case.backend.calls


def test_the_lock_is_held_from_before_the_enumeration_until_after_validation() -> None:
    case = memory(Path())
    case.backend.run_migration(2, dry_run=False)
    order = [name for name in case.backend.calls if name != "apply_unit"]
    assert order == [
        "build_plan", "read_schema_version", "exclusive", "prepare", "snapshot", "begin", "settle", "validate",
        "record", "end finished=True", "unlock",
    ]  # fmt: skip


def test_a_real_run_that_was_not_tried_before_stops_when_the_dry_run_fails() -> None:
    told = Told(tries_first=True)
    backend = MemoryBackend(around=told.around)
    backend.fails["apply_unit"] = MigrationError("boom")
    result = backend.run_migration(2, dry_run=False)
    assert (result.dry_run, result.error) == (True, "boom")
    assert "snapshot" not in backend.calls
    (event,) = backend.events
    assert (event.dry_run, event.error) == (True, "boom")


def test_a_real_run_that_was_not_tried_before_goes_on_when_the_dry_run_succeeds() -> None:
    backend = MemoryBackend(around=Told(tries_first=True).around)
    result = backend.run_migration(2, dry_run=False)
    assert result.validation_passed
    assert backend.calls.count("apply_unit") == 6
    (event,) = backend.events
    assert event.dry_run is False


def test_a_snapshot_of_another_name_is_named(disk: Case) -> None:
    with pytest.raises(MigrationSnapshotNotFound, match=r"nope\.tar\.gz"):
        disk.backend.restore(MigrationSnapshotRef("filesystem", "nope.tar.gz"))


def test_a_chain_of_scripts_runs_in_order(tmp_path: Path) -> None:
    make_vault(tmp_path)
    add_script(tmp_path)
    add_script(tmp_path, BUMP.format(2, 3), "v2_to_v3.py")
    adopt_schema(tmp_path, 2)
    adopt_schema(tmp_path, 3)
    backend = FilesystemMigrationBackend(tmp_path, around=Told().around)
    result = backend.run_migration(3, dry_run=False)
    assert result.validation_passed
    assert [script.name for script in result.plan.scripts] == ["v1_to_v2.py", "v2_to_v3.py"]
    meta = backend.enumerate_units()[0].read_frontmatter()
    assert (meta["schema_version"], meta["step_2"], meta["step_3"]) == (3, "done", "done")


def test_a_mark_that_cannot_be_removed_does_not_undo_a_recorded_success(
    caplog: pytest.LogCaptureFixture,
) -> None:
    case = memory(Path())
    case.backend.fails["end finished=True"] = OSError(5, "Input/output error")
    result = case.backend.run_migration(2, dry_run=False)
    assert result.validation_passed
    assert only(case.audit())["error"] == ""
    assert "stays until the next start" in caplog.text
