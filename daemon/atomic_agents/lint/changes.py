"""When a page or its source last changed: from git, its name, or its time ([RULE-W], `source-newer`)."""

from __future__ import annotations

import datetime as dt
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Final

from atomic_agents.migration.origins import Origin, commit_dates
from atomic_agents.schemas.table import is_date

_PREFIX: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[_ -]")


class Changes:
    """Knows the days on which files of a vault last changed.

    A clone makes every file new and a first commit may come late, so a day in the file's name, which is the
    day of its ingestion, counts more than either; a second commit counts most.

    Args:
        root: the vault's real path.
        asks_git: whether git may be asked.

    """

    def __init__(self, root: Path, *, asks_git: bool = True) -> None:
        self._root = root
        self._asks_git = asks_git

    def last(self, path: str) -> str | None:
        """Return the day (ISO) on which a file last changed; None if it is not there.

        Args:
            path: relative to the vault.

        """
        try:
            modified = os.stat(self._root / path).st_mtime
        except (OSError, ValueError):
            return None
        committed = self._committed.get(path)
        if committed is not None and committed.first != committed.last:
            return committed.last
        named = _PREFIX.match(path.rpartition("/")[2])
        if named is not None and is_date(named[1]):
            return named[1]
        if committed is not None:
            return committed.last
        return dt.datetime.fromtimestamp(modified).astimezone().date().isoformat()

    @cached_property
    def _committed(self) -> dict[str, Origin]:
        return dict(commit_dates(self._root)) if self._asks_git else {}
