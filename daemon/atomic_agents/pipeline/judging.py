"""Judging one unit with what the store knows of its neighbours (contract [RULE-E], [RULE-W])."""

from __future__ import annotations

from atomic_agents._io import Reading
from atomic_agents.model import FileRecord, Place, Verdict
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.looking import Huge
from atomic_agents.pipeline.neighbours import StoredNeighbours
from atomic_agents.units import judge, too_large


class Judging:
    """Turns bytes into verdicts.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._neighbours = StoredNeighbours(bench)

    def judge(self, place: Place, seen: Reading | Huge, known: FileRecord | None) -> Verdict:
        """Return the verdict on what was read.

        Args:
            place: the unit's.
            seen: its bytes, or only its hash where it is too large.
            known: what the store remembers of it.

        """
        if isinstance(seen, Huge):
            return too_large(place, seen.status.st_size, seen.sha256, self._bench.limits())
        former = known.unit.body_bytes if known is not None and known.unit is not None else None
        return self._judge(place, seen.data, former)

    def is_valid(self, place: Place, data: bytes) -> bool:
        """Whether these bytes would be valid at this place today."""
        return self._judge(place, data, None).is_valid

    def _judge(self, place: Place, data: bytes, former_body_bytes: int | None) -> Verdict:
        return judge(
            place,
            data,
            schemas=self._bench.schemas,
            today=self._bench.today(),
            limits=self._bench.limits(),
            neighbours=self._neighbours,
            former_body_bytes=former_body_bytes,
        )
