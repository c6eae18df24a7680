"""Former versions of units and INDEX files, compressed, each content once (contract [Q-5])."""

from __future__ import annotations

import os
import sqlite3
import zlib
from dataclasses import dataclass
from typing import Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS contents (
    sha256  BLOB PRIMARY KEY,
    size    INTEGER NOT NULL,
    packed  BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS versions (
    path     BLOB NOT NULL,
    version  INTEGER NOT NULL,
    sha256   BLOB NOT NULL,
    recorded REAL NOT NULL,
    PRIMARY KEY (path, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS versions_by_content ON versions (sha256);
CREATE TABLE IF NOT EXISTS removals (
    path     BLOB PRIMARY KEY,
    removed  REAL NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Version:
    """One kept version of a path. `recorded` is wall time, seconds since the epoch; `size` is in bytes."""

    path: str
    version: int
    sha256: str
    size: int
    recorded: float


class Versions:
    """The tables of versions.

    Args:
        connection: owned by the caller, who also commits.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def record(self, path: str, data: bytes, sha256: str, now: float) -> int:
        """Keep a version unless the last one of this path has the same bytes.

        Args:
            path: relative to the vault.
            data: the file's bytes.
            sha256: their hash, in hex.
            now: wall time, seconds since the epoch.

        Returns:
            The number of the version that holds these bytes.

        """
        self._connection.execute("DELETE FROM removals WHERE path = ?", (os.fsencode(path),))
        last = self.last(path)
        if last is not None and last.sha256 == sha256:
            return last.version
        number = last.version + 1 if last is not None else 1
        key = bytes.fromhex(sha256)
        self._connection.execute(
            "INSERT OR IGNORE INTO contents VALUES (?, ?, ?)", (key, len(data), zlib.compress(data, 6))
        )
        self._connection.execute(
            "INSERT INTO versions VALUES (?, ?, ?, ?)", (os.fsencode(path), number, key, now)
        )
        return number

    def last(self, path: str) -> Version | None:
        """Return the newest version of a path."""
        rows = self._select("WHERE path = ? ORDER BY version DESC LIMIT 1", (os.fsencode(path),))
        return rows[0] if rows else None

    def mark_removed(self, path: str, now: float) -> None:
        """Remember that the path's owner removed it, so that no former version is put back by itself.

        Args:
            path: relative to the vault.
            now: wall time, seconds since the epoch.

        """
        self._connection.execute("INSERT OR REPLACE INTO removals VALUES (?, ?)", (os.fsencode(path), now))

    def last_good(self, path: str) -> Version | None:
        """Return the version to put back when an invalid write is blocked: none after a removal."""
        gone = self._connection.execute(
            "SELECT 1 FROM removals WHERE path = ?", (os.fsencode(path),)
        ).fetchone()
        return None if gone else self.last(path)

    def of(self, path: str) -> list[Version]:
        """Return all versions of a path, oldest first."""
        return self._select("WHERE path = ? ORDER BY version", (os.fsencode(path),))

    def content(self, sha256: str) -> bytes:
        """Return the bytes of a kept version.

        Raises:
            KeyError: no version has this hash.

        """
        row = self._connection.execute(
            "SELECT packed FROM contents WHERE sha256 = ?", (bytes.fromhex(sha256),)
        ).fetchone()
        if row is None:
            raise KeyError(sha256)
        return zlib.decompress(row[0])

    def _select(self, where: str, arguments: tuple[object, ...]) -> list[Version]:
        query = (
            f"SELECT path, version, sha256, size, recorded FROM versions JOIN contents USING (sha256) {where}"  # noqa: S608
        )
        return [
            Version(os.fsdecode(path), number, sha256.hex(), size, recorded)
            for path, number, sha256, size, recorded in self._connection.execute(query, arguments)
        ]
