"""A worker's desk on a temporary vault, with a clock that goes when told and a log that is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atomic_agents._schema import SchemaSet
from atomic_agents.config import Config
from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.heartbeat import Condition, Heartbeat
from atomic_agents.daemon.requests import Requests
from atomic_agents.daemon.serving import make_settle
from atomic_agents.intake.health import Health
from atomic_agents.intake.poll import PollWatcher
from atomic_agents.log import make_logger
from atomic_agents.pipeline import ADOPTED_AT, Bench, Pipeline
from atomic_agents.quarantine import Incidents
from atomic_agents.store import open_store
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, read_layout
from fakes.clock import FakeClock


class KeptLog:
    """Records of the log, as they would be written."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def events(self, name: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["event"] == name]

    def write(self, text: str) -> None:
        import json

        self.records.append(json.loads(text))

    def flush(self) -> None:
        """Nothing is buffered."""


class TellingWatcher(PollWatcher):
    """Tells what the test puts into it, at once."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.told: list[Any] = []
        self.armed = 0
        self.next_health: Health | None = None

    def arm(self, layout: Layout) -> None:
        super().arm(layout)
        self.armed += 1

    def take(self, timeout: float) -> list[Any]:
        told, self.told = self.told, []
        return told

    def health(self, now: float) -> Health:
        return self.next_health or super().health(now)

    def walk(self, survey: Survey) -> Iterator[Any]:
        return super().walk(survey)


class Workshop:
    """Everything a test of the worker or of the pipeline needs."""

    def __init__(self, place: Path, config: Config | None = None) -> None:
        self.root = place / "vault"
        (self.root / "alpha/memory").mkdir(parents=True, exist_ok=True)
        self.folder = place / "state"
        self.clock = FakeClock(wall=os.stat(self.root).st_mtime)
        self.kept = KeptLog()
        self.log = make_logger(level="debug", vault="v", stream=self.kept)  # type: ignore[arg-type]
        self.store = open_store(self.folder, now=self.clock.wall())
        self.bench = Bench(
            self.root,
            read_layout(self.root),
            config or Config(),
            self.store,
            Incidents(self.root),
            SchemaSet.of_vault(self.root),
            self.log,
            self.clock,
        )
        self.pipeline = Pipeline(self.bench)
        self.watcher = TellingWatcher(self.root)
        self.condition = Condition()
        self.retuned: list[Config] = []
        self.desk = Desk(
            folder=self.folder,
            bench=self.bench,
            pipeline=self.pipeline,
            watcher=self.watcher,
            settle=make_settle(self.bench.config),
            requests=Requests(self.folder),
            condition=self.condition,
            heartbeat=Heartbeat(self.folder, self.bench, self.pipeline, self.condition),
            retune=self.retuned.append,
        )
        self.desk.requests.prepare()

    def adopted(self) -> Workshop:
        """Let the vault be one that was adopted long ago."""
        with self.store.transaction():
            self.store.facts.put(ADOPTED_AT, 1.0)
        return self

    def take(self, *paths: str) -> None:
        """Give paths to the pipeline and let it finish."""
        for path in paths:
            self.pipeline.take(path)
        for path in self.pipeline.finish(settled=True):
            self.pipeline.take(path)
        self.pipeline.finish(settled=True)

    def index(self, layer: str = "alpha/memory") -> str:
        return (self.root / layer / "INDEX.md").read_text("utf-8")

    def close(self) -> None:
        self.store.close()
