"""The style of an INDEX, which its new entries take: form, bullet, separator ([INDEX-2])."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from atomic_agents.index.entries import Form, Item
from atomic_agents.index.lines import Kind
from atomic_agents.index.saying import Saying
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.targets import fits_wikilink, written

_T = TypeVar("_T")

_TICKED: Final = re.compile(r"\[[xX]\]")
_NUMBER: Final = re.compile(r"\d+")
_NOT_IN_WIKI: Final = re.compile(r"[\[\]|\\`<]")


@dataclass(frozen=True, slots=True)
class Style:
    """How the entries of an INDEX are written.

    Args:
        form: how they name their unit.
        separator: what stands between title and hook.
        bullet: bullet and gap, `- `.
        bold: marks around the title.
        is_spaced: whether a blank line follows a heading.

    """

    form: Form
    separator: str = " — "
    bullet: str = "- "
    bold: str = ""
    is_spaced: bool = True


def style_of(sheets: Sequence[Sheet], configured: Form) -> Style:
    """Return the style that most entries have, or the configured form and the usual marks.

    Args:
        sheets: the index files, with the rows' owners set.
        configured: `[index] entry_style`.

    """
    entries = [row.line.entry for sheet in sheets for row in sheet.rows if _counts(row)]
    plain = [entry for entry in entries if entry is not None]
    bullets = [entry.item.bullet for entry in plain]
    spaced = [below for sheet in sheets for below in _below_headings(sheet.rows)]
    spaced = spaced or [below for sheet in sheets for below in _below_any_heading(sheet.rows)]
    return Style(
        form=_most((entry.form for entry in plain), configured),
        separator=_most((entry.separator for entry in plain if entry.separator.strip()), " — "),
        bullet=_most((f"{bullet} " for bullet in bullets if not bullet[0].isdigit()), "- "),
        bold=_most((entry.bold for entry in plain), ""),
        is_spaced=_most(spaced, default=True),
    )


def bullet_after(item: Item, text: str) -> str:
    """Return what a new entry begins with below a list item: its indent, bullet and gap.

    Args:
        item: the list item.
        text: its line.

    """
    bullet = item.bullet
    if bullet[0].isdigit():
        bullet = f"{int(bullet[:-1]) + 1}{bullet[-1]}"
    blanks = text[: len(text) - len(text.lstrip(" \t"))]
    return blanks + bullet + (_TICKED.sub("[ ]", item.gap) or " ")


def form_for(style: Style, file: str, title: str, *, is_unique: bool) -> Form:
    """Return the form of a unit's new entry: the INDEX's own where it can name this unit, else a link.

    Args:
        style: the INDEX's style.
        file: the unit, relative to the index file's folder.
        title: its name.
        is_unique: whether no other unit has this name.

    """
    if style.form is Form.CODE and is_unique and "`" not in title:
        return Form.CODE
    if style.form is Form.WIKI and fits_wikilink(file) and not _NOT_IN_WIKI.search(title):
        return Form.WIKI
    return Form.LINK


def compose(style: Style, form: Form, file: str, said: Saying) -> str:
    """Return a new entry's line, without its bullet.

    Args:
        style: the INDEX's style.
        form: the entry's form.
        file: the unit, relative to the index file's folder.
        said: what the entry says, in this form.

    """
    title = said.title.text
    if form is Form.CODE:
        named = f"`{title}`"
    elif form is Form.WIKI:
        named = f"[[{file.removesuffix('.md')}|{title}]]"
    else:
        named = f"[{title}]({written(file)})"
    tail = style.separator + said.hook.text if said.hook.text else ""
    return style.bold + named + style.bold + tail


def _counts(row: Row) -> bool:
    return row.line.entry is not None and row.is_entry


def _below_headings(rows: Sequence[Row]) -> Iterable[bool]:
    """Yield, for each heading with an entry as the first thing below it, whether a blank line parts them."""
    for number, row in enumerate(rows[:-1]):
        if row.line.kind in {Kind.HEADING, Kind.UNDERLINE}:
            below = rows[number + 1].line
            first = rows[number + 2].line if below.kind is Kind.BLANK and number + 2 < len(rows) else below
            if first.entry is not None:
                yield below.kind is Kind.BLANK


def _below_any_heading(rows: Sequence[Row]) -> Iterable[bool]:
    for number, row in enumerate(rows[:-1]):
        below = rows[number + 1].line.kind
        if row.line.kind in {Kind.HEADING, Kind.UNDERLINE} and below is not Kind.UNDERLINE:
            yield below is Kind.BLANK


def _most(values: Iterable[_T], default: _T) -> _T:
    counts = Counter(values)
    if not counts:
        return default
    best = max(counts.values())
    return default if counts[default] == best else next(value for value in counts if counts[value] == best)
