"""One entry of INDEX.md: a list item that begins with a link, a wikilink or a title in backticks."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import Final

from atomic_agents.index.links import LONGEST, Link, links_in

_ITEM: Final = re.compile(r"^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|$)((?:\[[ xX]\][ \t]+)?)")
_BOLD: Final = re.compile(r"\*\*|__|~~|\*(?=[\[`])|_(?=[\[`])")
_USUAL: Final = re.compile(r"\[([^\[\]\\`<]*)\]\(([^()\s<>\\]*)\)")
_CODE: Final = re.compile(r"(?<!`)(`{1,2})(?!`)([^`]+)\1(?!`)")
_SEPARATOR: Final = re.compile(r"[ \t]*(?:[\u2014\u2013][ \t]*|(?:--?|:)(?:[ \t]+|$))|[ \t]+")
_TAB: Final = 4


class Form(enum.StrEnum):
    """How an entry names its unit; the values are those of `[index] entry_style`."""

    LINK = "link"
    WIKI = "wikilink"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Item:
    """The begin of a list item.

    Args:
        indent: columns before the bullet.
        bullet: `-`, `*`, `+`, `3.` or `3)`.
        gap: what stands between the bullet and the text, a check box included.
        start: offset of the text.
        offset: the column from which on lines below belong to this item.

    """

    indent: int
    bullet: str
    gap: str
    start: int
    offset: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, and where its parts stand in its line; what is not replaced stays as it is.

    Args:
        text: the line without its line end.
        item: its bullet.
        form: how it names its unit.
        title: as written, escapes included; "" where a wikilink shows none of its own.
        target: as written, without angle brackets; "" where only the title tells the unit.
        separator: what stands between title and hook, blanks included; "" without a hook.
        hook: as written.
        title_span: offsets of the title, None where there is none to replace.
        target_span: offsets of the target, None where there is none.
        hook_span: offsets of the hook; empty, at the end of the text, without one.
        bold: the marks around the title, `**` or the like.

    """

    text: str
    item: Item
    form: Form
    title: str
    target: str
    separator: str
    hook: str
    title_span: tuple[int, int] | None
    target_span: tuple[int, int] | None
    hook_span: tuple[int, int]
    bold: str = ""

    @property
    def is_wiki(self) -> bool:
        """Whether the target is a wikilink's."""
        return self.form is Form.WIKI


def item_of(text: str) -> Item | None:
    """Return the begin of a list item, or None.

    Args:
        text: one line.

    """
    match = _ITEM.match(text)
    if match is None:
        return None
    indent = indent_of(match[1])
    return Item(indent, match[2], match[3] + match[4], match.end(), indent + len(match[2]) + 1)


def indent_of(blanks: str) -> int:
    """Return how many columns leading blanks take, tabs every four."""
    if "\t" not in blanks:
        return len(blanks)
    return len(blanks.expandtabs(_TAB))


def entry_of(text: str, item: Item) -> Entry | None:
    """Return the entry that a list item is, or None.

    Args:
        text: one line.
        item: its begin.

    """
    if len(text) > LONGEST:
        return None
    bold = _BOLD.match(text, item.start)
    start = bold.end() if bold else item.start
    marks = bold[0] if bold else ""
    usual = _USUAL.match(text, start)
    if usual is not None and not usual[1].startswith("^"):
        return _entry(text, item, Form.LINK, _Named(usual.span(1), usual.span(2), usual.end(), marks))
    if text.startswith("[", start):
        link = next((link for link in links_in(text) if link.span[0] == start), None)
        return _from_link(text, item, link, marks) if link is not None else None
    code = _CODE.match(text, start)
    if code is None:
        return None
    return _entry(text, item, Form.CODE, _Named(code.span(2), None, code.end(), marks))


def rewritten(
    entry: Entry, *, title: str | None = None, target: str | None = None, hook: str | None = None
) -> str:
    """Return the entry's line with some of its parts replaced.

    Args:
        entry: the entry.
        title: the new title, escaped; None keeps it, and so does an entry that shows none.
        target: the new target; None keeps it.
        hook: the new hook, escaped; None keeps it; an entry without one stays without.

    """
    changes = [
        (entry.title_span, title),
        (entry.target_span, target),
        (entry.hook_span if entry.hook else None, hook),
    ]
    text = entry.text
    for span, new in sorted(((s, n) for s, n in changes if s is not None and n is not None), reverse=True):
        text = text[: span[0]] + new + text[span[1] :]
    return text


@dataclass(frozen=True, slots=True)
class _Named:
    """Where the part of an entry that names its unit stands."""

    title: tuple[int, int] | None
    target: tuple[int, int] | None
    end: int
    bold: str


def _from_link(text: str, item: Item, link: Link, bold: str) -> Entry:
    form = Form.WIKI if link.is_wiki else Form.LINK
    entry = _entry(text, item, form, _Named(link.title_span, link.target_span, link.span[1], bold))
    return replace(entry, target=link.target)


def _entry(text: str, item: Item, form: Form, named: _Named) -> Entry:
    """Read what follows the title: the end of its bold marks, the separator, the hook."""
    end = named.end
    if named.bold and text.startswith(named.bold, end):
        end += len(named.bold)
    separator = _SEPARATOR.match(text, end)
    start = separator.end() if separator else end
    stop = max(start, len(text.rstrip()))
    return Entry(
        text=text,
        item=item,
        form=form,
        title=text[named.title[0] : named.title[1]] if named.title else "",
        target=text[named.target[0] : named.target[1]] if named.target else "",
        separator=text[end:start] if start < stop else "",
        hook=text[start:stop],
        title_span=named.title,
        target_span=named.target,
        hook_span=(start, stop),
        bold=named.bold,
    )
