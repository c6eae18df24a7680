"""What is known of one path, as values (contract section 8, `explain`)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

from atomic_agents.index.locating import Standing
from atomic_agents.model import FileRecord, Place, Problem, iso, printable
from atomic_agents.quarantine import Incident
from atomic_agents.store.versions import Version

HOLDS: Final = "holds"
BROKEN: Final = "broken"
NOT_JUDGED: Final = "not judged"
SILENCED: Final = "silenced"


@dataclass(frozen=True)
class Rule:
    """One rule and what became of it: `holds`, `broken`, `not judged` or `silenced`."""

    code: str
    verdict: str
    problems: tuple[Problem, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return its shape for programs."""
        told = [problem.as_json() | {"path": printable(problem.path)} for problem in self.problems]
        return {"code": self.code, "verdict": self.verdict, "problems": told}


@dataclass(frozen=True)
class Explanation:
    """What a path is to atomicd, and why.

    Args:
        place: where it lies.
        what: `file`, `folder`, `missing`, or what else is there.
        status: how it looks from outside; None where nothing is there.
        ignored: why it is never judged.
        rules: the rules applied to it.
        record: what the daemon remembers of it.
        pending: what is still to be done, in words.
        standing: its entry.
        versions: the kept ones, oldest first.
        incidents: those of this path, oldest first.
        events: the last log records of this path, oldest first.
        daemon: how the daemon is.

    """

    place: Place
    what: str
    status: os.stat_result | None = None
    ignored: str | None = None
    rules: tuple[Rule, ...] = ()
    record: FileRecord | None = None
    pending: tuple[str, ...] = ()
    standing: Standing | None = None
    versions: tuple[Version, ...] = ()
    incidents: tuple[Incident, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    daemon: str = ""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with it."""
        return tuple(problem for rule in self.rules for problem in rule.problems)

    def as_json(self) -> dict[str, Any]:
        """Return its shape for programs."""
        place, status, record = self.place, self.status, self.record
        return {
            "path": printable(place.path),
            "what": self.what,
            "kind": place.kind.value,
            "agent": place.agent,
            "layer": place.layer,
            "ignored": self.ignored,
            "size": status.st_size if status is not None else None,
            "modified": iso(status.st_mtime) if status is not None else None,
            "rules": [rule.as_json() for rule in self.rules],
            "state": record.state.value if record is not None else None,
            "read": iso(record.read_at) if record is not None else None,
            "pending": list(self.pending),
            "index": _standing_as_json(self.standing),
            "versions": [_version_as_json(version) for version in self.versions],
            "incidents": [_incident_as_json(incident) for incident in self.incidents],
            "events": list(self.events),
            "daemon": self.daemon,
        }


def _standing_as_json(standing: Standing | None) -> dict[str, Any] | None:
    if standing is None:
        return None
    return {
        "index": standing.index,
        "line": standing.line,
        "text": standing.text,
        "author": standing.author,
        "generated": standing.generated,
    }


def _version_as_json(version: Version) -> dict[str, Any]:
    return {
        "version": version.version,
        "sha256": version.sha256,
        "size": version.size,
        "recorded": iso(version.recorded),
    }


def _incident_as_json(incident: Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "state": incident.state,
        "last_seen": incident.last_seen,
        "codes": sorted({problem.code for problem in incident.problems}),
    }
