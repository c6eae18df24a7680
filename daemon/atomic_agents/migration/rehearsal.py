"""A run on a copy in memory: what would change, unit by unit, and would it be valid (contract [M-5])."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration import checks
from atomic_agents.migration.contents import Contents
from atomic_agents.migration.listing import shown
from atomic_agents.migration.overlay import OverlayWriter
from atomic_agents.migration.readings import read_bytes
from atomic_agents.migration.sheet import Progress, describe
from atomic_agents.migration.step import apply_script
from atomic_agents.migration.values import MigrationPlan
from atomic_agents.vault.kinds import Layout


@dataclass(slots=True)
class Rehearsal:
    """What a run would do.

    Args:
        plan: what was rehearsed.
        root: the vault's real path.
        writer: holds what would be written.
        touched: how many changes scripts made.
        faults: one `{"unit_id", "error"}` for each unit that would not be valid.
        error: what a script did wrong; empty when nothing.

    """

    plan: MigrationPlan
    root: Path
    writer: OverlayWriter
    touched: int = 0
    faults: list[dict[str, str]] = field(default_factory=list)
    error: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the run would succeed."""
        return not self.error and not self.faults

    @property
    def verdict(self) -> str:
        """What would go wrong; empty when nothing."""
        if self.faults and not self.error:
            first = self.faults[0]
            return f"{len(self.faults)} units would not be valid; {first['unit_id']}: {first['error']}"
        return self.error

    def diffs(self) -> Iterator[str]:
        """Yield a unified diff for each unit that would change."""
        for path, data in self.writer.drafts():
            name = shown(self.root, path)
            before, after = _lines(read_bytes(path)[0]), _lines(data)
            yield "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def rehearse(root: Path, layout: Layout, plan: MigrationPlan, progress: Progress) -> Rehearsal:
    """Run a plan's scripts on a copy in memory.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        plan: the scripts.
        progress: told of each phase.

    Raises:
        UnitsUnreadableError: some units cannot be read.

    """
    writer = OverlayWriter()
    contents = Contents(root, layout, writer=writer)
    found = Rehearsal(plan, root, writer)
    units = checks.readable_units(contents, progress)
    try:
        for script in plan.scripts:
            for unit in map(contents.handle, units):
                found.touched += bool(apply_script(unit, script, dry_run=False))
    except AtomicAgentsError as error:
        found.error = describe(error)
        return found
    found.faults = checks.faults(contents, units, SchemaSet.of_vault(root), plan.to_version)
    return found


def _lines(data: bytes) -> list[str]:
    """Return lines that a diff shows; each ends in one newline."""
    lines = data.decode("utf-8", "replace").split("\n")
    return [f"{line}\n" for line in (lines if lines[-1] else lines[:-1])]
