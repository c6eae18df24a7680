"""A running daemon's lines on a terminal: what matters now, and no flood at the start."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from atomic_agents.log.events import Event
from atomic_agents.log.render import console_line
from atomic_agents.log.telling import word_of

_AT_START: Final = 8
"""So many lines of one event are shown of what the first sweep finds; the rest is counted."""

_PROBLEMS: Final = 5
_EXPECTED_AT_START: Final = frozenset({Event.UNIT_INDEXED, Event.UNIT_ADOPTED})
"""Told in a word at the start; what is to be said of them is counted, or told with the adoption."""

_MARGIN: Final = " " * 12
_ROUTINE: Final = frozenset({"start", "interval", "sync", "configuration read again"})


class Live:
    """Turns log records into lines for a terminal, in their order.

    Args:
        colour: whether to colour them.

    """

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._starting = False
        self._seen: Counter[str] = Counter()
        self._warnings = 0

    def show(self, record: Mapping[str, Any]) -> str:
        """Return the lines for one record; "" if it need not be shown."""
        event = record.get("event")
        if event == Event.DAEMON_STARTED:
            self._starting = True
        lines = list(self._sum_up()) if event in {Event.VAULT_ADOPTED, Event.DAEMON_READY} else []
        if event == Event.DAEMON_READY:
            self._starting = False
        if self._is_shown(record):
            lines.append(self._line(record))
        if event == Event.DAEMON_STARTED:
            lines.append(f"{_MARGIN}Ctrl-C stops")
        return "\n".join(lines)

    def _is_shown(self, record: Mapping[str, Any]) -> bool:
        event = record.get("event")
        if event == Event.SWEEP_FINISHED:
            return not _ROUTINE.issuperset(str(record.get("reason")).split("; "))
        if event == Event.DAEMON_STOPPING:
            return bool(record.get("queue"))
        return not self._starting or not record.get("path") or self._has_room(record)

    def _has_room(self, record: Mapping[str, Any]) -> bool:
        word = word_of(record)
        self._seen[word] += 1
        if record.get("event") == Event.UNIT_INDEXED:
            self._warnings += len(record.get("problems") or ())
        return self._seen[word] <= _AT_START

    def _line(self, record: Mapping[str, Any]) -> str:
        width = shutil.get_terminal_size((100, 24)).columns
        facts = not self._starting or record.get("event") not in _EXPECTED_AT_START
        return console_line(record, colour=self._colour, width=width, most=_PROBLEMS, facts=facts)

    def _sum_up(self) -> Iterator[str]:
        """Say what was not shown one by one."""
        for word, number in self._seen.items():
            if number > _AT_START:
                yield f"{_MARGIN}… and {number - _AT_START} more {word}"
        if self._warnings:
            yield f"{_MARGIN}{self._warnings} warnings; atomicd lint shows them"
        self._seen.clear()
        self._warnings = 0
