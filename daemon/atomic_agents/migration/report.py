"""What the command prints: words for people, or one JSON object a line (contract [M-6])."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration.recovery import Recovery
from atomic_agents.migration.rehearsal import Rehearsal
from atomic_agents.migration.sheet import announce_on_stdout
from atomic_agents.migration.values import MigrationResult, MigrationSnapshotRef
from atomic_agents.model import printable

_MOST_FAULTS: Final = 20


class Report:
    """Prints results on stdout and faults on stderr.

    Args:
        as_json: whether stdout is for programs.

    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def snapshot_taken(self, ref: MigrationSnapshotRef, place: str) -> None:
        """Tell of the snapshot, before anything is written (seed MUST 4)."""
        if self._as_json:
            command = f"python -m atomic_agents.migrate --rollback {ref.snapshot_id}"
            self._object({"snapshot": {"name": ref.snapshot_id, "path": place, "rollback": command}})
        else:
            announce_on_stdout(ref, place)

    def result(self, result: MigrationResult) -> None:
        """Tell what a run did."""
        plan = result.plan
        if self._as_json:
            self._object(_result_as_json(result))
            return
        did = "would be" if result.dry_run else "were"
        way = f"v{plan.from_version} → v{plan.to_version}"
        self._say(f"{way}: {len(result.units_touched)} changes {did} made, {result.units_skipped} skipped")
        self._faults(result.validation_errors)
        if result.error:
            state = "everything is as it was" if result.rolled_back or result.dry_run else "SEE --status"
            self._say(f"FAILED: {printable(result.error)}\n{state}")
        elif not result.dry_run:
            self._say("every unit is valid")

    def rehearsal(self, rehearsal: Rehearsal) -> None:
        """Tell what a run would change, unit by unit."""
        if self._as_json:
            for text in rehearsal.diffs():
                self._object({"diff": text})
            self._object(
                {
                    "changes": rehearsal.touched,
                    "validation_errors": rehearsal.faults,
                    "error": rehearsal.error,
                    "would_succeed": rehearsal.is_good,
                }
            )
            return
        for text in rehearsal.diffs():
            for line in text.splitlines():
                self._say(printable(line))
        self._faults(rehearsal.faults)
        if rehearsal.error:
            self._say(f"FAILED: {printable(rehearsal.error)}")
        verdict = "would succeed" if rehearsal.is_good else "would be rolled back"
        self._say(f"{rehearsal.touched} changes; a real run {verdict}; nothing was written")

    def decisions(self, found: dict[str, Any]) -> None:
        """Tell what becomes of each file of another tool."""
        if self._as_json:
            self._object(found)
            return
        for item in found["adopted"]:
            self._say(f"adopt {printable(item['path'])}")
            for one in item["filled"]:
                self._say(
                    f"    {one['field']}: {printable(str(one['value']))}   ({printable(one['source'])})"
                )
            if item["rename"]:
                self._say(f"    renamed to {printable(item['rename'])}")
            elif item["suggested_name"]:
                self._say(f"    its name does not match; --rename makes it {item['suggested_name']}")
        for item in found["undecided"]:
            self._say(f"leave {printable(item['path'])}: {printable(item['reason'])}")

    def status(self, status: dict[str, Any]) -> None:
        """Tell where the vault stands."""
        if self._as_json:
            self._object(status)
            return
        self._say(f"vault: {status['agents_root']}")
        self._say(f"version: v{status['current_schema_version']}, newest known: "
                  f"v{status['current_helper_version']}")  # fmt: skip
        self._say(f"units: {status['content_file_count']}")
        for script in status["available_scripts"]:
            self._say(f"script: v{script['from']} → v{script['to']}  {script['path']}")
        for name in status["scripts_not_run_here"]:
            self._say(f"never run here, so the daemon does not run it: {printable(name)}")
        self.snapshots([Path(snapshot["path"]) for snapshot in status["snapshots"]])
        if status["running"]:
            self._say("a migration is running now")
        if status["unfinished"]:
            self._say(f"unfinished: {status['unfinished']}; run --recover")
        elif status["needs_migration"]:
            self._say(f"run --to v{status['current_helper_version']} --dry-run next")

    def snapshots(self, paths: Iterable[Path]) -> None:
        """Name the snapshots."""
        if self._as_json:
            self._object({"snapshots": [{"name": path.name, "path": str(path)} for path in paths]})
            return
        for path in paths:
            self._say(f"snapshot: {path.name}")

    def rolled_back(self, name: str) -> None:
        """Tell that a snapshot was restored."""
        if self._as_json:
            self._object({"rolled_back": True, "snapshot": name})
        else:
            self._say(f"Rolled back to {name}. Newer content, if any, lies below _migrations/displaced/.")

    def recovery(self, recovery: Recovery | None, *, asked: bool) -> None:
        """Tell what was left half done and what was done about it."""
        if recovery is None and not asked:
            return
        what = recovery.unfinished.describe() if recovery is not None else None
        rolled_back = recovery is not None and recovery.rolled_back
        if self._as_json:
            self._object({"recovered": what, "rolled_back": rolled_back})
        elif what is None:
            self._say("nothing is unfinished")
        else:
            self._say(f"{what}; {'the vault was brought back' if rolled_back else 'it had ended well'}")

    def failure(self, error: AtomicAgentsError) -> None:
        """Tell why nothing was done."""
        if self._as_json:
            self._object({"error": str(error), "hint": error.hint})
            return
        notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
        hint = f"\nhint: {error.hint}" if error.hint else ""
        text = "\n".join(printable(line) for line in f"{error}{notes}{hint}".splitlines())
        sys.stderr.write(f"migrate: {text}\n")

    def _faults(self, faults: list[dict[str, str]]) -> None:
        for fault in faults[:_MOST_FAULTS]:
            self._say(f"  {printable(fault['unit_id'])}: {printable(fault['error'])}")
        if len(faults) > _MOST_FAULTS:
            self._say(f"  and {len(faults) - _MOST_FAULTS} more (--json lists all)")

    def _object(self, fields: dict[str, Any]) -> None:
        self._say(json.dumps(fields, default=str))

    def _say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def _result_as_json(result: MigrationResult) -> dict[str, Any]:
    return {
        "run_id": result.run_id,
        "from_version": result.plan.from_version,
        "to_version": result.plan.to_version,
        "dry_run": result.dry_run,
        "units_touched": len(result.units_touched),
        "units_skipped": result.units_skipped,
        "snapshot": result.snapshot_ref.snapshot_id if result.snapshot_ref else None,
        "validation_passed": result.validation_passed,
        "validation_errors": result.validation_errors,
        "rolled_back": result.rolled_back,
        "error": result.error,
    }
