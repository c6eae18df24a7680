"""The values that travel through a migration (seed, MigrationBackend Protocol; contract section 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

UNKNOWN_VERSION: Final = -1
"""`from_version` of the audit line of a run that was refused before its plan was built (seed MUST 8)."""


@dataclass(frozen=True, slots=True)
class MigrationCapabilities:
    """What a backend can do.

    Args:
        supports_transactional_rollback: whether `restore` brings the vault back as a whole (seed MUST 5).
        single_host_only: whether that holds on one host only; advice, nothing is refused for it.

    """

    supports_transactional_rollback: bool
    single_host_only: bool = True


@dataclass(frozen=True, slots=True)
class MigrationSnapshotRef:
    """A snapshot's name.

    Args:
        backend_id: who made it.
        snapshot_id: its name there; on the filesystem the archive's file name.

    """

    backend_id: str
    snapshot_id: str


@dataclass(frozen=True, slots=True)
class LoadedScript:
    """A migration script that was loaded.

    Args:
        path: the file.
        from_version: its `FROM_VERSION`.
        to_version: its `TO_VERSION`.
        module: what it defines; holds `applies_to` and `migrate`.
        sha256: the hash (hex) of exactly the bytes that were executed.

    """

    path: Path
    from_version: int
    to_version: int
    module: ModuleType | Any
    sha256: str = ""

    @property
    def name(self) -> str:
        """The file's name, for messages and summaries."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """Which scripts lead from the vault's version to the target, in order."""

    from_version: int
    to_version: int
    scripts: tuple[LoadedScript, ...] = ()


@dataclass(slots=True)
class MigrationResult:
    """What a run did.

    Args:
        plan: what was to be done.
        snapshot_ref: the snapshot of a real run.
        units_touched: one summary for each change: what the script returned, with `script` and `unit_id`.
        units_skipped: how often a script left a unit alone.
        validation_passed: whether every unit passed; for a dry run, whether no script failed.
        validation_errors: one `{"unit_id", "error"}` for each unit that did not.
        rolled_back: whether the vault was put back.
        dry_run: whether nothing was to be written.
        error: what went wrong; empty when nothing did.
        run_id: the id of the run's audit line.

    """

    plan: MigrationPlan
    snapshot_ref: MigrationSnapshotRef | None = None
    units_touched: list[dict[str, Any]] = field(default_factory=list)
    units_skipped: int = 0
    validation_passed: bool = False
    validation_errors: list[dict[str, str]] = field(default_factory=list)
    rolled_back: bool = False
    dry_run: bool = False
    error: str = ""
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class MigrationEvent:
    """One audit line (seed MUST 8; the field names are fixed by the contract).

    Args:
        run_id: unique for each run.
        timestamp: ISO 8601 with zone.
        agents_root: the vault's path, or what else names the store.
        from_version: the version before; -1 where it was not known yet.
        to_version: the version asked for; for a manual rollback the one afterwards.
        units_touched: how many changes were made, or would have been.
        dry_run: whether nothing was to be written.
        rolled_back: whether the vault was put back.
        error: what went wrong; empty when nothing did.

    """

    run_id: str
    timestamp: str
    agents_root: str
    from_version: int
    to_version: int
    units_touched: int
    dry_run: bool
    rolled_back: bool
    error: str
