"""The pipeline in this process, on a real folder, with a clock moved by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from atomic_agents._schema import SchemaSet
from atomic_agents.config import Config
from atomic_agents.model import FileRecord, FileState
from atomic_agents.pipeline import ADOPTED_AT, Bench, Pipeline
from atomic_agents.quarantine import Incidents
from atomic_agents.store import open_store
from atomic_agents.vault.walk import Survey, read_layout, walk
from fakes.clock import FakeClock
from fakes.notes import put


class Log:
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def __getattr__(self, level: str) -> Any:
        return lambda event, **facts: self.lines.append({"level": level, "event": str(event), **facts})

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]


class Stage:
    """A vault that was adopted already, and its pipeline.

    Args:
        root: the vault; made if missing.
        state: the state folder.
        settings: `{section: {key: value}}` of the configuration.

    """

    def __init__(self, root: Path, state: Path, **settings: dict[str, Any]) -> None:
        (root / "alpha" / "memory").mkdir(parents=True, exist_ok=True)
        self.root, self.state = root, state
        self.clock = FakeClock()
        self.log = Log()
        self.config = Config()
        for section, values in settings.items():
            changed = dataclasses.replace(getattr(self.config, section), **values)
            self.config = dataclasses.replace(self.config, **{section: changed})
        self.open()
        with self.bench.store.transaction():
            self.bench.store.facts.put(ADOPTED_AT, 1.0)

    def open(self) -> None:
        """Start, as after a kill if it ran before."""
        store = open_store(self.state, now=self.clock.wall())
        self.bench = Bench(
            self.root,
            read_layout(self.root),
            self.config,
            store,
            Incidents(self.root),
            SchemaSet.of_vault(self.root),
            self.log,  # type: ignore[arg-type]
            self.clock,
        )
        self.pipeline = Pipeline(self.bench)

    def restart(self) -> None:
        """End and start again."""
        self.close()
        self.open()
        self.settle(*self.pipeline.resume())

    def close(self) -> None:
        self.pipeline.close()
        self.bench.store.close()

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file and let the pipeline take it."""
        put(self.root, path, text)
        self.settle(path)

    def settle(self, *paths: str) -> None:
        """Take paths, and what comes of them, until nothing does."""
        pending = list(paths)
        for _ in range(1000):
            for path in pending:
                self.pipeline.take(path)
            pending = self.pipeline.finish(settled=True)
            if not pending:
                return
        raise AssertionError(f"never at rest: {pending}")

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.settle()

    def sweep(self) -> None:
        """Take every file of the vault and every one that is known."""
        self.bench.layout = read_layout(self.root)
        found = [one.place.path for one in walk(self.root, self.bench.layout, Survey())]
        self.settle(*dict.fromkeys([*found, *self.bench.store.files.stamps()]))
        self.pipeline.after_sweep()
        self.settle()

    def state_of(self, path: str) -> FileState | None:
        record: FileRecord | None = self.bench.store.files.get(path)
        return record.state if record is not None else None

    def read(self, path: str) -> str:
        return (self.root / path).read_text()
