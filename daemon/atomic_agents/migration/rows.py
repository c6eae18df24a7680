"""JSON rows, one a line, many at once."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

_TOGETHER: Final = 1000
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


def encode_row(row: Any) -> bytes:
    """Return a row as a line of ASCII."""
    return f"{_encode(row)}\n".encode("ascii")


def encode_rows(rows: Iterable[Any]) -> bytes:
    """Return rows as lines of ASCII."""
    return "".join(f"{_encode(row)}\n" for row in rows).encode("ascii")


def decode_rows(lines: Iterable[bytes]) -> Iterator[Any]:
    """Yield the rows of such lines.

    Raises:
        ValueError: a line is no JSON.

    """
    waiting = iter(lines)
    while together := list(itertools.islice(waiting, _TOGETHER)):
        rows = json.loads(b"[" + b",".join(together) + b"]")
        if len(rows) != len(together):
            raise ValueError("a line holds no single row")
        yield from rows
