"""The logger itself: structlog into a file and a stream (contract section 10)."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

from atomic_agents.log.events import Event
from atomic_agents.log.file import LogFile
from atomic_agents.log.live import Live
from atomic_agents.log.render import journal_line, json_line

Form = Literal["json", "console", "colour", "journal"]
"""How lines look on the stream: for programs, for people, with colours, for the systemd journal."""


def _show_in(form: Form) -> Callable[[Mapping[str, Any]], str]:
    if form == "journal":
        return journal_line
    return json_line if form == "json" else Live(colour=form == "colour").show


class Threshold:
    """The least level that is written; it may change while the process runs.

    Args:
        level: debug, info, warning, error.

    """

    def __init__(self, level: str) -> None:
        self.level = level

    def __call__(self, _logger: WrappedLogger, level: str, event_dict: EventDict) -> EventDict:
        """Let a record pass, or drop it; a processor of structlog."""
        if _number(level) < _number(self.level):
            raise structlog.DropEvent
        return event_dict


def _number(level: str) -> int:
    number = logging.getLevelNamesMapping()[level.upper()]
    return min(number, logging.ERROR)


class _Sink:
    """What structlog writes to: every level lands in one method."""

    def __init__(self, *writers: Any) -> None:
        self._writers = writers

    def msg(self, event_dict: EventDict) -> None:
        for write in self._writers:
            write(event_dict)

    debug = info = warning = error = critical = exception = msg


def make_logger(
    *,
    level: str | Threshold,
    vault: str,
    file: LogFile | None = None,
    stream: TextIO | None = None,
    form: Form = "json",
) -> FilteringBoundLogger:
    """Return the logger of a process.

    Args:
        level: least level written: debug, info, warning, error.
        vault: name of the vault, in every line.
        file: the log file.
        stream: where lines go as well, e.g. standard output.
        form: how lines look on the stream.

    """
    writers: list[Any] = []
    if file is not None:
        writers.append(lambda record: file.write(json_line(record)))
    if stream is not None:
        show = _show_in(form)
        writers.append(lambda record: _print(stream, show(record)))
    threshold = level if isinstance(level, Threshold) else Threshold(level)
    processors: list[Processor] = [threshold, _stamp, structlog.processors.format_exc_info, _pass_on]
    logger: FilteringBoundLogger = structlog.wrap_logger(
        _Sink(*writers),
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        vault=vault,
    )
    return logger


class LibraryHandler(logging.Handler):
    """Passes on what libraries log, at warning and above, as `daemon.library` lines.

    Args:
        logger: where to.

    """

    def __init__(self, logger: FilteringBoundLogger) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record of a library."""
        level = "error" if record.levelno >= logging.ERROR else "warning"
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text = f"{text}: {record.exc_info[1]!r}"
        getattr(self._logger, level)(Event.DAEMON_LIBRARY, library=record.name, message=text)


def _stamp(_logger: WrappedLogger, level: str, event_dict: EventDict) -> EventDict:
    now = dt.datetime.now().astimezone().isoformat(timespec="milliseconds")
    return {"ts": now, "level": level, **event_dict}


def _pass_on(
    _logger: WrappedLogger, _level: str, event_dict: EventDict
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (event_dict,), {}


def _print(stream: TextIO, text: str) -> None:
    if not text:
        return
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except (OSError, ValueError):
        return
