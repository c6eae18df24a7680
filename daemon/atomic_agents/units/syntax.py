"""Why YAML could not read the frontmatter, where, and what to do about it, in words (contract [READ-1])."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import yaml

from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.faults import INVISIBLE, line_at, too_complex

_KEY_LINE: Final = re.compile(r"^\s*(?:-[ \t]+)*([^\s:#'\"\[{][^:\n]*):[ \t]+(.*?)[ \t]*\r?$")
_HIDDEN_BEHIND: Final = re.compile(rf"^[ \t]*[^\s:#{INVISIBLE}]+:[{INVISIBLE}]", re.MULTILINE)
_HIDDEN_BEFORE: Final = re.compile(rf"^[ \t]*[{INVISIBLE}]", re.MULTILINE)
_STARTS: Final = {
    "@": "`@` may not begin an unquoted value",
    "`": "a backtick may not begin an unquoted value",
    "%": "`%` may not begin an unquoted value",
    "*": "`*` begins an alias in YAML",
    "&": "`&` begins an anchor in YAML",
    "!": "`!` begins a tag in YAML",
    "|": "`|` begins a block of text in YAML",
    ">": "`>` begins a block of text in YAML",
    "[": "`[` begins a list in YAML",
    "{": "`{` begins a mapping in YAML",
    '"': "the value ends at its second quote and goes on after it",
    "'": "the value ends at its second quote and goes on after it",
    "-": "`-` begins a list item in YAML",
    "?": "`?` begins a key in YAML",
    ",": "`,` may not begin an unquoted value",
    "]": "`]` may not begin an unquoted value",
    "}": "`}` may not begin an unquoted value",
}


class _Place(NamedTuple):
    """A line of the block: its number from 1, its text, and the column of the fault from 1."""

    line: int
    text: str
    column: int

    @property
    def key(self) -> re.Match[str] | None:
        """The line's key (1) and value (2), if it has them."""
        return _KEY_LINE.match(self.text)


def syntax(block: str, error: yaml.YAMLError) -> Fault:
    """Return the fault for a text that is no YAML.

    Args:
        block: the lines between the fences.
        error: what the parser says.

    """
    place = _place(block, error)
    if "nesting depth" in _told(error, "problem"):
        return too_complex(place.line, "more than 1000 levels")
    hidden = _find_hidden(block, place.line)
    if hidden is not None:
        return _invisible(block, hidden)
    reason, fix = _reason(block, error, place)
    found = shorten(f"column {place.column}: {reason}")
    field = None if place.key is None or place.text[0] in " \t-" else place.key[1].strip()
    return Fault("yaml-syntax", found, "YAML that can be read", fix, field, place.line)


def _place(block: str, error: yaml.YAMLError) -> _Place:
    """Return where to look: where an open quote or a stray line begins, else the fault itself."""
    mark = getattr(error, "problem_mark", None)
    if "unexpected end of stream" in _told(error, "problem") or "simple key" in _told(error, "context"):
        mark = getattr(error, "context_mark", None) or mark
    offset = min(getattr(mark, "index", 0), len(block))
    start = block.rfind("\n", 0, offset) + 1
    return _Place(line_at(block, offset), block[start:].partition("\n")[0], offset - start + 1)


def _told(error: yaml.YAMLError, part: str) -> str:
    return str(getattr(error, part, None) or "")


def _reason(block: str, error: yaml.YAMLError, place: _Place) -> tuple[str, str]:
    problem, key = _told(error, "problem"), place.key
    for sign, reason, fix in _SIGNS:
        if sign in problem:
            return reason, fix
    if "\t" in place.text[: place.column] and "token" in problem:
        return "a tab where blanks have to indent", "Replace the tab by blanks."
    if "mapping values are not allowed" in problem:
        named = f" in the value of `{shorten(key[1], 30)}`" if key is not None else ""
        return f"an unquoted `: `{named}", _quoting(key)
    if key is not None and key[2][:1] in _STARTS:
        return _STARTS[key[2][:1]], _quoting(key)
    return shorten(problem or str(error)), _stray(block, place)


_SIGNS: Final = (
    ("unexpected end of stream", "a quote that is never closed", "Close the quote, or remove it."),
    ("escape", "a backslash that begins no escape", "Use single quotes, or write the backslash twice."),
    (
        "<document start>",
        "more text behind the end of the YAML",
        "Remove the line `...` or `%…` here, or quote it.",
    ),
)


def _quoting(key: re.Match[str] | None) -> str:
    if key is None:
        return "Put the value in quotes."
    name = shorten(key[1], 30)
    quote = "'" if '"' in key[2] or "\\" in key[2] else '"'
    return f"Put the whole value in quotes: `{name}: {quote}…{quote}`."


def _stray(block: str, place: _Place) -> str:
    lines = block.split("\n")[: place.line]
    blank = next((number for number, line in enumerate(lines, 1) if not line.strip()), None)
    if blank is not None:
        return f"Close the frontmatter with `---` before line {blank + 1} if the text begins there."
    return "Look at the indentation and the quotes of this line and of the one above."


def _find_hidden(block: str, line: int) -> re.Match[str] | None:
    """Return an invisible character behind a key's colon, or before a key beside the faulty line."""
    behind = _HIDDEN_BEHIND.search(block)
    if behind is not None:
        return behind
    near = (hit for hit in _HIDDEN_BEFORE.finditer(block) if abs(line_at(block, hit.end()) - line) <= 1)
    return next(near, None)


def _invisible(block: str, hit: re.Match[str]) -> Fault:
    line = line_at(block, hit.end())
    shown = shorten(block[hit.start() :].partition("\n")[0], 30)
    name = f"U+{ord(hit[0][-1]):04X}"
    fix = f"Delete the {name} and type a blank where one belongs."
    return Fault(
        "yaml-syntax", f"the invisible {name} in `{shown}`", "YAML that can be read", fix, None, line
    )
