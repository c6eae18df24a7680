"""Notes that a writer made with an old version: brought up to date, that file only (contract [D-8])."""

from __future__ import annotations

import os
from pathlib import Path

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.log import Event
from atomic_agents.migration.straggler import upgrade_file
from atomic_agents.migration.trust import recall
from atomic_agents.model import Verdict
from atomic_agents.pipeline.bench import Bench


class Upgrading:
    """Runs the scripts that the operator has run on this vault, and no others.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._left: set[tuple[str, str]] = set()

    def upgrade(self, verdict: Verdict) -> bool:
        """Bring a valid unit with an old version up to date; return whether its file was written.

        A unit that is left as it is keeps its `old-schema` warning, and is not tried again until its bytes
        or the trusted scripts change.

        Args:
            verdict: on the unit's bytes.

        """
        unit, place = verdict.unit, verdict.place
        if unit is None or unit.schema_version >= self._bench.schemas.current:
            return False
        trusted = recall(self._bench.root).trusted
        key = (place.path, f"{verdict.sha256}{hash(trusted)}")
        if not trusted or key in self._left:
            return False
        self._left.add(key)
        path = Path(os.path.realpath(self._bench.root / place.path))
        assert place.layer is not None
        try:
            upgrade = upgrade_file(self._bench.root, path, place.layer, trusted)
        except AtomicAgentsError as error:
            self._bench.log.warning(Event.MIGRATION_REFUSED, path=place.path, reason=str(error))
            return False
        if upgrade.data is None:
            self._bench.log.info(Event.MIGRATION_REFUSED, path=place.path, reason=upgrade.reason)
            return False
        versions = {"from_version": upgrade.from_version, "to_version": upgrade.to_version}
        self._bench.log.info(Event.UNIT_MIGRATED, path=place.path, **versions)
        return True
