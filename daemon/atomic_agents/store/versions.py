"""Former versions of units and INDEX files, compressed, each content once (contract [Q-5])."""

from __future__ import annotations

import math
import os
import sqlite3
import zlib
from collections.abc import Iterator
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
CREATE INDEX IF NOT EXISTS versions_by_age ON versions (recorded);
CREATE TABLE IF NOT EXISTS unchecked (
    path     BLOB NOT NULL,
    version  INTEGER NOT NULL,
    PRIMARY KEY (path, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removals (
    path     BLOB PRIMARY KEY,
    removed  REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept_bytes (
    number INTEGER NOT NULL
);
INSERT INTO kept_bytes SELECT (SELECT coalesce(sum(length(packed)), 0) FROM contents)
    WHERE NOT EXISTS (SELECT 1 FROM kept_bytes);
CREATE TRIGGER IF NOT EXISTS contents_came AFTER INSERT ON contents BEGIN
    UPDATE kept_bytes SET number = number + length(NEW.packed);
END;
CREATE TRIGGER IF NOT EXISTS contents_went AFTER DELETE ON contents BEGIN
    UPDATE kept_bytes SET number = number - length(OLD.packed);
END;
CREATE TRIGGER IF NOT EXISTS versions_went AFTER DELETE ON versions BEGIN
    DELETE FROM unchecked WHERE path = OLD.path AND version = OLD.version;
    DELETE FROM contents WHERE sha256 = OLD.sha256
        AND NOT EXISTS (SELECT 1 FROM versions WHERE sha256 = OLD.sha256);
END;
"""
"""A content goes with the last version that holds it, and the size of all is always known."""

_COLUMNS: Final = "path, version, sha256, size, recorded"


@dataclass(frozen=True, slots=True)
class Version:
    """One kept version of a path. `recorded` is wall time, seconds since the epoch; `size` is in bytes."""

    path: str
    version: int
    sha256: str
    size: int
    recorded: float


@dataclass(frozen=True, slots=True)
class Aged:
    """A version as far as its age goes. `recorded` is wall time, seconds since the epoch."""

    path: str
    version: int
    recorded: float


class Versions:
    """The tables of versions.

    Args:
        connection: owned by the caller, who also commits.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def record(self, path: str, data: bytes, sha256: str, now: float, *, checked: bool = True) -> int:
        """Keep a version unless the last one of this path has the same bytes.

        Args:
            path: relative to the vault.
            data: the file's bytes.
            sha256: their hash, in hex.
            now: wall time, seconds since the epoch.
            checked: whether the bytes were judged and are valid; others are never put back by themselves.

        Returns:
            The number of the version that holds these bytes.

        """
        key = os.fsencode(path)
        if checked:
            self._connection.execute("DELETE FROM removals WHERE path = ?", (key,))
        last = self.last(path)
        number = last.version if last is not None else 0
        if last is None or last.sha256 != sha256:
            number += 1
            self._insert(key, number, data, sha256, now)
            if not checked:
                self._connection.execute("INSERT INTO unchecked VALUES (?, ?)", (key, number))
        elif checked:
            self._connection.execute("DELETE FROM unchecked WHERE path = ? AND version = ?", (key, number))
        return number

    def last(self, path: str) -> Version | None:
        """Return the newest version of a path, valid or not."""
        rows = self._select("WHERE path = ? ORDER BY version DESC LIMIT 1", (os.fsencode(path),))
        return next(rows, None)

    def mark_removed(self, path: str, now: float) -> None:
        """Remember that the path's owner removed it, so that no former version is put back by itself.

        Args:
            path: relative to the vault.
            now: wall time, seconds since the epoch.

        """
        self._connection.execute("INSERT OR REPLACE INTO removals VALUES (?, ?)", (os.fsencode(path), now))

    def is_removed(self, path: str) -> bool:
        """Whether the path's owner removed it after its last version."""
        query = "SELECT 1 FROM removals WHERE path = ?"
        return self._connection.execute(query, (os.fsencode(path),)).fetchone() is not None

    def last_good(self, path: str) -> Version | None:
        """Return the version to put back when an invalid write is blocked: none after a removal."""
        return next(self.good(path), None)

    def good(self, path: str) -> Iterator[Version]:
        """Yield the versions that were valid when they were recorded, newest first; none after a removal."""
        if not self.is_removed(path):
            where = f"WHERE path = ? AND {_CHECKED} ORDER BY version DESC"
            yield from self._select(where, (os.fsencode(path),))

    def of(self, path: str) -> list[Version]:
        """Return all versions of a path, oldest first."""
        return list(self._select("WHERE path = ? ORDER BY version", (os.fsencode(path),)))

    def number(self, path: str, version: int) -> Version | None:
        """Return one version of a path by its number."""
        return next(self._select("WHERE path = ? AND version = ?", (os.fsencode(path), version)), None)

    def paths_with_old(self, after: str, before: float, limit: int) -> list[str]:
        """Return paths with more than one version of which one at least is old, in their order.

        Args:
            after: only those behind this one.
            before: wall time (seconds since the epoch) before which a version is old.
            limit: at most so many.

        """
        query = (
            "SELECT path FROM versions WHERE path > ? GROUP BY path"
            " HAVING count(*) > 1 AND min(recorded) < ? ORDER BY path LIMIT ?"
        )
        rows = self._connection.execute(query, (os.fsencode(after), before, limit))
        return [os.fsdecode(path) for (path,) in rows]

    def by_age(self, after: Aged | None, limit: int) -> list[Aged]:
        """Return versions of all paths, oldest first.

        Args:
            after: only those behind this one; None begins.
            limit: at most so many.

        """
        key = (after.recorded, os.fsencode(after.path), after.version) if after else (-math.inf, b"", 0)
        rows = self._connection.execute(
            "SELECT path, version, recorded FROM versions WHERE (recorded, path, version) > (?, ?, ?)"
            " ORDER BY recorded, path, version LIMIT ?",
            (*key, limit),
        )
        return [Aged(os.fsdecode(path), version, recorded) for path, version, recorded in rows]

    def ages(self, path: str) -> list[tuple[Aged, bool]]:
        """Return all versions of a path, oldest first, each with whether it was valid when recorded."""
        rows = self._connection.execute(
            f"SELECT version, recorded, {_CHECKED} FROM versions WHERE path = ? ORDER BY version",  # noqa: S608
            (os.fsencode(path),),
        )
        return [(Aged(path, version, recorded), bool(checked)) for version, recorded, checked in rows]

    def may_go(self, version: Aged) -> bool:
        """Whether a version is neither the last nor the last good one of its path."""
        later = [
            (other.version, checked)
            for other, checked in self.ages(version.path)
            if other.version >= version.version
        ]
        is_good = bool(later) and later[0] == (version.version, True)
        return len(later) > 1 and (not is_good or any(checked for _, checked in later[1:]))

    def is_checked(self, version: Version) -> bool:
        """Whether a version was valid when it was recorded."""
        row = self._connection.execute(
            "SELECT 1 FROM unchecked WHERE path = ? AND version = ?",
            (os.fsencode(version.path), version.version),
        ).fetchone()
        return row is None

    def drop(self, version: Aged | Version) -> None:
        """Forget a version, and its content if no other has the same."""
        key = (os.fsencode(version.path), version.version)
        self._connection.execute("DELETE FROM versions WHERE path = ? AND version = ?", key)

    def packed_bytes(self) -> int:
        """Return the size of all kept contents, compressed."""
        (number,) = self._connection.execute("SELECT number FROM kept_bytes").fetchone()
        return int(number)

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

    def _insert(self, path: bytes, number: int, data: bytes, sha256: str, now: float) -> None:
        key = bytes.fromhex(sha256)
        self._connection.execute(
            "INSERT OR IGNORE INTO contents VALUES (?, ?, ?)", (key, len(data), zlib.compress(data, 6))
        )
        self._connection.execute("INSERT INTO versions VALUES (?, ?, ?, ?)", (path, number, key, now))

    def _select(self, where: str, arguments: tuple[object, ...]) -> Iterator[Version]:
        query = f"SELECT {_COLUMNS} FROM versions JOIN contents USING (sha256) {where}"  # noqa: S608
        for path, number, sha256, size, recorded in self._connection.execute(query, arguments).fetchall():
            yield Version(os.fsdecode(path), number, sha256.hex(), size, recorded)


_CHECKED: Final = (
    "NOT EXISTS (SELECT 1 FROM unchecked AS u WHERE u.path = versions.path AND u.version = versions.version)"
)
