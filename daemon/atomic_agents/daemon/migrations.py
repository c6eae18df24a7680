"""What migrations leave to the daemon: dead runs to undo, schemas to follow ([M-3], [M-4], [D-8])."""

from __future__ import annotations

from pathlib import Path

from structlog.typing import FilteringBoundLogger

from atomic_agents._schema import SchemaSet
from atomic_agents.daemon.heartbeat import Condition
from atomic_agents.exceptions import AtomicAgentsError, ConfigError, MigrationBusyError
from atomic_agents.log import Event
from atomic_agents.migration.recovery import find_unfinished, recover
from atomic_agents.migration.trust import unknown_scripts
from atomic_agents.pipeline import Bench
from atomic_agents.vault.lock import VaultLock

_SCHEMAS = "_migrations/schemas"


class Migrations:
    """Looks after what migrations leave behind.

    Args:
        bench: the vault and the tools.
        condition: where faults show.
        lock: the worker's lock of the vault.

    """

    def __init__(self, bench: Bench, condition: Condition, lock: VaultLock) -> None:
        self._bench = bench
        self._condition = condition
        self._lock = lock
        self._seen: tuple[object, ...] = ()
        self._unknown: frozenset[str] = frozenset()

    def recover(self) -> None:
        """Roll back a run that died, if there is one and the operator did not switch that off."""
        bench = self._bench
        try:
            unfinished = find_unfinished(bench.root)
            if unfinished is None:
                self._condition.degraded.pop("migration", None)
            elif not bench.config.migration.auto_recover:
                self._complain(f"{unfinished.describe()}; `atomicd migrate --recover` undoes it")
            else:
                self._roll_back()
        except MigrationBusyError:
            return
        except AtomicAgentsError as error:
            self._complain(str(error))

    def follow(self) -> None:
        """Read the vault's schemas again where they changed, and name scripts that nobody ran."""
        signature = _signature(self._bench.root)
        if signature != self._seen:
            self._seen = signature
            self._bench.schemas = load_schemas(self._bench.root, self._bench.log, self._condition)
        self._tell_unknown()

    def _roll_back(self) -> None:
        bench = self._bench
        recovery = recover(bench.root, ignore=bench.config.vault.ignore, lock=self._lock, clock=bench.clock)
        if recovery is not None:
            event = Event.MIGRATION_ROLLED_BACK if recovery.rolled_back else Event.MIGRATION_FINISHED
            bench.log.warning(event, reason=recovery.unfinished.describe())
        self._condition.degraded.pop("migration", None)

    def _complain(self, reason: str) -> None:
        if self._condition.degraded.get("migration") != reason:
            self._bench.log.error(Event.MIGRATION_REFUSED, reason=reason)
        self._condition.degraded["migration"] = reason

    def _tell_unknown(self) -> None:
        try:
            names = frozenset(script.path.name for script in unknown_scripts(self._bench.root))
        except (AtomicAgentsError, OSError) as error:
            self._complain(str(error))
            return
        for name in sorted(names - self._unknown):
            reason = "the operator has not run this script here; it is not run by itself"
            self._bench.log.warning(Event.MIGRATION_UNKNOWN, path=f"_migrations/{name}", reason=reason)
        self._unknown = names


def load_schemas(root: Path, log: FilteringBoundLogger, condition: Condition) -> SchemaSet:
    """Return the versions that the vault knows; with broken schema files, those of the package alone.

    Args:
        root: the vault's real path.
        log: told of broken files.
        condition: where they show.

    """
    try:
        schemas = SchemaSet.of_vault(root)
    except ConfigError as error:
        log.error(Event.MIGRATION_REFUSED, reason=str(error))  # noqa: TRY400 (the file is at fault, not the code)
        condition.degraded["schemas"] = str(error)
        return SchemaSet.packaged()
    condition.degraded.pop("schemas", None)
    return schemas


def _signature(root: Path) -> tuple[object, ...]:
    """Return what changes when a schema file of the vault does."""
    try:
        files = sorted((root / _SCHEMAS).glob("*.json"))
        return tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    except OSError as error:
        return (repr(error),)
