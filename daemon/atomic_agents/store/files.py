"""What was seen of each file at its last reading: the sweep compares with this (contract [D-2])."""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from atomic_agents.model import FileRecord, FileState, Kind, Place, Problem, Stamp, Unit

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS files (
    path      BLOB PRIMARY KEY,
    agent     BLOB,
    layer     BLOB,
    basename  BLOB NOT NULL,
    name_key  TEXT,
    pinned    INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    state     TEXT NOT NULL,
    size      INTEGER NOT NULL,
    mtime_ns  INTEGER NOT NULL,
    ctime_ns  INTEGER NOT NULL,
    inode     INTEGER NOT NULL,
    device    INTEGER NOT NULL,
    sha256    BLOB NOT NULL,
    read_at   REAL NOT NULL,
    unit      TEXT,
    problems  TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_by_layer ON files (layer, state);
CREATE INDEX IF NOT EXISTS files_by_content ON files (sha256);
CREATE INDEX IF NOT EXISTS files_by_inode ON files (inode, device);
CREATE INDEX IF NOT EXISTS files_by_basename ON files (basename, agent);
CREATE INDEX IF NOT EXISTS files_by_name ON files (layer, name_key);
CREATE INDEX IF NOT EXISTS files_pinned ON files (layer) WHERE pinned;
"""

_COLUMNS: Final = (
    "path, kind, state, size, mtime_ns, ctime_ns, inode, device, sha256, read_at, unit, problems"
)
_WRAP: Final = 1 << 64
_FIELDS: Final = tuple(spec.name for spec in dataclasses.fields(Unit) if spec.name not in {"path", "meta"})
_TUPLES: Final = frozenset({"sources", "tags", "related"})


class Files:
    """The table of files.

    Args:
        connection: owned by the caller, who also commits.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, path: str) -> FileRecord | None:
        """Return what is remembered of a path."""
        return self._one("path = ?", (os.fsencode(path),))

    def put(self, record: FileRecord, place: Place, *, basename: str, name_key: str | None) -> None:
        """Remember a reading.

        Args:
            record: the file as it was read.
            place: the file's.
            basename: its name in NFC, by which links find it.
            name_key: what similar names share, of a valid unit.

        """
        stamp = record.stamp
        self._connection.execute(
            f"INSERT OR REPLACE INTO files ({_COLUMNS}, agent, layer, basename, name_key, pinned)"  # noqa: S608
            f" VALUES ({', '.join('?' * 17)})",
            (
                os.fsencode(record.path),
                record.kind.value,
                record.state.value,
                stamp.size,
                stamp.mtime_ns,
                stamp.ctime_ns,
                _signed(stamp.inode),
                _signed(stamp.device),
                bytes.fromhex(record.sha256),
                record.read_at,
                _dump_unit(record.unit),
                _dump_problems(record.problems),
                os.fsencode(place.agent) if place.agent is not None else None,
                os.fsencode(place.layer_dir) if place.layer else None,
                os.fsencode(basename),
                name_key,
                record.unit is not None and record.unit.pinned,
            ),
        )

    def remove(self, path: str) -> None:
        """Forget a path."""
        self._connection.execute("DELETE FROM files WHERE path = ?", (os.fsencode(path),))

    def stamps(self) -> dict[str, tuple[Stamp, float]]:
        """Return of every path how it looked and when it was read (wall time, seconds)."""
        rows = self._connection.execute(
            "SELECT path, size, mtime_ns, ctime_ns, inode, device, read_at FROM files"
        )
        return {os.fsdecode(row[0]): (_stamp(row[1:6]), row[6]) for row in rows}

    def in_layer(self, layer: str) -> Iterator[FileRecord]:
        """Yield what is remembered of a layer's files, in path order.

        Args:
            layer: the layer's folder, `alpha/memory`.

        """
        return self._many("layer = ? ORDER BY path", (os.fsencode(layer),))

    def in_state(self, state: FileState) -> Iterator[FileRecord]:
        """Yield the files in a state, in path order."""
        return self._many("state = ? ORDER BY path", (state.value,))

    def below(self, folder: str) -> Iterator[FileRecord]:
        """Yield the files below a folder, in path order.

        Args:
            folder: relative to the vault.

        """
        low = os.fsencode(folder) + b"/"
        return self._many("path >= ? AND path < ? ORDER BY path", (low, low[:-1] + b"0"))

    def of_inode(self, stamp: Stamp) -> Iterator[FileRecord]:
        """Yield the paths that were last seen as this physical file."""
        return self._many("inode = ? AND device = ?", (_signed(stamp.inode), _signed(stamp.device)))

    def of_content(self, sha256: str) -> Iterator[FileRecord]:
        """Yield the paths that were last seen with these bytes."""
        return self._many("sha256 = ?", (bytes.fromhex(sha256),))

    def called(self, agent: str, basename: str) -> list[str]:
        """Return the paths of an agent's files that have this name (NFC)."""
        rows = self._connection.execute(
            "SELECT path FROM files WHERE basename = ? AND agent = ? ORDER BY path",
            (os.fsencode(basename), os.fsencode(agent)),
        )
        return [os.fsdecode(row[0]) for row in rows]

    def named(self, layer: str, name_key: str) -> Iterator[FileRecord]:
        """Yield the valid units of a layer whose names share this key, in path order."""
        return self._many("layer = ? AND name_key = ? ORDER BY path", (os.fsencode(layer), name_key))

    def pinned(self, layer: str) -> Iterator[FileRecord]:
        """Yield the pinned units of a layer, in path order."""
        return self._many("layer = ? AND pinned ORDER BY path", (os.fsencode(layer),))

    def layers(self) -> list[str]:
        """Return the layer folders that hold remembered files, sorted."""
        rows = self._connection.execute(
            "SELECT DISTINCT layer FROM files WHERE layer IS NOT NULL ORDER BY layer"
        )
        return [os.fsdecode(row[0]) for row in rows]

    def count(self, *states: FileState) -> int:
        """Return how many units are in one of these states."""
        marks = ", ".join("?" * len(states))
        query = f"SELECT count(*) FROM files WHERE kind IN ('note', 'wiki') AND state IN ({marks})"  # noqa: S608
        (number,) = self._connection.execute(query, [state.value for state in states]).fetchone()
        return int(number)

    def troubled(self) -> Iterator[tuple[str, FileState, str | None]]:
        """Yield agent, state and problems (as JSON) of each file that has any or is not valid."""
        rows = self._connection.execute(
            "SELECT agent, state, problems FROM files"
            " WHERE agent IS NOT NULL AND (problems IS NOT NULL OR state NOT IN ('valid', 'index'))"
        )
        for agent, state, problems in rows:
            yield os.fsdecode(agent), FileState(state), problems

    def _one(self, where: str, arguments: Iterable[Any]) -> FileRecord | None:
        return next(self._many(where, arguments), None)

    def _many(self, where: str, arguments: Iterable[Any]) -> Iterator[FileRecord]:
        query = f"SELECT {_COLUMNS} FROM files WHERE {where}"  # noqa: S608 (fixed texts of this module)
        return map(_record, self._connection.execute(query, tuple(arguments)).fetchall())


def _record(row: tuple[Any, ...]) -> FileRecord:
    path = os.fsdecode(row[0])
    return FileRecord(
        path=path,
        kind=Kind(row[1]),
        state=FileState(row[2]),
        stamp=_stamp(row[3:8]),
        sha256=row[8].hex(),
        read_at=row[9],
        unit=_load_unit(path, row[10]),
        problems=_load_problems(path, row[11]),
    )


def _stamp(row: tuple[Any, ...]) -> Stamp:
    return Stamp(row[0], row[1], row[2], row[3] % _WRAP, row[4] % _WRAP)


def _signed(number: int) -> int:
    """Fit an unsigned 64-bit number into SQLite's signed one."""
    return number - _WRAP if number >= _WRAP >> 1 else number


def _dump_unit(unit: Unit | None) -> str | None:
    if unit is None:
        return None
    return json.dumps(
        {name: getattr(unit, name) for name in _FIELDS}, ensure_ascii=False, separators=(",", ":")
    )


def _load_unit(path: str, text: str | None) -> Unit | None:
    if text is None:
        return None
    stored: dict[str, Any] = json.loads(text)
    values: dict[str, Any] = {
        name: tuple(value) if name in _TUPLES else value for name, value in stored.items()
    }
    return Unit(path=path, **values)


def _dump_problems(problems: tuple[Problem, ...]) -> str | None:
    if not problems:
        return None
    return json.dumps(
        [{key: value for key, value in problem.as_json().items() if key != "path"} for problem in problems]
    )


def _load_problems(path: str, text: str | None) -> tuple[Problem, ...]:
    return tuple(Problem(path=path, **values) for values in json.loads(text)) if text else ()
