"""How `status` looks to people, once or all the time."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from atomic_agents.cli.output import columns, has_colours
from atomic_agents.daemon.report import Report

if TYPE_CHECKING:
    from rich.live import Live

_COLOURS: Final = {
    "running": "green",
    "starting": "cyan",
    "stopped": "yellow",
    "paused": "yellow",
    "not-installed": "yellow",
}
_PIPE_WIDTH: Final = 1000
_GIB: Final = 1 << 30

Wait = Callable[[float], object]


def show(report: Report) -> None:
    """Print a report.

    Args:
        report: how things are.

    """
    console().print(render(report))


def watch(read: Callable[[], Report], *, every: float, as_json: bool, wait: Wait | None = None) -> None:
    """Show reports until Ctrl-C: in place on a terminal, one after the other elsewhere.

    Args:
        read: makes a report.
        every: seconds between two.
        as_json: one JSON line each.
        wait: waits; raises KeyboardInterrupt to end.

    """
    pause = wait or threading.Event().wait
    with contextlib.suppress(KeyboardInterrupt):
        if as_json:
            _stream(read, every, pause)
        else:
            _live(read, every, pause)


def console() -> Console:
    """Return where reports are printed."""
    return Console(
        file=sys.stdout, highlight=False, no_color=not has_colours(), width=columns() or _PIPE_WIDTH
    )


def render(report: Report) -> RenderableType:
    """Return a report for people.

    Args:
        report: how things are.

    """
    told = report.status
    parts: list[RenderableType] = [
        Text(f"atomicd is {told.state}", style=f"bold {_COLOURS.get(told.state, 'red')}"),
        *(Text(f"  {reason}") for reason in told.reasons),
        _table(_facts(report)),
    ]
    if report.agents:
        parts.append(_agents(report))
    parts += [Text(f"  held: {hold['path']} ({hold['reason']})", style="yellow") for hold in told.holds]
    parts += map(Text, _advice(report))
    return Group(*parts)


def span(seconds: float) -> str:
    """Return a length of time in its two largest units: `3 d 4 h`, `12 s`."""
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    rest = int(seconds)
    words: list[str] = []
    for name, size in units:
        if rest >= size or (name == "s" and not words):
            words.append(f"{rest // size} {name}")
        rest %= size
    return " ".join(words[:2])


def _stream(read: Callable[[], Report], every: float, pause: Wait) -> None:
    while True:
        click.echo(json.dumps(read().as_json()))
        pause(every)


def _live(read: Callable[[], Report], every: float, pause: Wait) -> None:
    from rich.live import Live

    screen: Live
    with Live(render(read()), console=console(), auto_refresh=False, transient=False) as screen:
        while True:
            pause(every)
            screen.update(render(read()), refresh=True)


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    told = report.status
    up = f", up {span(report.uptime_seconds)}" if report.uptime_seconds is not None else ""
    yield "vault", told.vault
    yield "process", f"{told.pid}{up}" if told.pid else "none"
    yield "version", told.version or "unknown"
    yield "units", f"{told.units} ({told.adopted} adopted, {told.held} held)"
    yield "quarantined", str(told.quarantined)
    yield "waiting", f"{told.queue} paths"
    yield "watching", f"{told.watch['mode'] or 'not yet'}, {told.watch['watches']} folders"
    yield "last sweep", told.last_sweep or "none yet"
    if told.lint is not None:
        yield (
            "last lint",
            f"{told.lint['at']}: {told.lint['errors']} errors, {told.lint['warnings']} warnings",
        )
    yield "last sign", told.heartbeat or "none"
    yield "vault lock", f"process {report.vault_lock_pid}" if report.vault_lock_pid else "free"
    yield "disk free", f"{_gib(report.vault_free)} vault, {_gib(report.state_free)} state"
    if told.last_error:
        yield "last error", told.last_error


def _agents(report: Report) -> Table:
    heads = ("errors", "warnings", "held", "adopted", "quarantined")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("agent", *heads):
        table.add_column(head, overflow="fold", justify="left" if head == "agent" else "right")
    for agent, counts in report.agents.items():
        table.add_row(Text(agent or "(the vault)"), *(str(counts[head]) for head in heads))
    return table


def _advice(report: Report) -> Iterator[str]:
    told = report.status
    if told.adopted:
        yield f"{told.adopted} files were invalid when this vault was adopted: `atomicd lint` lists them."
    if told.quarantined:
        yield f"{told.quarantined} writes were blocked: `atomicd quarantine list` shows them."
    if told.lint is not None and told.lint["errors"] + told.lint["warnings"]:
        yield "`atomicd lint` lists what the daily look at the whole vault counted."
    if told.state == "stale":
        yield "`atomicd service restart` starts it anew; `atomicd doctor` looks for the cause."


def _table(rows: Iterator[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


def _gib(number: int | None) -> str:
    return f"{number / _GIB:.1f} GiB" if number is not None else "unknown"
