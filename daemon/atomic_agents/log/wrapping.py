"""Lines that fit a terminal."""

from __future__ import annotations

import unicodedata


def wrap(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Return a text as lines, broken at blanks; a word that is wider stays whole, on a line of its own.

    Args:
        text: without line breaks.
        width: columns; 0 breaks nothing.
        first: before the first line.
        rest: before each further one.

    """
    head, *others = text.split(" ")
    lines = [f"{first}{head}"]
    if width and cells(lines[0]) > width and cells(first) > cells(rest):
        lines = [first, f"{rest}{head}"]
    for word in others:
        joined = f"{lines[-1]} {word}"
        if not width or cells(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(f"{rest}{word}")
    return lines


def cells(text: str) -> int:
    """Return how many columns a text takes on a terminal; wide letters take two, combining marks none."""
    return sum(_cells(char) for char in text) if not text.isascii() else len(text)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
