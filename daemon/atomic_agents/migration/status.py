"""Where a vault stands (contract section 8, `migrate --status`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atomic_agents._schema import SchemaSet
from atomic_agents.migration.contents import Contents
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.marker import is_alive
from atomic_agents.migration.recovery import find_unfinished
from atomic_agents.migration.scripts import find_scripts
from atomic_agents.migration.snapshot import list_snapshots


def vault_status(root: Path, contents: Contents, version: int) -> dict[str, Any]:
    """Return the facts; nothing is written and no script is executed.

    Args:
        root: the vault's real path.
        contents: its units.
        version: the least version among them.

    """
    unfinished = find_unfinished(root)
    current = SchemaSet.of_vault(root).current
    return {
        "agents_root": str(root),
        "current_schema_version": version,
        "current_helper_version": current,
        "needs_migration": version < current,
        "content_file_count": len(contents.list().units),
        "available_scripts": [
            {"from": script.from_version, "to": script.to_version, "path": str(script.path)}
            for script in find_scripts(migrations_folder(root))
        ],
        "snapshots": [{"name": path.name, "path": str(path)} for path in list_snapshots(root)],
        "running": is_alive(root),
        "unfinished": unfinished.describe() if unfinished is not None else None,
    }
