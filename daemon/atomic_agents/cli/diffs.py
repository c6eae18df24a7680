"""Unified diffs for people: coloured on a terminal, safe to print, nothing that acts (contract [Q-4])."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

import click

from atomic_agents.model import printable

MAX_BYTES: Final = 2 << 20
"""Larger texts are not compared line by line."""

_COLOURS: Final = {"+": "green", "-": "red", "@": "cyan"}
_NO_END: Final = "\\ No newline at end of file"
_MARK: Final = f"\0{_NO_END}"
_NAMES: Final = 2


def unified(before: bytes, after: bytes, names: tuple[str, str]) -> list[str]:
    """Return a unified diff without line ends; nothing where both are the same.

    Args:
        before: the older bytes.
        after: the newer bytes.
        names: what the two are called.

    """
    if before == after:
        return []
    if max(len(before), len(after)) > MAX_BYTES:
        return [f"the two differ ({len(before)} and {len(after)} bytes; too large to compare by line)"]
    old, new = (printable(name) for name in names)
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new, lineterm="")
    return [piece for line in lines for piece in _pieces(line)]


def print_diff(lines: list[str]) -> None:
    """Print a diff, coloured on a terminal; what cannot be shown is escaped, tabs stay."""
    for number, line in enumerate(lines):
        is_name = number < _NAMES
        colour = None if is_name else _COLOURS.get(line[:1])
        shown = "\t".join(map(printable, line.split("\t")))
        click.echo(click.style(shown, fg=colour, bold=is_name or None))


def _lines(data: bytes) -> list[str]:
    """Return the lines without their ends; a last one without end carries a mark."""
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1]:
        lines[-1] += _MARK
    else:
        lines.pop()
    return lines


def _pieces(line: str) -> Iterator[str]:
    yield line.removesuffix(_MARK)
    if line.endswith(_MARK):
        yield _NO_END
