"""JSON lines through structlog: one line per outcome, never in the way of the work (contract section 10).

Everything is loaded when it is first asked for: structlog takes longer to import than a note to judge.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from atomic_agents.log.events import Event
    from atomic_agents.log.file import LogFile
    from atomic_agents.log.logger import Form, LibraryHandler, Threshold, make_logger
    from atomic_agents.log.render import console_line, journal_line, json_line

__all__ = [
    "FILE_NAME",
    "Event",
    "Form",
    "LibraryHandler",
    "LogFile",
    "Threshold",
    "console_line",
    "journal_line",
    "json_line",
    "make_logger",
]

FILE_NAME: Final = "atomicd.jsonl"

_LOADED: Final = {
    "Event": "events",
    "LogFile": "file",
    "Form": "logger",
    "LibraryHandler": "logger",
    "Threshold": "logger",
    "make_logger": "logger",
    "console_line": "render",
    "journal_line": "render",
    "json_line": "render",
}
"""The module that holds a name, which is imported with it."""


def __getattr__(name: str) -> object:
    """Return a name that is loaded now."""
    if name not in _LOADED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{_LOADED[name]}"), name)
    return found
