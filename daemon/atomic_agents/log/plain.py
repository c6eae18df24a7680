"""Any value as one that JSON can hold, without bytes that steer a terminal (contract section 12)."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.model import printable

DEPTH: Final = 6
_LONGEST: Final = 4000
_DIGITS: Final = 1 << 64


def plain(value: Any, depth: int) -> Any:
    """Return a value that JSON can hold, whatever it is.

    Args:
        value: anything.
        depth: levels of containers that are shown; deeper ones become `…`.

    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, int):
        return (
            value
            if -_DIGITS < value < _DIGITS
            else f"{'-' if value < 0 else ''}(a number of {value.bit_length()} bits)"
        )
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return _container(value, depth)


def _container(value: Any, depth: int) -> Any:
    if isinstance(value, (Mapping, list, tuple, set, frozenset)) and not depth:
        return "…"
    if isinstance(value, Mapping):
        return {_clean(_text(key)): plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth - 1) for item in value]
    return _clean(_text(value))


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 (a value's own str() may raise anything)
        return f"({type(value).__name__}: {type(error).__name__} in str())"


def _clean(text: str) -> str:
    """Return a text without surrogates and without characters that steer a terminal."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    if cut.isprintable():
        return cut
    decoded = cut.encode("utf-8", "surrogateescape" if _is_escaped(cut) else "backslashreplace")
    shown = decoded.decode("utf-8", "backslashreplace")
    return "".join(char if char in "\n\t" or not _steers(char) else printable(char) for char in shown)


def _is_escaped(text: str) -> bool:
    return all(not "\ud800" <= char <= "\udfff" or "\udc80" <= char <= "\udcff" for char in text)


def _steers(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cf"}
