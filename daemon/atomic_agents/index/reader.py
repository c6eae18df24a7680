"""Telling what the lines of INDEX.md are where they stand: fences, comments, conflicts, headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from atomic_agents.index.entries import indent_of
from atomic_agents.index.lines import CODE_INDENT, Kind, Line, Opens, read_line
from atomic_agents.index.links import defines_label

_FENCES: Final = frozenset({"---", "..."})
_KEY: Final = re.compile(r"^[^\s#:][^:]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Reading:
    """Lines in their place.

    Args:
        lines: what each line is.
        is_open: whether they end within a fence or comment that nothing closes.

    """

    lines: list[Line]
    is_open: bool


def read_lines(texts: Sequence[str]) -> Reading:
    """Return what each line is, given the lines above it (and for comments and conflicts, below it).

    Args:
        texts: the lines without their line ends.

    """
    reader = _Reader(texts)
    return Reading(reader.read(), reader.is_open)


class _Reader:
    """Goes through the lines once; `offsets` are the columns at which the texts of open list items begin."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._lines: list[Line] = []
        self._offsets: list[int] = []
        self.is_open = False

    def read(self) -> list[Line]:
        lines, texts = self._lines, self._texts
        self._take_opaque(_front_matter(texts))
        while len(lines) < len(texts):
            line = read_line(texts[len(lines)])
            if line.item is not None and not line.indent and line.opens is None:
                self._offsets = [line.item.offset]
                lines.append(line)
                continue
            in_list = bool(self._offsets)
            self._enter(line)
            if line.indent >= CODE_INDENT and not self._offsets and line.kind is not Kind.BLANK:
                lines.append(self._code(line))
            elif line.is_underline and not in_list and (start := self._paragraph()) < len(lines):
                self._underline(start, line)
            else:
                lines.append(line)
                if line.opens is not None:
                    self._open(line)
        return lines

    def _enter(self, line: Line) -> None:
        """Follow which list items are open."""
        offsets = self._offsets
        if offsets and line.kind is not Kind.BLANK:
            if line.kind is Kind.TEXT and self._lines[-1].kind is not Kind.BLANK:
                return
            while offsets and line.indent < offsets[-1]:
                offsets.pop()
        if line.item is not None and (offsets or line.indent < CODE_INDENT):
            offsets.append(line.item.offset)

    def _code(self, line: Line) -> Line:
        """Return an indented line outside of lists: code, or more of the paragraph above."""
        above = self._lines[-1].kind if self._lines else Kind.BLANK
        if above is Kind.TEXT:
            return Line(line.text, Kind.TEXT, line.indent, targets=_all_targets(line))
        return Line(line.text, Kind.OPAQUE, line.indent)

    def _paragraph(self) -> int:
        """Return where the paragraph begins that ends above; the next line, if there is none."""
        start = len(self._lines)
        while start and _is_paragraph(self._lines[start - 1]):
            start -= 1
        return start

    def _underline(self, start: int, line: Line) -> None:
        """Make a heading of the paragraph that begins at `start`."""
        texts = [above.text.strip() for above in self._lines[start:]]
        level = 1 if "=" in line.text else 2
        self._lines[start] = replace(
            self._lines[start], kind=Kind.HEADING, level=level, title=" ".join(texts)
        )
        rest = [*self._lines[start + 1 :], line]
        self._lines[start + 1 :] = [replace(one, kind=Kind.UNDERLINE, is_inside=True) for one in rest]

    def _open(self, line: Line) -> None:
        if line.opens is Opens.FENCE:
            self._take_region(lambda text, base: _closes_fence(text, line.mark, base))
        elif line.opens is Opens.COMMENT:
            self._take_region(lambda text, _: "-->" in text)
        elif line.opens is Opens.RAW:
            self._take_region(lambda text, _: line.mark in text.casefold())
        elif line.opens is Opens.INLINE_COMMENT:
            self._take_opaque(self._comment_end())
        else:
            self._take_conflict()

    def _take_opaque(self, end: int) -> None:
        start = len(self._lines)
        self._lines += [
            Line(text, Kind.OPAQUE, _indent(text), is_inside=True) for text in self._texts[start:end]
        ]

    def _take_region(self, closes: Callable[[str, int], bool]) -> None:
        """Take the lines up to the one that closes what was opened, or to the end of its list item."""
        base = self._offsets[-1] if self._offsets else 0
        for number in range(len(self._lines), len(self._texts)):
            text = self._texts[number]
            if base and text.strip(" \t") and _indent(text) < base:
                self._take_opaque(number)
                return
            if closes(text, base):
                self._take_opaque(number + 1)
                return
        self._take_opaque(len(self._texts))
        self.is_open = not base

    def _comment_end(self) -> int:
        """Return the line after the one that closes a comment within a paragraph, or 0."""
        for number in range(len(self._lines), len(self._texts)):
            text = self._texts[number]
            if read_line(text).kind in {Kind.BLANK, Kind.ITEM, Kind.HEADING}:
                break
            if "-->" in text:
                return number + 1
        return 0

    def _take_conflict(self) -> None:
        """Turn the lines from `<<<<<<<` to `>>>>>>>` into a conflict's, if both sides are there."""
        start = len(self._lines) - 1
        wanted = ["=======", ">>>>>>>"]
        for number in range(start + 1, len(self._texts)):
            if _is_marker(self._texts[number], wanted[0]):
                wanted.pop(0)
                if not wanted:
                    self._lines[start:] = map(_conflict, self._texts[start : number + 1])
                    self._lines[start] = replace(self._lines[start], is_inside=False)
                    return


def _is_paragraph(line: Line) -> bool:
    is_other = line.text.lstrip().startswith((">", "|")) or defines_label(line.text)
    return line.kind is Kind.TEXT and not is_other


def _indent(text: str) -> int:
    return indent_of(text[: len(text) - len(text.lstrip(" \t"))])


def _closes_fence(text: str, mark: str, base: int) -> bool:
    bare = text.strip(" \t")
    return len(bare) >= len(mark) and not bare.strip(mark[0]) and _indent(text) < base + CODE_INDENT


def _is_marker(text: str, mark: str) -> bool:
    return text == mark or text.startswith(f"{mark} ")


def _conflict(text: str) -> Line:
    line = read_line(text)
    return Line(text, Kind.CONFLICT, line.indent, targets=_all_targets(line), is_inside=True)


def _all_targets(line: Line) -> tuple[tuple[str, bool], ...]:
    own = ((line.entry.target, line.entry.is_wiki),) if line.entry and line.entry.target else ()
    return (*own, *line.targets)


def _front_matter(texts: Sequence[str]) -> int:
    """Return how many lines the front matter takes."""
    if not texts or texts[0].rstrip() != "---":
        return 0
    for number, text in enumerate(texts[1:], 1):
        if text.rstrip() in _FENCES:
            return number + 1 if number == 1 or _looks_like_yaml(texts[1:number]) else 0
    return 0


def _looks_like_yaml(texts: Iterable[str]) -> bool:
    first = next((text for text in texts if text.strip()), "")
    return _KEY.match(first) is not None
