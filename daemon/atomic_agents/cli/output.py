"""How the commands print: tables and colours for people, JSON for programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final, TextIO

import click

from atomic_agents.log.wrapping import wrap
from atomic_agents.model import printable

_PIPE_WIDTH: Final = 1000
"""Columns where there is no terminal: nothing is folded for `grep`."""


def has_colours() -> bool:
    """Whether standard output takes colours: a terminal does, unless `NO_COLOR` is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def columns(stream: TextIO | None = None) -> int:
    """Return the terminal's width; 0 where no line is to be broken, as in a file or a pipe.

    Args:
        stream: where lines go; None is standard output.

    """
    if not (stream or sys.stdout).isatty() and "COLUMNS" not in os.environ:
        return 0
    return shutil.get_terminal_size().columns


def fold(text: str, width: int) -> str:
    """Return a text broken at blanks, each further line two columns further in.

    Args:
        text: one line or more.
        width: columns; 0 breaks nothing.

    """
    lines = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        margin = line[: len(line) - len(body)]
        lines += wrap(body, width, first=margin, rest=f"{margin}  ")
    return "\n".join(lines)


def print_json(values: Any) -> None:
    """Print a value as JSON; names that are not UTF-8 come out escaped."""
    click.echo(json.dumps(values, indent=2, ensure_ascii=not _is_plain(values)))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table that fits the terminal; cells are made safe to print.

    Args:
        heads: the columns' names.
        rows: as many cells each.

    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(_escape(cell) for cell in row))
    plain = None if has_colours() else False
    width = columns() or _PIPE_WIDTH
    Console(file=sys.stdout, highlight=False, width=width, force_terminal=plain).print(table)


def say(text: str, *, colour: str | None = None, bold: bool = False) -> None:
    """Print a line that fits the terminal, coloured there only; the text is made safe to print."""
    safe = fold("\n".join(printable(line) for line in text.split("\n")), columns())
    click.echo(click.style(safe, fg=colour, bold=bold) if colour or bold else safe)


def say_command(before: str, command: str) -> None:
    """Print a command that is to be copied: on one line, however narrow the terminal is.

    Args:
        before: what it is for.
        command: safe to print once its control characters are escaped.

    """
    click.echo(f"  {before}: {printable(command)}")


def _escape(cell: str) -> str:
    from rich.markup import escape

    return escape(printable(cell))


def _is_plain(values: Any) -> bool:
    try:
        json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
