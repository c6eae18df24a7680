"""One invalid write, as `report.json` tells it (contract [Q-1]; section 8, *Shapes*)."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from atomic_agents.model import Problem, Verdict, iso
from atomic_agents.vault.kinds import LAYERS

FORMAT: Final = 1
"""The version of the shape of `report.json`."""

_HEX: Final = "hex:"
_STATES: Final = frozenset({"open", "solved"})
_STEPS: Final = frozenset({"moving", "done"})
_TYPES: Final = {
    "size": int,
    "occurrences": int,
    "released": bool,
    "restored": (str, type(None)),
    "problems": tuple,
}
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MODE: Final = re.compile(r"[0-7]{4}")


@dataclass(frozen=True, slots=True)
class Incident:
    """One invalid write, as `report.json` tells it (contract section 8, *Shapes*).

    Times are ISO 8601 in UTC; `mode` is octal text; `restored` is the hash of the version put back.
    `step` is `moving` until all is done, so that a crash in between is finished at the next start.
    `released` says that the operator put these bytes back as they are. A path whose bytes are no UTF-8 is
    written as `hex:` and its bytes.
    """

    id: str
    path: str
    sha256: str
    size: int
    mtime: str
    mode: str
    problems: tuple[Problem, ...]
    first_seen: str
    last_seen: str
    restored: str | None = None
    occurrences: int = 1
    state: Literal["open", "solved"] = "open"
    step: Literal["moving", "done"] = "done"
    released: bool = False

    @property
    def name(self) -> str:
        """The file's own name, under which it lies in the incident's folder."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def agent(self) -> str:
        """The agent's folder, relative to the vault; "" is the vault itself."""
        parts = self.path.split("/")
        depth = next((depth for depth, part in enumerate(parts[:-1]) if part in LAYERS), 0)
        return "/".join(parts[:depth])

    @property
    def is_open(self) -> bool:
        """Whether it waits for the writer or the operator."""
        return self.state == "open"

    def as_json(self) -> dict[str, Any]:
        """Return the stable shape of a report."""
        values: dict[str, Any] = {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}
        values["path"] = _escape(self.path)
        problems = ({**problem.as_json(), "path": _escape(problem.path)} for problem in self.problems)
        values["problems"] = list(problems)
        return {"format": FORMAT, **values}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Incident:
        """Return the incident that a report describes.

        Raises:
            KeyError, TypeError, ValueError: it is no report of ours.

        """
        kept = {spec.name: values[spec.name] for spec in dataclasses.fields(cls) if spec.name in values}
        path = kept["path"] = _unescape(kept["path"])
        kept["problems"] = tuple(_problem(entry, path) for entry in values["problems"])
        incident = cls(**kept)
        _check(incident)
        return incident


def new_incident(identifier: str, verdict: Verdict, status: os.stat_result, now: float) -> Incident:
    """Return the incident of a file that is about to be moved.

    Args:
        identifier: as `Incidents.begin` gave it.
        verdict: what is wrong with it.
        status: the file's status.
        now: wall time, seconds since the epoch.

    """
    return Incident(
        id=identifier,
        path=verdict.place.path,
        sha256=verdict.sha256,
        size=status.st_size,
        mtime=iso(status.st_mtime),
        mode=f"{status.st_mode & 0o7777:04o}",
        problems=verdict.errors,
        first_seen=iso(now),
        last_seen=iso(now),
        step="moving",
    )


def _problem(entry: Mapping[str, Any], path: str) -> Problem:
    problem = Problem(**{**entry, "path": path})
    _check_types(problem, {"line": (int, type(None)), "field": (str, type(None))})
    return problem


def _check(incident: Incident) -> None:
    """Look at what a file said that anybody may have edited: types, words, and a path that stays inside."""
    _check_types(incident, _TYPES)
    is_known = incident.state in _STATES and incident.step in _STEPS
    is_shaped = _HASH.fullmatch(incident.sha256) and _MODE.fullmatch(incident.mode)
    zones = [dt.datetime.fromisoformat(moment).tzinfo for moment in (incident.first_seen, incident.last_seen)]
    if not (is_known and is_shaped and all(zones) and _stays_inside(incident.path)):
        raise ValueError(incident.id)


def _check_types(value: Incident | Problem, types: Mapping[str, Any]) -> None:
    for spec in dataclasses.fields(value):
        found = getattr(value, spec.name)
        wanted = types.get(spec.name, str)
        if not isinstance(found, wanted) or (isinstance(found, bool) and wanted is not bool):
            raise TypeError(spec.name)


def _stays_inside(path: str) -> bool:
    """Whether the words of a path cannot lead out of the vault."""
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


def _escape(path: str) -> str:
    """Write a path as UTF-8 text that can be read back, also when its bytes are not UTF-8."""
    is_plain = not path.startswith(_HEX)
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        is_plain = False
    return path if is_plain else f"{_HEX}{os.fsencode(path).hex()}"


def _unescape(text: str) -> str:
    return os.fsdecode(bytes.fromhex(text.removeprefix(_HEX))) if text.startswith(_HEX) else text
