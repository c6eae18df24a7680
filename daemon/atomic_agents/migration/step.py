"""One script on one unit, and the proof that it did what it says (seed MUST 7, Return-value contract)."""

from __future__ import annotations

import dataclasses
from typing import Any

from atomic_agents.exceptions import MigrationScriptError
from atomic_agents.migration.scripts import applies, migrate
from atomic_agents.migration.unit import MigratableUnit
from atomic_agents.migration.values import LoadedScript


def apply_script(unit: MigratableUnit, script: LoadedScript, *, dry_run: bool) -> dict[str, Any]:
    """Return what a script says it did to a unit, or would do; empty when it left the unit alone.

    Args:
        unit: the handle; one that was made for the other mode is made anew.
        script: the script.
        dry_run: whether writes do nothing.

    Raises:
        MigrationScriptError: it failed, did not raise the version, or changed the unit without saying so.

    """
    handle = unit if unit.dry_run == dry_run else dataclasses.replace(unit, dry_run=dry_run)
    if not applies(script, handle):
        return {}
    summary = migrate(script, handle)
    if dry_run:
        return summary
    found = handle.read_frontmatter().get("schema_version")
    if type(found) is not int or found != script.to_version:
        raise MigrationScriptError(
            f"script {script.name}, unit {unit.unit_id}: schema_version is {found!r} after migrate, expected "
            f"{script.to_version}",
            hint="set it and call unit.write_frontmatter(meta), or let applies_to leave the unit alone",
        )
    if not summary:
        raise MigrationScriptError(
            f"script {script.name}, unit {unit.unit_id}: migrate changed the unit but returned nothing",
            hint="return a non-empty mapping of the changes, so that the audit counts them",
        )
    return summary
