"""The state store of one vault: SQLite in WAL mode, disposable but for history (contract [D-7])."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from atomic_agents import config
from atomic_agents._io import make_folder
from atomic_agents.exceptions import CannotWriteError, TemporaryError
from atomic_agents.store import entries, facts, files, versions

FILE_NAME: Final = "state.sqlite3"
VERSION: Final = 1
"""`PRAGMA user_version` of the tables; a store with a higher one was made by a newer atomicd."""

_SCHEMAS: Final = (facts.SCHEMA, files.SCHEMA, versions.SCHEMA, entries.SCHEMA)


def state_folder(root: Path) -> Path:
    """Return the folder that holds the state of one vault, whether or not it is there.

    Args:
        root: the vault's real path.

    """
    name = re.sub(r"[^A-Za-z0-9-]+", "-", root.name).strip("-")[:40] or "vault"
    return config.state_root() / f"{name}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"


class Store:
    """The tables of one vault. One thread owns it.

    Args:
        connection: an open database with the tables in place.
        set_aside: where a broken or newer store was moved at this opening, or None.

    """

    def __init__(self, connection: sqlite3.Connection, set_aside: Path | None = None) -> None:
        self._connection = connection
        self.set_aside = set_aside
        self.facts = facts.Facts(connection)
        self.files = files.Files(connection)
        self.versions = versions.Versions(connection)
        self.entries = entries.Entries(connection)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit what the block writes, or nothing of it; a block within a block joins the outer one."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def check(self) -> str:
        """Return what is wrong with the file, "" if it is whole."""
        (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        return "" if found == "ok" else str(found)

    def close(self) -> None:
        """Write the log back and close."""
        self._connection.close()


def open_store(folder: Path, *, now: float, read_only: bool = False) -> Store:
    """Open the store in a state folder, creating it if needed.

    Args:
        folder: as `state_folder` gives it.
        now: wall time, seconds since the epoch; names a store that is set aside.
        read_only: open for commands that only look; the store must be there.

    Raises:
        CannotWriteError: the folder refuses.
        TemporaryError: the store is locked for longer than 10 s, or is not there to be read.

    """
    path = folder / FILE_NAME
    if read_only:
        return Store(_connect(path, read_only=True))
    try:
        make_folder(folder)
    except OSError as error:
        raise CannotWriteError(
            f"state folder {folder}: {error.strerror}", hint="set ATOMICD_STATE_DIR"
        ) from error
    try:
        return Store(_prepare(_connect(path)))
    except sqlite3.OperationalError as error:
        if _is_damage(error):
            return _start_over(path, now)
        raise CannotWriteError(f"state store {path}: {error}", hint="set ATOMICD_STATE_DIR") from error
    except (sqlite3.DatabaseError, _NewerStoreError):
        return _start_over(path, now)


class _NewerStoreError(Exception):
    """The store was made by a newer atomicd."""


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    if read_only:
        if not path.is_file():
            raise TemporaryError(
                f"state store {path}: not there", hint="start the daemon once: `atomicd run`"
            )
        uri = f"{path.absolute().as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10)
    return sqlite3.connect(path, isolation_level=None, timeout=10)


def _prepare(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _check(connection)
        for schema in _SCHEMAS:
            connection.executescript(schema)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise _NewerStoreError
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise sqlite3.DatabaseError("quick_check failed")


def _is_damage(error: sqlite3.OperationalError) -> bool:
    """Whether the file itself is at fault, and not the disk, the rights or a lock."""
    return error.sqlite_errorcode in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}


def _start_over(path: Path, now: float) -> Store:
    aside = path.with_name(f"{path.name}.aside-{int(now)}")
    number = 0
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.aside-{int(now)}-{number}")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(aside.with_name(aside.name + suffix))
    return Store(_prepare(_connect(path)), set_aside=aside)
