"""Schema migrations: plan, snapshot, apply, validate, roll back, audit (seed, Schema migration)."""

from __future__ import annotations

from atomic_agents.exceptions import MigrationRollbackUnavailable, MigrationSnapshotNotFound
from atomic_agents.migration.filesystem import FilesystemMigrationBackend
from atomic_agents.migration.plan import parse_target_version
from atomic_agents.migration.protocol import MigrationBackend
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import (
    LoadedScript,
    MigrationCapabilities,
    MigrationEvent,
    MigrationPlan,
    MigrationResult,
    MigrationSnapshotRef,
)

__all__ = [
    "FilesystemMigrationBackend",
    "LoadedScript",
    "MigratableUnit",
    "MigrationBackend",
    "MigrationCapabilities",
    "MigrationEvent",
    "MigrationPlan",
    "MigrationResult",
    "MigrationRollbackUnavailable",
    "MigrationSnapshotNotFound",
    "MigrationSnapshotRef",
    "parse_target_version",
]
