"""The folders below `_quarantine/`, each with a file and its `report.json` (contract [Q-1], [Q-4])."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import json
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from atomic_agents._io import atomic_write, make_folder, sync_folder
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Problem, Verdict, iso, printable
from atomic_agents.vault.kinds import QUARANTINE

REPORT: Final = "report.json"
FORMAT: Final = 1
"""The version of the shape of `report.json`."""

_SLUG: Final = 60


@dataclass(frozen=True, slots=True)
class Incident:
    """One invalid write, as `report.json` tells it (contract section 8, *Shapes*).

    Times are ISO 8601 in UTC; `mode` is octal text; `restored` is the hash of the version put back.
    `step` is `moving` until all is done, so that a crash in between is finished at the next start.
    `released` says that the operator put these bytes back as they are.
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

    def as_json(self) -> dict[str, Any]:
        """Return the stable shape of a report."""
        values: dict[str, Any] = {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}
        values["path"] = _escape(self.path)
        values["problems"] = [
            problem.as_json() | {"path": _escape(problem.path)} for problem in self.problems
        ]
        return {"format": FORMAT, **values}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Incident:
        """Return the incident that a report describes.

        Raises:
            KeyError, TypeError, ValueError: it is no report of ours.

        """
        known = {spec.name for spec in dataclasses.fields(cls)}
        kept = {key: value for key, value in values.items() if key in known}
        kept["path"] = _unescape(kept["path"])
        kept["problems"] = tuple(Problem(**(entry | {"path": kept["path"]})) for entry in values["problems"])
        return cls(**kept)


class Incidents:
    """The quarantine folder of a vault.

    Args:
        root: the vault's real path.

    """

    def __init__(self, root: Path) -> None:
        self.folder = root / QUARANTINE
        self._cache: dict[str, tuple[int, Incident | None]] = {}

    def all(self) -> list[Incident]:
        """Return every incident whose report can be read, oldest first."""
        return [incident for incident in map(self._read, self._folders()) if incident is not None]

    def unreadable(self) -> list[str]:
        """Return the names of folders without a readable report; they are left alone."""
        return [folder.name for folder in self._folders() if self._read(folder) is None]

    def find(self, prefix: str) -> Incident:
        """Return the one incident whose id is or begins with `prefix`.

        Raises:
            AtomicAgentsError: none, or more than one, does.

        """
        incidents = self.all()
        exact = [incident for incident in incidents if incident.id == prefix]
        found = exact or [incident for incident in incidents if prefix and incident.id.startswith(prefix)]
        found = found or [incident for incident in incidents if prefix and prefix in incident.id]
        if len(found) != 1:
            what = "no incident" if not found else f"{len(found)} incidents"
            raise AtomicAgentsError(
                f"{printable(prefix)}: {what} with this id", hint="see `atomicd quarantine list`"
            )
        return found[0]

    def open_at(self, path: str, sha256: str) -> Incident | None:
        """Return the open incident of these bytes at this path."""
        for incident in reversed(self.all()):
            if (incident.path, incident.sha256, incident.state) == (path, sha256, "open"):
                return incident
        return None

    def is_released(self, path: str, sha256: str) -> bool:
        """Whether the operator put these bytes back at this path as they are."""
        return any(i.released and (i.path, i.sha256) == (path, sha256) for i in self.all())

    def begin(self, agent: str, path: str, sha256: str, now: float) -> str:
        """Create the folder of a new incident and return its id.

        Args:
            agent: the agent's folder, relative to the vault.
            path: the file, relative to the vault.
            sha256: the hash of its bytes, in hex.
            now: wall time, seconds since the epoch.

        """
        make_folder(self.folder)
        moment = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y%m%dT%H%M%SZ")
        stem = path.rsplit("/", 1)[-1].removesuffix(".md")
        base = f"{moment}_{_slug(agent) or 'vault'}_{_slug(stem) or 'note'}_{sha256[:8]}"
        number = 1
        while True:
            name = base if number == 1 else f"{base}-{number}"
            with contextlib.suppress(FileExistsError):
                (self.folder / name).mkdir(mode=0o700)
                sync_folder(self.folder)
                return name
            number += 1

    def solve(self, accepted: Mapping[str, str]) -> list[Incident]:
        """Close the open incidents of paths that their writers mended (contract [Q-3]).

        Args:
            accepted: by path, the hash of the valid bytes that are there now; the version that was put
                back by ourselves mends nothing.

        Returns:
            The incidents as they are now.

        """
        solved = []
        for incident in self.all():
            now = accepted.get(incident.path)
            if incident.state == "open" and incident.step == "done" and now not in {None, incident.restored}:
                solved.append(dataclasses.replace(incident, state="solved"))
                self.write(solved[-1])
        return solved

    def write(self, incident: Incident) -> None:
        """Write an incident's report, all or nothing."""
        self._cache.pop(incident.id, None)
        text = json.dumps(incident.as_json(), indent=2, ensure_ascii=False)
        atomic_write(self.folder / incident.id / REPORT, f"{text}\n")

    def file_of(self, incident: Incident) -> Path:
        """Return where the incident's bytes lie."""
        return self.folder / incident.id / incident.name

    def discard_empty(self, incident: Incident) -> None:
        """Remove the folder of a move that never happened; it holds nothing but our own report.

        Raises:
            OSError: it holds something else.

        """
        folder = self.folder / incident.id
        with contextlib.suppress(FileNotFoundError):
            (folder / REPORT).unlink()
        folder.rmdir()

    def _folders(self) -> list[Path]:
        try:
            with os.scandir(self.folder) as entries:
                names = sorted(
                    e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name[0] != "."
                )
        except FileNotFoundError:
            return []
        return [self.folder / name for name in names]

    def _read(self, folder: Path) -> Incident | None:
        """Return the incident of a folder, read anew only when its report was replaced."""
        try:
            changed = (folder / REPORT).stat().st_mtime_ns
        except OSError:
            return None
        cached = self._cache.get(folder.name)
        if cached is None or cached[0] != changed:
            cached = (changed, _parse(folder))
            self._cache[folder.name] = cached
        return cached[1]


def _parse(folder: Path) -> Incident | None:
    try:
        incident = Incident.from_json(json.loads((folder / REPORT).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return incident if incident.id == folder.name and _stays_inside(incident.path) else None


def _stays_inside(path: str) -> bool:
    """Whether a report's path, which anybody may have edited, cannot lead out of the vault."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and not {"", ".", ".."} & set(parts)


def _slug(text: str) -> str:
    kept = (char if unicodedata.category(char)[0] in "LN" or char in "-_." else "-" for char in text)
    return re.sub("-{2,}", "-", "".join(kept)).strip("-.")[:_SLUG]


def _escape(path: str) -> str:
    """Write a path as UTF-8 text that can be read back, also when its bytes are not UTF-8."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return f"hex:{os.fsencode(path).hex()}"
    return path


def _unescape(text: str) -> str:
    return os.fsdecode(bytes.fromhex(text.removeprefix("hex:"))) if text.startswith("hex:") else text


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
