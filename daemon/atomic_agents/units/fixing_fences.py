"""Fences that were meant and are none: what they should be (contract [READ-1])."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from atomic_agents.units.codes import Fault
from atomic_agents.units.fences import FENCE, find_fences
from atomic_agents.units.fixing_draft import LineEdit, line_end_of, split_lines

_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_OPENING: Final = re.compile(rf"[ \t\u200b\u200c\u200d\u2060\ufeff\u00ad]*[{_DASHES}]{{2,}}[ \t]*\r?\n?\Z")
_CLOSING: Final = re.compile(rf"[ \t]*(?:[{_DASHES}]{{3,}}|\u2014|\.\.\.)[ \t]*\r?\n?\Z")
_KEY: Final = re.compile(r"(?:\"[^\"\n]+\"|'[^'\n]+'|[A-Za-z_][\w.-]*)[ \t]*:(?=[ \t\r\n]|\Z)")
_TEXT_KEY: Final = re.compile(r"[^\n]*:[ \t]+[|>][-+0-9]{0,2}[ \t]*\r?\n?\Z")
_WITHIN: Final = re.compile(r"[ \t]+\S|-(?:[ \t]|\r?\n|\Z)")

_NOWHERE: Final = 1
"""The line of the first fence: no field stands there."""


def mend_opening(text: str) -> list[LineEdit]:
    """Return the edit that makes the first line with text a fence, if it looks like one.

    Args:
        text: a unit's text, without BOM.

    """
    fault = find_fences(text)
    if not isinstance(fault, Fault) or fault.code != "frontmatter-missing":
        return []
    lines = split_lines(text)
    number = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    if not number or _OPENING.match(lines[number - 1]) is None:
        return []
    line = lines[number - 1]
    if FENCE.match(line):
        return [LineEdit(1, number - 1, (), fault.code, "removed the blank lines before the first `---`")]
    fence = f"---{line_end_of(line)}"
    return [LineEdit(1, number, (fence,), fault.code, "made the first line exactly `---`")]


def mend_closing(text: str, fields: Collection[str]) -> Iterator[LineEdit]:
    """Yield what may close the frontmatter, the likeliest first; the reading of the result tells if it does.

    Args:
        text: a unit's text whose first line is a fence.
        fields: the names that the schema knows.

    """
    lines = split_lines(text)
    code = "yaml-syntax" if FENCE.search(text, len(lines[0])) else "frontmatter-unclosed"
    end = _Scan(lines, fields).run()
    if end == _NOWHERE:
        return
    near = next((number for number in range(end + 1, len(lines) + 1) if lines[number - 1].strip()), 0)
    if near and _is_near_fence(lines[near - 1]):
        fence = f"---{line_end_of(lines[near - 1])}"
        yield LineEdit(near, near, (fence,), code, f"made line {near} exactly `---`")
    yield _insertion(lines, end, code)


def _insertion(lines: list[str], end: int, code: str) -> LineEdit:
    """Return the edit that puts `---` behind line `end`."""
    last, done = lines[end - 1], "put `---` behind the last field"
    fence = f"---{line_end_of(last)}"
    if last.endswith("\n"):
        return LineEdit(end + 1, end, (fence,), code, done)
    return LineEdit(end, end, (f"{last}\n", fence), code, done)


def _is_near_fence(line: str) -> bool:
    """Whether a line was meant as a fence and is none."""
    return _CLOSING.match(line) is not None and FENCE.match(line) is None


def _name(key: re.Match[str]) -> str:
    return key[0].rstrip(": \t").strip("\"'")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


class _Scan:
    """Goes down from the first fence to the line on which the last field ends.

    Lines of the body that look like fields are not taken for some: behind a blank line only names that the
    schema knows count, and the first line that can be no part of a mapping ends the search.
    """

    def __init__(self, lines: list[str], fields: Collection[str]) -> None:
        self._lines = lines
        self._fields = fields
        self._end = _NOWHERE
        self._gap = ""
        self._is_known = True
        self._is_text = False

    def run(self) -> int:
        """Return that line; `_NOWHERE` if there is none, or if it is not clear."""
        for number, line in enumerate(self._lines[1:], 2):
            end = self._step(number, line)
            if end is not None:
                return end
        return self._end

    def _step(self, number: int, line: str) -> int | None:
        key = _KEY.match(line)
        if not line.strip():
            self._gap = "blank"
        elif key is not None:
            return self._take_key(number, line, key)
        elif self._is_text and _indent(line):
            self._extend(number)
        elif _CLOSING.match(line):
            return self._end if self._is_apart(line) else _NOWHERE
        elif line.lstrip().startswith("#"):
            self._gap = self._gap or "comment"
        elif _WITHIN.match(line) and self._gap != "blank":
            self._extend(number)
        else:
            return self._end if self._gap or self._is_known else _NOWHERE
        return None

    def _take_key(self, number: int, line: str, key: re.Match[str]) -> int | None:
        self._is_known, self._is_text = _name(key) in self._fields, _TEXT_KEY.match(line) is not None
        if self._gap and not self._is_known:
            return self._end if self._gap == "blank" else _NOWHERE
        self._extend(number)
        return None

    def _extend(self, number: int) -> None:
        self._end, self._gap = number, ""

    def _is_apart(self, fence: str) -> bool:
        """Whether a fence is not indented like the text above, of which it may be a part."""
        above = _indent(self._lines[self._end - 1])
        return not _indent(fence) or not above or _indent(fence) < above
