"""Bringing one file with an old version up to date, by scripts that the operator trusts (contract [D-8]).

Seed, Helper behavior with old schema_version files: a write to such a file migrates just that file.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atomic_agents._io import replace_file
from atomic_agents._schema import SchemaSet, validate_frontmatter
from atomic_agents.exceptions import MigrationError, SchemaValidationError
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.plan import find_chain
from atomic_agents.migration.readings import parse, read_bytes, version_of
from atomic_agents.migration.scripts import ScriptFile, find_scripts, load_script, read_script
from atomic_agents.migration.step import apply_script
from atomic_agents.migration.unit import MigratableUnit, UnitType
from atomic_agents.model import Kind
from atomic_agents.units.splicing import write_meta


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What became of a file with an old version.

    Args:
        data: its new bytes; None when it was left alone.
        from_version: its version before.
        to_version: the vault's current version.
        reason: why it was left alone; empty when it was not.

    """

    data: bytes | None
    from_version: int
    to_version: int
    reason: str = ""


def upgrade_bytes(
    root: Path, name: str, unit_type: UnitType, data: bytes, trusted: Collection[str]
) -> Upgrade:
    """Return a unit's bytes at the vault's current version; writes nothing.

    Args:
        root: the vault's real path.
        name: what the scripts see as `unit_id`.
        unit_type: its layer.
        data: its bytes.
        trusted: SHA-256 (hex) of the scripts that may run.

    Raises:
        UnreadableUnitError: the bytes cannot be read.

    """
    current = SchemaSet.of_vault(root).current
    version = version_of(parse(data))
    if version is None or version >= current:
        return Upgrade(None, version or 0, current, "its version is not an old one")
    try:
        chain = find_chain(version, current, find_scripts(migrations_folder(root)))
        unknown = [script.path.name for script in chain if read_script(script)[1] not in trusted]
        if unknown:
            reason = f"the operator has not run {', '.join(unknown)} on this vault"
            return Upgrade(None, version, current, reason)
        changed = _run(chain, trusted, name, unit_type, data)
        kind = Kind.NOTE if unit_type == "memory" else Kind.WIKI
        validate_frontmatter(parse(changed), kind, SchemaSet.of_vault(root), version=current)
    except (MigrationError, SchemaValidationError) as error:
        return Upgrade(None, version, current, str(error))
    return Upgrade(changed, version, current)


def upgrade_file(root: Path, path: Path, unit_type: UnitType, trusted: Collection[str]) -> Upgrade:
    """Bring a unit's file up to date in place, atomically; the vault's lock is held by the caller.

    Args:
        root: the vault's real path.
        path: the file's real path.
        unit_type: its layer.
        trusted: SHA-256 (hex) of the scripts that may run.

    Raises:
        UnreadableUnitError: it cannot be read.
        FileChangedError: it was written to meanwhile; it keeps what was written.
        OSError: the system refuses; it is as it was.

    """
    data, status = read_bytes(str(path))
    upgrade = upgrade_bytes(root, str(path), unit_type, data, trusted)
    if upgrade.data is not None:
        replace_file(path, upgrade.data, expected=status)
    return upgrade


def _run(
    chain: list[ScriptFile], trusted: Collection[str], name: str, unit_type: UnitType, data: bytes
) -> bytes:
    sheet = _Sheet(data)
    unit = MigratableUnit(name, unit_type, False, sheet.read, sheet.write)  # noqa: FBT003
    for script in chain:
        loaded = load_script(script, only=trusted)
        if not apply_script(unit, loaded, dry_run=False):
            raise MigrationError(f"script {loaded.name} leaves the unit alone")
    return sheet.data


class _Sheet:
    """A unit's bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self) -> dict[str, Any]:
        return copy.deepcopy(parse(self.data))

    def write(self, meta: dict[str, Any]) -> None:
        self.data = write_meta(self.data, meta)
