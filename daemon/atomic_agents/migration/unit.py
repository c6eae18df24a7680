"""The handle that a migration script gets for one unit (seed, MigratableUnit handle)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from atomic_agents.exceptions import MigrationError, MigrationScriptError

UnitType = Literal["memory", "wiki"]


class UnreadableUnitError(MigrationError):
    """A unit's frontmatter cannot be read; the message says why, and where."""


class UnwritableUnitError(MigrationError):
    """The system refuses to write a unit; it is as it was."""


@dataclass(frozen=True, slots=True)
class MigratableUnit:
    """One note or wiki page, whatever holds it.

    Args:
        unit_id: a stable name; on the filesystem the absolute path. For messages, not for parsing.
        unit_type: `memory` or `wiki`.
        dry_run: whether writes do nothing.
        _read_fn: gives the frontmatter as a new mapping each time.
        _write_fn: writes it; never called in a dry run.

    """

    unit_id: str
    unit_type: UnitType
    dry_run: bool
    _read_fn: Callable[[], dict[str, Any]] = field(repr=False, compare=False)
    _write_fn: Callable[[dict[str, Any]], None] = field(repr=False, compare=False)

    def read_frontmatter(self) -> dict[str, Any]:
        """Return the current frontmatter, a copy: changing it changes nothing."""
        return self._read_fn()

    def write_frontmatter(self, meta: dict[str, Any]) -> None:
        """Write the frontmatter atomically; in a dry run, do nothing (seed MUST 3).

        Args:
            meta: all of it; keys that are not in it are removed from the unit.

        Raises:
            MigrationScriptError: it is no mapping with string keys.

        """
        given: object = meta
        if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
            raise MigrationScriptError(
                f"unit {self.unit_id}: write_frontmatter got {type(given).__name__}, expected a mapping with "
                "string keys",
                hint="pass what read_frontmatter() returned, changed",
            )
        if not self.dry_run:
            self._write_fn(meta)
