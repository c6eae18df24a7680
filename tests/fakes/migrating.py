"""Small vaults, scripts and schemas for the migration tests, and a vault as a value."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from atomic_agents.migration import FilesystemMigrationBackend, MigrationSnapshotRef
from atomic_agents.migration.sheet import Progress, Surroundings, no_progress, no_trial
from atomic_agents.migration.values import MigrationPlan

NOTE = """\
---
# the first rule
schema_version: 1   # v
name: "Sample rule"
description: 'it works'
type: feedback
zeta: 1
captured: 2026-05-06
last_seen: 2026-05-06
sources: [observation, "journal/2026-05-06.md"]
confidence: high
---

    code
Body {0}\x20\x20

"""
WIKI = """\
---
schema_version: 1
name: Debt methods
description: compares two methods
type: wiki_page
captured: 2026-05-06
last_seen: 2026-05-06
sources:
  - raw/debt.md
provenance: distilled
confidence: medium
---
Body {0}
"""

BUMP = """\
from atomic_agents.migration import MigratableUnit

FROM_VERSION = {0}
TO_VERSION = {1}


def applies_to(unit: MigratableUnit) -> bool:
    return unit.read_frontmatter().get("schema_version") == FROM_VERSION


def migrate(unit: MigratableUnit) -> dict:
    meta = unit.read_frontmatter()
    meta["schema_version"] = TO_VERSION
    meta["step_{1}"] = "done"
    unit.write_frontmatter(meta)
    return {{"unit_id": unit.unit_id, "changes": ["bump"]}}
"""

SEED_EXAMPLE = '''\
"""Migrate atomic memory frontmatter from schema_version 1 → 2.

What changes: - New required field: `provenance` - Renamed: `sources` → `evidence` - All existing v1 files
get `provenance: "v1_migrated"` and copy `sources` to `evidence`.
"""
from atomic_agents.migration import MigratableUnit

FROM_VERSION = 1
TO_VERSION = 2

def applies_to(unit: MigratableUnit) -> bool:
    """Should this script touch this unit?"""
    meta = unit.read_frontmatter()
    return meta.get("schema_version") == FROM_VERSION

def migrate(unit: MigratableUnit) -> dict:
    """Apply the migration to one unit. Returns a summary of changes."""
    meta = unit.read_frontmatter()
    changes = []
    # Bump version
    meta["schema_version"] = TO_VERSION
    changes.append("schema_version 1 → 2")
    # Rename sources → evidence
    if "sources" in meta:
        meta["evidence"] = meta.pop("sources")
        changes.append("renamed sources → evidence")
    # Add provenance
    if "provenance" not in meta:
        meta["provenance"] = "v1_migrated"
        changes.append("added provenance: v1_migrated")
    unit.write_frontmatter(meta)  # no-op on dry-run handles
    return {"unit_id": unit.unit_id, "changes": changes}
'''


def make_vault(root: Path, notes: int = 3) -> Path:
    """Create a small vault of two agents with units, indexes and everything that is no unit."""
    for number in range(notes):
        write(root / f"alpha/memory/feedback_rule_{number}.md", NOTE.format(number))
    write(root / "beta/wiki/debt_methods.md", WIKI.format(0))
    write(root / "alpha/memory/INDEX.md", "# Alpha — Memory Index\n\nOnly prose.\n")
    write(root / "alpha/persona/SOUL.md", "# SOUL\n")
    write(root / "alpha/raw/debt.md", "raw text\n")
    write(root / "alpha/log/2026-05/2026-05-06.jsonl", "{}\n")
    write(root / ".git/HEAD", "ref: refs/heads/main\n")
    return root


def write(path: Path, text: str | bytes, mode: int | None = None) -> Path:
    """Write a file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if mode is not None:
        path.chmod(mode)
    return path


def add_script(root: Path, text: str = "", name: str = "v1_to_v2.py") -> Path:
    """Put a migration script into a vault; the plain one bumps the version."""
    return write(root / "_migrations" / name, text or BUMP.format(1, 2))


def adopt_schema(root: Path, version: int, required: tuple[str, ...] = (), dropped: str = "") -> None:
    """Give a vault schema files of its own for a version, made from the package's first ones."""
    import atomic_agents.schemas

    folder = Path(atomic_agents.schemas.__file__).parent
    for kind in ("note", "wiki"):
        document: dict[str, Any] = json.loads((folder / f"v1.{kind}.schema.json").read_text())
        document["$id"] = f"urn:test:v{version}:{kind}"
        document["properties"]["schema_version"]["const"] = version
        document["required"] = [name for name in document["required"] if name != dropped] + list(required)
        for name in required:
            document["properties"].setdefault(name, {})
        if "provenance" in required:
            document["properties"]["provenance"] = {"type": "string"}
        if "evidence" in required:
            document["properties"]["evidence"] = document["properties"]["sources"]
        write(root / f"_migrations/schemas/v{version}.{kind}.schema.json", json.dumps(document))


def tree(root: Path) -> dict[str, tuple[str, bytes | str]]:
    """Return everything in a vault as values, but for what migrations keep for themselves."""
    own = ("_migrations/snapshots", "_migrations/displaced", "_migrations/migration.jsonl", ".migration.lock")
    found: dict[str, tuple[str, bytes | str]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            relative = str(path.relative_to(root))
            if not relative.startswith(own):
                found[relative] = _seen(path)
    return found


def _seen(path: Path) -> tuple[str, bytes | str]:
    mode = path.lstat().st_mode
    shown = f"{mode:o}"
    if stat.S_ISREG(mode):
        return shown, path.read_bytes()
    return shown, str(path.readlink()) if stat.S_ISLNK(mode) else ""


def events(root: Path) -> list[dict[str, Any]]:
    """Return the audit, each line parsed."""
    path = root / "_migrations/migration.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Told:
    """Surroundings that remember what they were told."""

    def __init__(self, *, progress: Progress = no_progress, tries_first: bool = False) -> None:
        self.snapshots: list[tuple[str, str]] = []
        self.around = Surroundings(
            announce=self._announce,
            progress=progress,
            needs_trial=self._always if tries_first else no_trial,
        )

    def _announce(self, ref: MigrationSnapshotRef, place: str) -> None:
        self.snapshots.append((ref.snapshot_id, place))

    @staticmethod
    def _always(_plan: MigrationPlan) -> bool:
        return True


def backend_of(root: Path, **told: Any) -> FilesystemMigrationBackend:
    """Return a backend that prints nothing."""
    return FilesystemMigrationBackend(root, around=Told(**told).around)
