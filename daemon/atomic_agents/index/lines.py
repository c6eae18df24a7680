"""One line of INDEX.md by itself: what it is, what it links to, what it opens."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from atomic_agents.index.entries import Entry, Item, entry_of, indent_of, item_of
from atomic_agents.index.links import code_end, links_in

CODE_INDENT: Final = 4
"""Columns from which on a line is code, or belongs to a list item above."""

_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_RULE: Final = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE: Final = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$")
_FENCE: Final = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_RAW: Final = re.compile(r"<(pre|script|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_COMMENT_TOKEN: Final = re.compile(r"\\.|`+|<!--")
_BLANKS: Final = re.compile(r"[ \t]*")
_POINTS: Final = re.compile(r"(?:^|/)INDEX(?:_[^/#]*)?(?:\.md)?(?:#.*)?$")
_CONFLICT: Final = re.compile(r"^<{7}(?: |$)")


class Kind(enum.Enum):
    """What a line is."""

    BLANK = enum.auto()
    HEADING = enum.auto()
    UNDERLINE = enum.auto()
    RULE = enum.auto()
    ITEM = enum.auto()
    TEXT = enum.auto()
    OPAQUE = enum.auto()
    """Code, comment, front matter: nothing in it counts or is touched."""
    CONFLICT = enum.auto()
    """Between git's markers: what it links to counts, nothing in it is touched."""


class Opens(enum.Enum):
    """What may begin in a line and go on below."""

    FENCE = enum.auto()
    COMMENT = enum.auto()
    INLINE_COMMENT = enum.auto()
    RAW = enum.auto()
    CONFLICT = enum.auto()


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its line end.

    Args:
        text: all of it.
        kind: what it is where no line above says otherwise.
        indent: columns before its first character.
        level: a heading's, from 1.
        title: a heading's, without its marks.
        item: the list item that begins here.
        entry: the entry that this item is.
        targets: what it links to, and whether by wikilink; the entry's own target is not among them.
        opens: what begins here and is not closed here.
        mark: the fence, or what closes the raw HTML, that begins here.
        is_inside: whether a line put before it would be part of what began above.
        points: whether it is an entry that leads to another index file.

    """

    text: str
    kind: Kind
    indent: int = 0
    level: int = 0
    title: str = ""
    item: Item | None = None
    entry: Entry | None = None
    targets: tuple[tuple[str, bool], ...] = ()
    opens: Opens | None = None
    mark: str = ""
    is_inside: bool = False
    points: bool = False

    @property
    def is_underline(self) -> bool:
        """Whether it makes a heading of the paragraph above."""
        return self.kind in {Kind.RULE, Kind.TEXT} and _UNDERLINE.match(self.text) is not None


@lru_cache(maxsize=1 << 15)
def read_line(text: str) -> Line:
    """Return what a line is by itself; equal lines are read once.

    Args:
        text: without its line end.

    """
    blanks = _BLANKS.match(text)
    start = blanks.end() if blanks else 0
    if start == len(text):
        return Line(text, Kind.BLANK)
    indent = indent_of(text[:start])
    return (
        _heading(text, indent)
        or _rule(text, indent)
        or _item(text, indent)
        or _opening(text, indent, start)
        or _text(text, indent)
    )


def _heading(text: str, indent: int) -> Line | None:
    match = _HEADING.match(text) if "#" in text else None
    if match is None:
        return None
    title = match[2] or ""
    return Line(text, Kind.HEADING, indent, len(match[1]), title.strip(), targets=_targets(text))


def _rule(text: str, indent: int) -> Line | None:
    return Line(text, Kind.RULE, indent) if _RULE.match(text) else None


def _item(text: str, indent: int) -> Line | None:
    item = item_of(text)
    if item is None:
        return None
    fence = _FENCE.match(text, item.start)
    if fence is not None:
        return Line(text, Kind.ITEM, indent, item=item, opens=Opens.FENCE, mark=fence[0])
    entry = entry_of(text, item)
    return Line(
        text,
        Kind.ITEM,
        indent,
        item=item,
        entry=entry,
        targets=_targets(text, entry),
        opens=Opens.INLINE_COMMENT if _leaves_comment_open(text) else None,
        points=entry is not None and _POINTS.search(entry.target) is not None,
    )


def _opening(text: str, indent: int, start: int) -> Line | None:
    if (fence := _FENCE.match(text, start)) is not None:
        return Line(text, Kind.OPAQUE, indent, opens=Opens.FENCE, mark=fence[0])
    if text.startswith("<!--", start):
        closed = "-->" in text[start + 4 :]
        return Line(text, Kind.OPAQUE, indent, opens=None if closed else Opens.COMMENT)
    if (raw := _RAW.match(text, start)) is not None:
        mark = f"</{raw[1].casefold()}>"
        closed = mark in text.casefold()
        return Line(text, Kind.OPAQUE, indent, opens=None if closed else Opens.RAW, mark=mark)
    return None


def _text(text: str, indent: int) -> Line:
    opens = Opens.INLINE_COMMENT if _leaves_comment_open(text) else None
    if _CONFLICT.match(text):
        opens = Opens.CONFLICT
    return Line(text, Kind.TEXT, indent, targets=_targets(text), opens=opens)


def _targets(text: str, entry: Entry | None = None) -> tuple[tuple[str, bool], ...]:
    own = entry.target_span if entry is not None else None
    return tuple((link.target, link.is_wiki) for link in links_in(text) if link.target_span != own)


def _leaves_comment_open(text: str) -> bool:
    position = 0 if "<!--" in text else len(text)
    while token := _COMMENT_TOKEN.search(text, position):
        position = token.end()
        if token[0][0] == "`":
            position = code_end(text, token) or position
        elif token[0] == "<!--":
            position = text.find("-->", position)
            if position < 0:
                return True
    return False
