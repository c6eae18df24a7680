"""Edits of a list with one item a line: items before and behind the change keep their lines ([WRITE-1])."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from atomic_agents.units.edits import Change, Edit, after_line, line_start
from atomic_agents.units.emit import emit_block
from atomic_agents.units.marks import Entry, same

_DASH: Final = re.compile(r"[ \t]*-[ \t]+")


def edit_items(block: str, change: Change, entry: Entry, newline: str) -> Edit | None:
    """Return the edit of the items that differ, or None if the value has to be written anew.

    Args:
        block: the lines between the fences.
        change: the field; its new value is a list or mapping that is not empty.
        entry: where its old value lies.
        newline: the line end of new lines.

    Raises:
        EmitError: an item has no YAML form.

    """
    old, new = change.old, change.value
    if not isinstance(old, list) or not isinstance(new, list | tuple):
        return None
    before = _common(old, new)
    behind = min(_common(reversed(old), reversed(new)), len(old) - before, len(new) - before)
    if before + behind == 0 or not _is_one_a_line(block, entry, len(old)):
        return None
    start, end = _lines_of(block, entry.items, before, len(old) - behind)
    return Edit(start, end, _lines(block, entry, [*new[before : len(new) - behind]], newline))


def _common(one: Iterable[Any], other: Iterable[Any]) -> int:
    """Return how many items are the same from the start on."""
    pairs = itertools.takewhile(lambda pair: same(*pair), zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _is_one_a_line(block: str, entry: Entry, count: int) -> bool:
    """Whether every item begins a line of its own behind its dash."""
    if entry.style != "-" or len(entry.items) != count:
        return False
    return all(_DASH.fullmatch(block, line_start(block, start), start) for start, _ in entry.items)


def _lines_of(block: str, items: Sequence[tuple[int, int]], first: int, end: int) -> tuple[int, int]:
    """Return the offsets of the lines of some items; a comment above the next item is not among them."""
    if first < end:
        return line_start(block, items[first][0]), after_line(block, items[end - 1][1])
    place = after_line(block, items[first - 1][1]) if first else line_start(block, items[0][0])
    return place, place


def _lines(block: str, entry: Entry, items: list[Any], newline: str) -> str:
    first = entry.items[0][0]
    indent = block[line_start(block, first) : first].partition("-")[0]
    return "".join(f"{indent}{line}{newline}" for line in (emit_block(items) if items else ()))
