"""Edits of the lines between the fences, as offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from atomic_agents.units.marks import Entry

_BREAKS: Final = ("\n", "\r", "\x85", "\u2028", "\u2029")
"""What ends a line to YAML 1.1."""


class Change(NamedTuple):
    """One field that changes; `entry` is None if it is new here, `value` means nothing if it is removed."""

    key: str
    entry: Entry | None
    old: Any
    value: Any
    is_removed: bool


class Edit(NamedTuple):
    """Put `text` in the place of `start:end`."""

    start: int
    end: int
    text: str


def apply_edits(block: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits made; those at one place follow each other in the order given.

    Args:
        block: the text.
        edits: edits; deletions may overlap, what is inserted into a deletion is kept.

    """
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        if edit.start > position:
            pieces.append(block[position : edit.start])
        pieces.append(edit.text)
        position = max(position, edit.end)
    return "".join(pieces) + block[position:]


def line_start(block: str, offset: int) -> int:
    """Return where the line begins that holds an offset."""
    return max(block.rfind(char, 0, offset) for char in _BREAKS) + 1


def line_end(block: str, offset: int) -> int:
    """Return where the line ends that holds an offset, its line break not included."""
    found = [position for char in _BREAKS if (position := block.find(char, offset)) >= 0]
    return min(found, default=len(block))


def after_line(block: str, offset: int) -> int:
    """Return where the next line begins."""
    end = line_end(block, offset)
    return end + (2 if block.startswith("\r\n", end) else min(1, len(block) - end))
