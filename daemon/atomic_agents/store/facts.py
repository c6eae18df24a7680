"""Single values: when the vault was adopted, when it was last swept, the breaker's memory."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
"""


class Facts:
    """Named values, as JSON.

    Args:
        connection: owned by the caller, who also commits.

    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def put(self, name: str, value: Any) -> None:
        """Remember a value.

        Args:
            name: its name.
            value: anything that JSON can hold.

        """
        self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))
