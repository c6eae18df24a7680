"""Where the parts of a frontmatter lie: offsets into the lines between the fences."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """One top-level `key: value`.

    Offsets into the block; `start:end` is the value with its anchor and tag. `style` is the scalar's style
    (`""` plain, `'`, `"`, `|`, `>`), `*` for an alias, `[` for a flow collection, `-` for a block one.
    `items` are the offsets of a list's items. A key that came by a merge (`<<`) has no entry.
    """

    key_start: int
    key_end: int
    start: int
    end: int
    style: str
    items: tuple[tuple[int, int], ...] = ()

    def span(self, item: int | None) -> tuple[int, int]:
        """Return the offsets of the value, or of one of its items."""
        if item is None or item >= len(self.items):
            return self.start, self.end
        return self.items[item]


class Cut(NamedTuple):
    """A plain text value of which YAML dropped a part.

    `field` is the top-level key, `value` what YAML made of it, `offset` where it begins.
    """

    field: str
    value: str
    lost: str
    offset: int


class Unbuilt(NamedTuple):
    """Stands for a value that YAML names but cannot build, such as 2026-02-30."""

    raw: str


@dataclass(slots=True)
class Marks:
    """What the loader noted on the way.

    Args:
        entries: the top-level entries by key.
        cuts: values of which a part was dropped.
        anchors: names and offsets of `&name`.
        aliases: names and offsets of `*name`.
        in_flow: whether the whole mapping is written in braces.
        end: where the mapping ends and nothing but comments, blanks or `...` follows.

    """

    entries: dict[str, Entry] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    anchors: list[tuple[str, int]] = field(default_factory=list)
    aliases: list[tuple[str, int]] = field(default_factory=list)
    in_flow: bool = False
    end: int = 0


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to YAML: `1`, `1.0` and `true` differ, and so do a date and its text.

    Args:
        one: a value as YAML gives it; tuples count as lists.
        other: the same; neither may contain itself.

    """
    if isinstance(one, list | tuple):
        return isinstance(other, list | tuple) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and _same_mapping(one, other)
    return bool(identity(one) == identity(other))


def _same_mapping(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    if {*map(identity, one)} != {*map(identity, other)}:
        return False
    return all(same(value, other[key]) for key, value in one.items())


def identity(value: Any) -> Any:
    """Return a value that tells apart what YAML tells apart; hashable if the value is.

    Args:
        value: no list or mapping that contains itself.

    """
    if isinstance(value, str):
        return str, str(value)
    if isinstance(value, float | dt.datetime):
        return type(value), str(value)
    if isinstance(value, set | frozenset):
        return set, frozenset(map(identity, value))
    return type(value), value
