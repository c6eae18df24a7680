"""A YAML collection while it is read, and the Python value that it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

NO_KEY: Final = object()
"""No key waits for its value."""

_PREFIX: Final = "tag:yaml.org,2002:"
_PAIRS: Final = frozenset({f"{_PREFIX}omap", f"{_PREFIX}pairs"})


class Collected(NamedTuple):
    """A finished node that an alias may name: its value, and its nodes and levels with aliases expanded."""

    value: Any
    nodes: int
    levels: int


@dataclass(slots=True)
class Frame:
    """A list or mapping of which the end has not been read.

    Args:
        is_mapping: which of the two.
        tag: its tag; None if it has none.
        anchor: its anchor; None if it has none.
        start: offset of its first character, anchor and tag included.
        in_flow: whether it is written in brackets.
        nodes_before: how many nodes were read before it.

    """

    is_mapping: bool
    tag: str | None
    anchor: str | None
    start: int
    in_flow: bool
    nodes_before: int
    key: Any = NO_KEY
    key_span: tuple[int, int] = (0, 0)
    levels: int = 1
    items: list[Any] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    pairs: dict[Any, Any] = field(default_factory=dict)
    seen: dict[Any, int] = field(default_factory=dict)
    merges: list[dict[Any, Any]] = field(default_factory=list)


class TagError(ValueError):
    """A collection has a tag that does not fit it."""


def close(frame: Frame) -> Any:
    """Return the value of a collection, as `yaml.CSafeLoader` builds it.

    Args:
        frame: the collection, read to its end.

    Raises:
        TagError: its tag is unknown or meant for something else.

    """
    return _close_mapping(frame) if frame.is_mapping else _close_sequence(frame)


def merge(frame: Frame, value: Any) -> bool:
    """Take a `<<` value; return whether it is a mapping or a list of mappings.

    Args:
        frame: the mapping that holds the `<<`.
        value: what stands behind it.

    """
    sources = list(reversed(value)) if isinstance(value, list) else [value]
    if not all(isinstance(source, dict) for source in sources):
        return False
    frame.merges.extend(sources)
    return True


def _close_mapping(frame: Frame) -> Any:
    value = frame.pairs
    if frame.merges:
        merged: dict[Any, Any] = {}
        for source in frame.merges:
            merged |= source
        value = merged | value
    if frame.tag in {None, "!", f"{_PREFIX}map"}:
        return value
    if frame.tag == f"{_PREFIX}set":
        return set(value)
    raise TagError(frame.tag)


def _close_sequence(frame: Frame) -> Any:
    if frame.tag in {None, "!", f"{_PREFIX}seq"}:
        return frame.items
    if frame.tag in _PAIRS and all(isinstance(item, dict) and len(item) == 1 for item in frame.items):
        return [next(iter(item.items())) for item in frame.items]
    raise TagError(frame.tag)
