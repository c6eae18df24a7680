"""Where the frontmatter of a text lies, and why there is none (contract [READ-1])."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from atomic_agents.schemas.found import describe, shorten
from atomic_agents.units.codes import Fault

FENCE: Final = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
"""A fence line with its line end."""

_EXPECTED: Final = "a first line `---`"
_CLOSING: Final = "a line `---` after the last field"
_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_NEAR: Final = re.compile(
    rf"^(?:[ \t]+---[ \t]*|-{{4,}}[ \t]*|\.\.\.[ \t]*|[{_DASHES}]+[ \t]*)\r?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Fences:
    """Offsets into the text: the lines between the fences are `start:end`, the body begins at `body`."""

    start: int
    end: int
    body: int


def find_fences(text: str) -> Fences | Fault:
    """Return where the frontmatter lies, or the fault that there is none.

    Args:
        text: a unit's text, without BOM.

    """
    opening = FENCE.match(text)
    if opening is None:
        return _missing(text)
    closing = FENCE.search(text, opening.end())
    if closing is None or opening.end() == len(text):
        return _unclosed(text, opening.end())
    return Fences(opening.end(), closing.start(), closing.end())


def _missing(text: str) -> Fault:
    line = text.partition("\n")[0]
    found = describe(line) if text.strip() else ("a blank file" if text else "an empty file")
    fix = "Begin the file with a line `---`, the fields, and another line `---`."
    number = 1
    stripped = text.lstrip()
    if "\r" in text and "\n" not in text:
        found, fix = "line ends of CR alone", "Save the file with LF or CR LF line ends."
    elif FENCE.match(stripped) or FENCE.match(text.lstrip(f"{_INVISIBLE} \t")):
        found, fix, number = _displaced(text)
    elif (reason := _look_alike(line)) is not None:
        fix = reason
    return Fault("frontmatter-missing", found, _EXPECTED, fix, line=number)


def _displaced(text: str) -> tuple[str, str, int]:
    """Tell of a fence that is not the very first thing."""
    number = text[: text.index("---")].count("\n") + 1
    if number > 1:
        return f"`---` on line {number}, blank lines before it", "Delete the lines above `---`.", number
    if text[0] in _INVISIBLE:
        hidden = f"U+{ord(text[0]):04X}"
        return (
            f"an invisible {hidden} before `---`",
            f"Delete the invisible {hidden} at the start of the file.",
            1,
        )
    return "an indented `---`", "Delete the blanks before `---`.", 1


def _look_alike(line: str) -> str | None:
    """Return the fix for a first line that was meant as a fence."""
    word = line.strip()
    if len(word) > 1 and not word.strip(_DASHES):
        return "Write the first line as exactly three hyphens, `---`."
    if word.startswith("---"):
        return "Put `---` alone on the first line and the fields below it."
    if word == "+++":
        return "Write the fields as YAML between two lines `---`; TOML is not read."
    if word.startswith("{"):
        return "Put the fields between two lines `---`; JSON without them is not read."
    if word.startswith("```"):
        return "Delete the code fence around the frontmatter; its first line is `---`."
    return None


def _unclosed(text: str, start: int) -> Fault:
    near = _NEAR.search(text, start)
    if near is None:
        fix = "Put a line `---` after the last field."
        return Fault("frontmatter-unclosed", "no second line `---`", _CLOSING, fix, line=1)
    number = text.count("\n", 0, near.start()) + 1
    found = f"`{shorten(near[0].strip(), 20)}` on line {number}"
    if near[0][0] in " \t":
        found = f"an indented `---` on line {number}"
    fix = f"Write line {number} as exactly `---`, without blanks before it."
    return Fault("frontmatter-unclosed", found, _CLOSING, fix, line=number)
