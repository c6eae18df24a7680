"""Parting the entries of a sub-index by ranges of their keys ([INDEX-6])."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atomic_agents.index.sheet import Row
from atomic_agents.index.slices import cut, key_of, labels

_HEAD: int = 3
"""Lines of a sub-index besides its entries."""


@dataclass(frozen=True, slots=True)
class Part:
    """Entries that go into one sub-index.

    Args:
        low: the begin of the first key.
        high: the begin of the last key.
        rows: the entries with what hangs below them, in the order in which they stood.

    """

    low: str
    high: str
    rows: tuple[Row, ...]


def parted(blocks: Sequence[Sequence[Row]], most: int) -> list[Part]:
    """Return entries in parts that leave room to grow: no part fills more than two thirds of a sub-index.

    Args:
        blocks: the entries, each with what hangs below it, in order.
        most: the most lines of a sub-index.

    """
    order = sorted(range(len(blocks)), key=lambda number: (key_of_row(blocks[number][0]), number))
    keys = [(key_of_row(blocks[number][0]), len(blocks[number])) for number in order]
    parts = [part for part in cut(keys, max(1, most * 2 // 3 - _HEAD)) if len(part)]
    names = labels([(keys[part[0]][0], keys[part[-1]][0]) for part in parts]) if parts else []
    return [
        Part(low, high, tuple(row for number in sorted(order[n] for n in part) for row in blocks[number]))
        for part, (low, high) in zip(parts, names, strict=True)
    ]


def key_of_row(row: Row) -> str:
    """Return what an entry is sorted by."""
    entry = row.line.entry
    return key_of(row.owner or (entry.target if entry is not None else ""))
