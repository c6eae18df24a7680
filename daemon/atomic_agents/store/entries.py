"""What the daemon generated into INDEX.md, and how its lines last stood (contract [INDEX-3], [INDEX-4])."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
    layer    BLOB NOT NULL,
    file     BLOB NOT NULL,
    title    TEXT NOT NULL,
    hook     TEXT NOT NULL,
    role     TEXT NOT NULL,
    line     TEXT NOT NULL,
    heading  TEXT NOT NULL,
    after    BLOB NOT NULL,
    below    TEXT NOT NULL,
    gone     INTEGER NOT NULL,
    PRIMARY KEY (layer, file)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS intentions (
    layer    BLOB NOT NULL,
    file     BLOB NOT NULL,
    title    TEXT NOT NULL,
    hook     TEXT NOT NULL,
    role     TEXT NOT NULL,
    line     TEXT NOT NULL,
    heading  TEXT NOT NULL,
    after    BLOB NOT NULL,
    below    TEXT NOT NULL,
    gone     INTEGER NOT NULL,
    PRIMARY KEY (layer, file)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One unit's entry: the base of the three-way merge, and what brings the entry back.

    Args:
        file: the unit, relative to the layer's folder.
        title: the title as it was last generated, escaped.
        hook: the hook as it was last generated, escaped.
        role: the section that the unit belonged to then (`feedback`, ..., `promoted`, `archive`, `pages`).
        line: the entry as it last stood, hand edits included, without its line end.
        heading: the heading that it last stood under, as `atomic_agents.index.sections` compares headings.
        after: the file of the entry before it under that heading, "" if it was the first.
        below: the line of the operator's own that hung below it, "" if there was none.
        gone: whether the unit vanished and its entry with it.

    """

    file: str
    title: str
    hook: str
    role: str
    line: str
    heading: str
    after: str = ""
    below: str = ""
    gone: bool = False


class Entries:
    """The table of remembered entries.

    Args:
        connection: owned by the caller, who also commits.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_layer(self, layer: str) -> dict[str, Remembered]:
        """Return what is remembered of a layer's entries, by file.

        Args:
            layer: the layer's folder, `alpha/memory`.

        """
        rows = self._connection.execute(
            "SELECT file, title, hook, role, line, heading, after, below, gone FROM entries"
            " WHERE layer = ? ORDER BY file",
            (os.fsencode(layer),),
        )
        return {one.file: one for one in map(_remembered, rows)}

    def save(self, layer: str, before: Mapping[str, Remembered], after: Mapping[str, Remembered]) -> int:
        """Write the rows that differ.

        Args:
            layer: the layer's folder, `alpha/memory`.
            before: what `of_layer` returned.
            after: what shall be remembered now.

        Returns:
            How many rows were written or removed.

        """
        key = os.fsencode(layer)
        removed = [(key, os.fsencode(file)) for file in before if file not in after]
        written = [(key, *_row(one)) for file, one in after.items() if before.get(file) != one]
        self._connection.execute("DELETE FROM intentions WHERE layer = ?", (key,))
        self._connection.executemany("DELETE FROM entries WHERE layer = ? AND file = ?", removed)
        self._connection.executemany(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", written
        )
        return len(removed) + len(written)

    def intend(self, layer: str, before: Mapping[str, Remembered], after: Mapping[str, Remembered]) -> None:
        """Keep what will be remembered once the index files are written, until `save` says that they are.

        Args:
            layer: the layer's folder, `alpha/memory`.
            before: what is remembered now.
            after: what will be.

        """
        key = os.fsencode(layer)
        rows = [(key, *_row(one)) for file, one in after.items() if before.get(file) != one]
        self._connection.executemany(
            "INSERT OR REPLACE INTO intentions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
        )

    def intended(self) -> dict[str, dict[str, Remembered]]:
        """Return what was intended and never saved, by layer and file: a kill came in between."""
        rows = self._connection.execute(
            "SELECT file, title, hook, role, line, heading, after, below, gone, layer FROM intentions"
        )
        found: dict[str, dict[str, Remembered]] = {}
        for row in rows:
            one = _remembered(row[:-1])
            found.setdefault(os.fsdecode(row[-1]), {})[one.file] = one
        return found

    def rename_layer(self, old: str, new: str) -> None:
        """Take over what is remembered of a layer whose folder was renamed; what `new` has wins.

        Args:
            old: the layer's former folder.
            new: its folder now.

        """
        names = (os.fsencode(new), os.fsencode(old))
        self._connection.execute("UPDATE OR IGNORE entries SET layer = ? WHERE layer = ?", names)
        self._connection.execute("DELETE FROM entries WHERE layer = ?", names[1:])


def _remembered(row: tuple[Any, ...]) -> Remembered:
    file, title, hook, role, line, heading, after, below, gone = row
    return Remembered(
        os.fsdecode(file), title, hook, role, line, heading, os.fsdecode(after), below, bool(gone)
    )


def _row(one: Remembered) -> tuple[Any, ...]:
    return (
        os.fsencode(one.file),
        one.title,
        one.hook,
        one.role,
        one.line,
        one.heading,
        os.fsencode(one.after),
        one.below,
        int(one.gone),
    )
