"""The vault's `_migrations` folder, which must be a real one (contract section 12)."""

from __future__ import annotations

import os
from pathlib import Path

from atomic_agents.exceptions import MigrationError
from atomic_agents.migration.scope import ADOPTED_SCHEMAS, DISPLACED, RESTORING, SNAPSHOTS
from atomic_agents.vault.kinds import MIGRATIONS


def migrations_folder(root: Path) -> Path:
    """Return the folder after a look that no link leads away from it; it may be missing.

    Args:
        root: the vault's real path.

    Raises:
        MigrationError: it, or a folder in it that migrations write to, is a link or no folder.

    """
    folder = root / MIGRATIONS
    for path in (folder, *(folder / name for name in (SNAPSHOTS, DISPLACED, RESTORING, ADOPTED_SCHEMAS))):
        if path.is_symlink() or (os.path.lexists(path) and not path.is_dir()):
            raise MigrationError(
                f"{path}: found a link or a file, expected a folder",
                hint="make it a real folder in the vault; nothing is read or written behind a link there",
            )
    return folder
