"""The folders below `_quarantine/`, each with a file and its `report.json` (contract [Q-1], [Q-4])."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import errno
import json
import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from atomic_agents._io import atomic_write, make_folder, read_file, sync_folder
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import printable
from atomic_agents.quarantine.incident import Incident
from atomic_agents.vault.kinds import QUARANTINE

REPORT: Final = "report.json"
IDENTIFIER: Final = re.compile(r"[0-9]{8}T[0-9]{6}Z_.+_[0-9a-f]{8}(?:-[0-9]+)?", re.DOTALL)
"""What a folder of an incident is called."""

_SLUG_BYTES: Final = 80
_MAX_REPORT_BYTES: Final = 4 << 20
_MOST_NAMED: Final = 5

_Look = tuple[int, int, int]


class Incidents:
    """The quarantine folder of a vault.

    Args:
        root: the vault's real path.

    """

    def __init__(self, root: Path) -> None:
        self.folder = root / QUARANTINE
        self._cache: dict[str, tuple[_Look, Incident | None]] = {}

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
        if len(found) == 1:
            return found[0]
        what = "no incident" if not found else f"{len(found)} incidents"
        names = ", ".join(incident.id for incident in found[-_MOST_NAMED:])
        raise AtomicAgentsError(
            f"{printable(prefix)}: {what} with this id",
            hint=f"name one of them: {names}" if found else "see `atomicd quarantine list`",
        )

    def open_by_agent(self) -> dict[str, list[Incident]]:
        """Return the open incidents whose move is done, by the agent's folder, oldest first."""
        found: dict[str, list[Incident]] = {}
        for incident in self.all():
            if incident.is_open and incident.step == "done":
                found.setdefault(incident.agent, []).append(incident)
        return found

    def open_at(self, path: str, sha256: str) -> Incident | None:
        """Return the open incident of these bytes at this path."""
        known = self._of_bytes(path, sha256)
        return next((incident for incident in reversed(known) if incident.is_open), None)

    def is_released(self, path: str, sha256: str) -> bool:
        """Whether the operator put these bytes back at this path as they are."""
        return any(incident.released for incident in self._of_bytes(path, sha256))

    def begin(self, agent: str, path: str, sha256: str, now: float) -> str:
        """Create the folder of a new incident and return its id.

        Args:
            agent: the agent's folder, relative to the vault.
            path: the file, relative to the vault.
            sha256: the hash of its bytes, in hex.
            now: wall time, seconds since the epoch.

        Raises:
            OSError: the system refuses, or a link stands where the quarantine should.

        """
        make_folder(self.folder)
        if self.folder.is_symlink():
            raise OSError(errno.ELOOP, "a link is no quarantine folder", str(self.folder))
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
                back by ourselves mends nothing. The blocked bytes under another name, which were wrong only
                in their name, mend it too.

        Returns:
            The incidents as they are now.

        """
        contents = set(accepted.values())
        solved = []
        for incident in self.all():
            now = accepted.get(incident.path)
            is_mended = now not in {None, incident.restored} or incident.sha256 in contents
            if incident.is_open and incident.step == "done" and is_mended:
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

    def _of_bytes(self, path: str, sha256: str) -> list[Incident]:
        """Return the incidents of these bytes at this path, oldest first; no other folder is opened."""
        ending = re.compile(rf"_{sha256[:8]}(?:-[0-9]+)?\Z")
        found = (self._read(folder) for folder in self._folders() if ending.search(folder.name))
        return [one for one in found if one is not None and (one.path, one.sha256) == (path, sha256)]

    def _folders(self) -> list[Path]:
        if self.folder.is_symlink():
            return []
        try:
            with os.scandir(self.folder) as entries:
                names = sorted(
                    e.name for e in entries if e.is_dir(follow_symlinks=False) and e.name[0] != "."
                )
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [self.folder / name for name in names]

    def _read(self, folder: Path) -> Incident | None:
        """Return the incident of a folder, read anew only when its report was replaced."""
        try:
            status = os.lstat(folder / REPORT)
        except OSError:
            return None
        look = (status.st_mtime_ns, status.st_ino, status.st_size)
        cached = self._cache.get(folder.name)
        if cached is None or cached[0] != look:
            cached = (look, _parse(folder))
            self._cache[folder.name] = cached
        return cached[1]


def _parse(folder: Path) -> Incident | None:
    try:
        incident = Incident.from_json(json.loads(read_file(folder / REPORT, limit=_MAX_REPORT_BYTES).data))
    except (OSError, AtomicAgentsError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return incident if incident.id == folder.name else None


def _slug(text: str) -> str:
    kept = (char if unicodedata.category(char)[0] in "LN" or char in "-_." else "-" for char in text)
    short = re.sub("-{2,}", "-", "".join(kept)).strip("-.").encode()[:_SLUG_BYTES]
    return short.decode(errors="ignore")
