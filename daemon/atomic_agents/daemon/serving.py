"""What commands and signals ask of the worker: `sync`, and reading the configuration again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from atomic_agents.config import Config
from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.requests import Request
from atomic_agents.daemon.sweeping import Sweeping
from atomic_agents.daemon.working import Working
from atomic_agents.exceptions import ConfigError
from atomic_agents.intake.settle import Settle
from atomic_agents.log import Event
from atomic_agents.model import printable

_MARGIN_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Sync:
    name: str
    wait: bool
    until: float


class Serving:
    """Answers requests when what they ask for is done.

    Args:
        desk: the worker's tools.
        sweeping: a `sync` asks for a sweep.
        working: tells when all is worked off.

    """

    def __init__(self, desk: Desk, sweeping: Sweeping, working: Working) -> None:
        self._desk = desk
        self._sweeping = sweeping
        self._working = working
        self._syncs: list[_Sync] = []
        self._own: _Sync | None = None

    def serve(self) -> None:
        """Take new requests and answer those that are done."""
        for request in self._desk.requests.take():
            self._begin(request)
        done = [one for one in self._syncs if self._is_done(one)]
        if done:
            self._desk.heartbeat.beat(force=True)
        for sync in done:
            self._syncs.remove(sync)
            self._desk.requests.answer(sync.name, self._answer())

    def sync_now(self, *, wait: bool) -> None:
        """Begin a `sync` of this process's own; see `answer_now`."""
        self._own = self._sync("", wait=wait)

    def answer_now(self) -> dict[str, Any] | None:
        """Return the answer of the own `sync` when it is done."""
        return self._answer() if self._own is not None and self._is_done(self._own) else None

    def reload(self, load: Callable[[], Config]) -> None:
        """Read the configuration again; a bad one is refused and the old one stays (contract [D-5])."""
        with self._desk.heartbeat.reloading():
            self._reload(load)

    def _reload(self, load: Callable[[], Config]) -> None:
        bench = self._desk.bench
        try:
            config = load()
            _check_root(config, bench.config)
        except ConfigError as error:
            bench.log.warning(Event.CONFIG_REFUSED, reason=str(error))
            self._desk.condition.degraded["config"] = f"configuration refused, the former one stays: {error}"
            return
        self._desk.condition.degraded.pop("config", None)
        changed = [key.name for key in dataclasses.fields(config) if _differs(config, bench.config, key.name)]
        bench.config = config
        self._desk.retune(config)
        self._desk.pending.update(dict.fromkeys(self._desk.settle.due(float("inf")).paths))
        self._desk.settle = make_settle(config)
        bench.log.info(Event.CONFIG_RELOADED, sections=changed)
        self._sweeping.want("configuration read again")

    def _begin(self, request: Request) -> None:
        if request.kind == "breaker":
            self._desk.requests.answer(request.name, self._decide(request.arguments))
            return
        if request.kind != "sync":
            self._desk.requests.answer(request.name, {"error": f"unknown request {request.kind!r}"})
            return
        if request.arguments.get("rebuild"):
            self._desk.pipeline.indexing.rebuild()
        self._syncs.append(self._sync(request.name, wait=bool(request.arguments.get("wait", True))))

    def _decide(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Do what the operator says with the files that wait (contract [Q-6])."""
        decision, patterns = arguments.get("decision"), arguments.get("patterns", [])
        if decision not in {"move", "adopt"}:
            return {"error": f"unknown decision {decision!r}"}
        blocking = self._desk.pipeline.blocking
        try:
            count = blocking.decide(decision, [str(pattern) for pattern in patterns])
        except ConfigError as error:
            return {"error": str(error)}
        return {"decided": count, "waiting": blocking.holds.count_waiting()}

    def _sync(self, name: str, *, wait: bool) -> _Sync:
        """Plan a sweep, and let what has fresh events settle at once."""
        now = self._desk.bench.clock.monotonic()
        grace = self._desk.bench.config.quarantine.grace_seconds
        self._sweeping.want("sync")
        longest = max(grace, self._desk.pipeline.absences.second_look) + _MARGIN_SECONDS
        return _Sync(name, wait, now + longest)

    def _is_done(self, sync: _Sync) -> bool:
        if self._sweeping.is_wanted() or not self._working.is_idle():
            return False
        pipeline = self._desk.pipeline
        if not sync.wait or self._desk.bench.clock.monotonic() >= sync.until:
            return True
        return (
            pipeline.blocking.next_due() is None
            and not pipeline.absences.waiting()
            and not pipeline.is_reading()
        )

    def _answer(self) -> dict[str, Any]:
        pipeline = self._desk.pipeline
        status = self._desk.heartbeat.status()
        return {
            "units": status.units,
            "adopted": status.adopted,
            "quarantined": status.quarantined,
            "held": [
                {"path": printable(hold.path), "reason": hold.reason} for hold in pipeline.blocking.holds
            ],
            "trouble": dict(status.trouble),
            "written": sorted(pipeline.indexing.take_written()),
            "breaker": status.breaker,
        }


def _check_root(new: Config, old: Config) -> None:
    if new.vault.root != old.vault.root:
        raise ConfigError("vault.root: another vault needs a restart", hint="restart the daemon")


def _differs(new: Config, old: Config, section: str) -> bool:
    return bool(getattr(new, section) != getattr(old, section))


def make_settle(config: Config) -> Settle:
    """Return an empty settle stage with the configured limits."""
    limits = config.settle
    return Settle(quiet_ms=limits.quiet_ms, max_wait_ms=limits.max_wait_ms, max_paths=limits.max_paths)
