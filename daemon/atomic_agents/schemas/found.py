"""How a value that does not fit is shown: short, on one line, printable (contract [READ-1])."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.model import printable

WIDTH: Final = 80
"""Most characters of what is shown of a value."""

_LOOK: Final = 4 * WIDTH


def shorten(text: str, width: int = WIDTH) -> str:
    """Return text on one line, printable, cut with `…` where it is longer.

    Args:
        text: anything.
        width: most characters of the result.

    """
    shown = printable(" ".join(text[:_LOOK].split()))
    return shown if len(shown) <= width and len(text) <= _LOOK else f"{shown[: width - 1]}…"


def describe(value: Any) -> str:
    """Return what a value is, without expanding collections.

    Args:
        value: a value as YAML gives it.

    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if not value.strip():
            return "blank text"
        before, behind = " " * value[0].isspace(), " " * value[-1].isspace()
        return f'"{before}{shorten(value, WIDTH - 4)}{behind}"'
    return _describe_other(value)


def _describe_other(value: Any) -> str:
    if isinstance(value, int):
        return _describe_int(value)
    if isinstance(value, float | dt.date):
        return shorten(str(value))
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, bytes):
        return "binary data"
    return "a set" if isinstance(value, set | frozenset) else f"a {type(value).__name__}"


def _describe_int(value: int) -> str:
    longest = WIDTH * 3
    return shorten(str(value)) if value.bit_length() < longest else "a very large number"
