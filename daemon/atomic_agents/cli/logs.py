"""`atomicd logs`: the log for people, also while it grows and is rotated."""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents import config
from atomic_agents.cli.located import named, of_service
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import columns, has_colours, say
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.log import FILE_NAME, console_line
from atomic_agents.log.reading import LogReader
from atomic_agents.model import printable

if TYPE_CHECKING:
    from atomic_agents.lifecycle.plan import Scope

_LEVELS: Final = ("debug", "info", "warning", "error")
_POLL_SECONDS: Final = 0.2

_EPILOG: Final = """\b
Examples:
  atomicd logs -n 50
  atomicd logs -f --level warning
  atomicd logs --event unit.quarantined --json | jq -r .path
  atomicd logs --name work          of one of two services
"""


@click.command(epilog=_EPILOG)
@shared
@named
@as_json
@click.option("-f", "--follow", is_flag=True, help="Go on as lines come; Ctrl-C ends.")
@click.option(
    "-n", "--lines", type=click.IntRange(min=0), default=20, show_default=True, help="Lines shown first."
)
@click.option("--event", "events", multiple=True, help="Only these events; `unit.*` names a family.")
@click.option("--level", type=click.Choice(_LEVELS), default="debug", help="Least level shown.")
def logs(
    choices: Choices,
    *,
    name: str,
    scope: Scope,
    as_json: bool,
    follow: bool,
    lines: int,
    events: tuple[str, ...],
    level: str,
) -> int:
    """Show the log; only the lines of one vault, if one is named."""
    choices = of_service(choices, name, scope)
    path = config.log_root() / FILE_NAME
    if not path.exists() and not follow:
        raise AtomicAgentsError(f"log {path}: not there", hint="start the daemon once: `atomicd run`")
    wanted = _Filter(events, level, _vault_name(choices))
    show = _show_json if as_json else _Past().show
    reader = LogReader(path)
    try:
        past = (line for line in reader.past() if wanted.takes(_parse(line)))
        for line in deque(past, maxlen=lines):
            show(line)
        if follow:
            pause = threading.Event()
            for line in reader.future(lambda: pause.wait(_POLL_SECONDS)):
                if wanted.takes(_parse(line)):
                    show(line)
    finally:
        reader.close()
    return 0


def last_of_path(path: str, root: Path, number: int) -> list[dict[str, Any]]:
    """Return the last log records of one path, oldest first.

    Args:
        path: relative to the vault.
        root: the vault's real path.
        number: at most so many.

    """
    shown, vault = printable(path), printable(root.name)
    written = json.dumps(shown, ensure_ascii=False)
    reader = LogReader(config.log_root() / FILE_NAME)
    kept: deque[dict[str, Any]] = deque(maxlen=number)
    try:
        for line in reader.past():
            record = _parse(line) if written in line else {}
            if record.get("path") == shown and record.get("vault") == vault:
                kept.append(record)
    finally:
        reader.close()
    return list(kept)


class _Past:
    """Shows lines to people, with the day where it is another than that of the line before."""

    def __init__(self) -> None:
        self._day = f"{dt.datetime.now().astimezone():%Y-%m-%d}"
        self._colour = has_colours()

    def show(self, line: str) -> None:
        record = _parse(line)
        day = _day_of(record) or self._day
        if day != self._day:
            say(day, bold=True)
        self._day = day
        click.echo(console_line(record, colour=self._colour, width=columns()))


def _show_json(line: str) -> None:
    click.echo(line.rstrip("\n"))


def _day_of(record: dict[str, Any]) -> str:
    try:
        return f"{dt.datetime.fromisoformat(str(record.get('ts'))).astimezone():%Y-%m-%d}"
    except ValueError:
        return ""


def _vault_name(choices: Choices) -> str | None:
    """Return how the log calls the vault that was named, if one was."""
    if choices.vault is None:
        return None
    return printable(Path(os.path.realpath(choices.vault.expanduser())).name)


class _Filter:
    def __init__(self, events: tuple[str, ...], level: str, vault: str | None = None) -> None:
        self._vault = vault
        self._events = events
        self._least = _LEVELS.index(level)

    def takes(self, record: dict[str, Any]) -> bool:
        name, level = record.get("event"), record.get("level")
        if level in _LEVELS and _LEVELS.index(level) < self._least:
            return False
        if self._vault is not None and record.get("vault") not in {self._vault, None}:
            return False
        return not self._events or any(
            name == event or (event.endswith(".*") and str(name).startswith(event[:-1]))
            for event in self._events
        )


def _parse(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {"event": line.strip(), "level": "warning"}
    return record if isinstance(record, dict) else {"event": line.strip(), "level": "warning"}
