"""Keeping each agent's `QUARANTINED.md` true (contract [Q-3])."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
from typing import Final

from atomic_agents.exceptions import FileChangedError
from atomic_agents.log import Event
from atomic_agents.model import Kind
from atomic_agents.pipeline.bench import Bench
from atomic_agents.quarantine import Settled, notice_path, settle_notice
from atomic_agents.vault.kinds import Layout

TOLD: Final = "told_agents"
"""Fact: the agents that have a page."""

_INDEX_SECONDS: Final = 3600.0
"""So long the agent is told of an INDEX that was rebuilt."""


class Notices:
    """Knows whose page may be behind, and writes it.

    Args:
        bench: the vault and the tools.

    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._behind: set[str] = set()
        self._refused: dict[str, str] = {}

    def mark(self, agent: str) -> None:
        """Plan to look at an agent's page.

        Args:
            agent: its folder, relative to the vault.

        """
        self._behind.add(agent)

    def mark_all(self) -> None:
        """Plan to look at the page of every agent: after a start, and after a sweep."""
        self._behind |= {incident.agent for incident in self._bench.incidents.all()}
        self._behind |= set(self._bench.store.facts.get(TOLD, []))
        places = (Layout().place(f"{layer}/x.md") for layer in self._bench.store.files.layers())
        self._behind |= {place.agent for place in places if place.agent is not None}

    def is_clean(self) -> bool:
        """Whether no page is behind."""
        return not self._behind

    def settle(self) -> None:
        """Write the pages that are behind, and take away those that nothing is to be said on."""
        if not self._behind:
            return
        behind, self._behind = self._behind, set()
        self._solve_indexes()
        incidents = self._bench.incidents.open_by_agent()
        for agent in sorted(behind):
            try:
                settled = settle_notice(self._bench.root, agent, incidents.get(agent, ()), self._keep)
            except (OSError, FileChangedError) as error:
                self._refuse(agent, str(error))
            else:
                self._tell(agent, settled, len(incidents.get(agent, ())))

    def _solve_indexes(self) -> None:
        """Close the incidents of INDEX files that were rebuilt and have stayed whole for a while."""
        bench, wall = self._bench, self._bench.clock.wall()
        for incident in bench.incidents.all():
            if not incident.is_open or bench.layout.place(incident.path).kind is not Kind.INDEX:
                continue
            record = bench.store.files.get(incident.path)
            age = wall - dt.datetime.fromisoformat(incident.last_seen).timestamp()
            if record is not None and record.sha256 != incident.sha256 and age > _INDEX_SECONDS:
                bench.incidents.write(dataclasses.replace(incident, state="solved"))
                bench.log.info(Event.UNIT_SOLVED, path=incident.path, incident=incident.id)

    def _keep(self, path: str, data: bytes) -> None:
        """Keep a page that somebody edited as a former version."""
        with self._bench.store.transaction():
            sha256 = hashlib.sha256(data).hexdigest()
            self._bench.store.versions.record(path, data, sha256, self._bench.clock.wall(), checked=False)

    def _tell(self, agent: str, settled: Settled, count: int) -> None:
        path = notice_path(agent)
        if settled is Settled.FOREIGN:
            self._refuse(agent, "a file of this name that is not generated is there; it is left alone")
            return
        self._refused.pop(agent, None)
        self._remember(agent, is_told=count > 0)
        if settled is Settled.WRITTEN:
            self._bench.log.info(Event.NOTICE_WRITTEN, agent=agent, path=path, open=count)
        elif settled is Settled.REMOVED:
            self._bench.log.info(Event.NOTICE_REMOVED, agent=agent, path=path)

    def _remember(self, agent: str, *, is_told: bool) -> None:
        """Know over a restart who has a page, whatever becomes of the incidents and the agent's files."""
        told = set(self._bench.store.facts.get(TOLD, []))
        changed = told | {agent} if is_told else told - {agent}
        if changed != told:
            with self._bench.store.transaction():
                self._bench.store.facts.put(TOLD, sorted(changed))

    def _refuse(self, agent: str, reason: str) -> None:
        """Leave a page for the next sweep, and tell once why."""
        if self._refused.get(agent) != reason:
            self._refused[agent] = reason
            self._bench.log.warning(Event.NOTICE_FAILED, agent=agent, path=notice_path(agent), reason=reason)
