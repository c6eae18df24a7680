"""What all stages of the pipeline share."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from atomic_agents._schema import SchemaSet
from atomic_agents.clock import Clock
from atomic_agents.config import Config
from atomic_agents.model import FileRecord, FileState, Place, Problem, Stamp, Unit
from atomic_agents.quarantine import Incidents
from atomic_agents.store import Store
from atomic_agents.units import Limits
from atomic_agents.units.neighbours import name_key
from atomic_agents.vault.kinds import Layout, nfc

ADOPTED_AT = "adopted_at"
"""Fact: wall time at which the vault's first sweep was complete; until then what is invalid is adopted."""

AT_ONCE = float("-inf")
"""A time that has come, for those that are asked when they have something to do."""


@dataclass
class Bench:
    """The vault, what is remembered of it, and the tools; owned by the one worker.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        config: the configuration in force.
        store: the state store.
        incidents: the quarantine folder.
        schemas: the versions that this vault knows.
        log: where outcomes go.
        clock: the time.
        trouble: paths that could not be read or written, with the reason in words, for `status`.

    """

    root: Path
    layout: Layout
    config: Config
    store: Store
    incidents: Incidents
    schemas: SchemaSet
    log: FilteringBoundLogger
    clock: Clock
    trouble: dict[str, str] = field(default_factory=dict)

    @property
    def adopted_at(self) -> float | None:
        """When the vault was adopted (wall time, seconds), or None while what is invalid is adopted."""
        moment: float | None = self.store.facts.get(ADOPTED_AT)
        return moment

    def today(self) -> dt.date:
        """Return the local date, which the rules about dates compare with."""
        return dt.datetime.fromtimestamp(self.clock.wall()).astimezone().date()

    def limits(self) -> Limits:
        """Return the limits that the configuration sets for units."""
        return Limits(
            max_note_bytes=self.config.quarantine.max_note_bytes,
            stale_days=self.config.lint.stale_days,
            disabled=frozenset(self.config.lint.disable),
        )

    def remember(
        self,
        place: Place,
        state: FileState,
        stamp: Stamp,
        sha256: str,
        *,
        unit: Unit | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        """Write down what a reading gave; the caller holds the transaction."""
        record = FileRecord(
            path=place.path,
            kind=place.kind,
            state=state,
            stamp=stamp,
            sha256=sha256,
            read_at=self.clock.wall(),
            unit=unit,
            problems=problems,
        )
        basename = nfc(place.path.rpartition("/")[2])
        key = name_key(unit.name) if unit is not None else None
        self.store.files.put(record, place, basename=basename, name_key=key)
