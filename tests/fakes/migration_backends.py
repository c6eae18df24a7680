"""Small real backends for the runner: units in a dict, and one that fails where it is told to."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from atomic_agents.exceptions import MigrationError
from atomic_agents.migration import runner
from atomic_agents.migration.plan import build_plan
from atomic_agents.migration.scripts import ScriptFile
from atomic_agents.migration.sheet import Surroundings
from atomic_agents.migration.step import apply_script
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import (
    LoadedScript,
    MigrationCapabilities,
    MigrationEvent,
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)

CURRENT = 2


class Guard:
    def check(self) -> None:
        pass


class MemoryBackend:
    """Units in a dict; snapshots are copies of it."""

    backend_id = "memory"
    location = "memory:"

    def __init__(self, count: int = 3, *, rolls_back: bool = True, around: Surroundings) -> None:
        self.store = {f"u{number}": {"schema_version": 1, "name": f"n{number}"} for number in range(count)}
        self.script: Any = SimpleNamespace(applies_to=self._applies, migrate=self._bump)
        self.events: list[MigrationEvent] = []
        self.calls: list[str] = []
        self.fails: dict[str, BaseException] = {}
        self._rolls_back = rolls_back
        self._around = around
        self._snapshots: dict[str, dict[str, Any]] = {}

    def capabilities(self) -> MigrationCapabilities:
        return MigrationCapabilities(supports_transactional_rollback=self._rolls_back)

    def read_schema_version(self) -> int:
        self._call("read_schema_version")
        versions = [meta["schema_version"] for meta in self.store.values() if "schema_version" in meta]
        return min(versions, default=CURRENT)

    def enumerate_units(self) -> list[MigratableUnit]:
        return [self._unit(name) for name in self.store]

    def apply_unit(self, unit: MigratableUnit, script: LoadedScript, dry_run: bool = True) -> dict[str, Any]:
        self._call("apply_unit")
        return apply_script(unit, script, dry_run=dry_run)

    def snapshot(self, target_version: int) -> MigrationSnapshotRef:
        self._call("snapshot")
        name = f"s{len(self._snapshots)}_pre_v{target_version}"
        self._snapshots[name] = copy.deepcopy(self.store)
        return MigrationSnapshotRef(self.backend_id, name)

    def locate(self, ref: MigrationSnapshotRef) -> str:
        return f"memory:{ref.snapshot_id}"

    def restore(self, ref: MigrationSnapshotRef) -> None:
        self._call("restore")
        if ref.snapshot_id not in self._snapshots:
            raise MigrationError(f"no snapshot {ref.snapshot_id}")
        self.store = copy.deepcopy(self._snapshots[ref.snapshot_id])

    def restore_and_audit(self, ref: MigrationSnapshotRef) -> None:
        runner.restore_and_audit(self, ref, self._around)

    def run_migration(self, target_version: int, dry_run: bool = True) -> MigrationResult:
        return runner.run_migration(self, target_version, dry_run, self._around)

    def build_plan(self, target_version: int) -> MigrationPlan:
        self._call("build_plan")
        file = ScriptFile(Path("v1_to_v2.py"), 1, 2)
        return build_plan(
            self.read_schema_version(),
            target_version,
            [file],
            lambda each: LoadedScript(each.path, 1, 2, self.script),
        )

    @contextmanager
    def exclusive(self) -> Iterator[Guard]:
        self._call("exclusive")
        yield Guard()
        self.calls.append("unlock")

    def prepare(self) -> list[MigratableUnit]:
        self._call("prepare")
        return self.enumerate_units()

    def begin(self, run_id: str, plan: MigrationPlan, ref: MigrationSnapshotRef) -> None:
        self._call("begin")

    def settle(self) -> None:
        self._call("settle")

    def validate(self, target_version: int) -> list[dict[str, str]]:
        self._call("validate")
        return [
            {"unit_id": name, "error": f"schema_version is {meta.get('schema_version')}"}
            for name, meta in self.store.items()
            if meta.get("schema_version") != target_version
        ]

    def roll_back(self, ref: MigrationSnapshotRef) -> None:
        self._call("roll_back")
        self.restore(ref)

    def record(self, event: MigrationEvent) -> None:
        self._call("record")
        self.events.append(event)

    def end(self, *, finished: bool) -> None:
        self._call(f"end finished={finished}")

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if name in self.fails:
            raise self.fails.pop(name)

    def _unit(self, name: str) -> MigratableUnit:
        return MigratableUnit(
            name,
            "memory",
            False,
            lambda: copy.deepcopy(self.store[name]),
            lambda meta: self.store.__setitem__(name, copy.deepcopy(meta)),
        )

    @staticmethod
    def _applies(unit: MigratableUnit) -> bool:
        return unit.read_frontmatter().get("schema_version") == 1

    @staticmethod
    def _bump(unit: MigratableUnit) -> dict[str, Any]:
        unit.write_frontmatter({**unit.read_frontmatter(), "schema_version": 2})
        return {"changes": ["bump"]}
