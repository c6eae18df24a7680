"""Telling an INDEX.md that something broke from one that a person changed ([INDEX-4], last sentence)."""

from __future__ import annotations

import enum
from typing import Final

from atomic_agents.index.lines import Kind
from atomic_agents.index.sheet import read_sheet

_BOM: Final = b"\xef\xbb\xbf"
_CONTROLS: Final = frozenset(range(0x20)) - frozenset(b"\t\n\r\f\v")


class Damage(enum.StrEnum):
    """What happened to an index file."""

    NUL_BYTES = "nul-bytes"
    NOT_UTF8 = "not-utf8"
    EMPTIED = "emptied"
    TRUNCATED = "truncated"
    CONFLICT = "conflict-markers"
    """Left alone, both sides kept, until the operator asks for a repair."""


def damaged(data: bytes, last_good: bytes | None) -> Damage | None:
    """Return what broke an index file, or None.

    A file that ends within a line of its last good version, and is the same up to there, was truncated; one
    that ends with a line was cut by a person, whose right it is.

    Args:
        data: its bytes.
        last_good: its last good version, None if there is none.

    """
    if b"\0" in data:
        return Damage.NUL_BYTES
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return Damage.NOT_UTF8
    if last_good is None or not last_good.removeprefix(_BOM).strip():
        return None
    if not data.removeprefix(_BOM).strip():
        return Damage.EMPTIED
    return Damage.TRUNCATED if _ends_within_a_line(data, last_good) else None


def has_conflict(data: bytes) -> bool:
    """Whether an index file holds git's conflict markers, all three, outside of code.

    Args:
        data: its bytes, UTF-8.

    """
    if b"<<<<<<<" not in data:
        return False
    return any(row.line.kind is Kind.CONFLICT for row in read_sheet("", data).rows)


def is_good(data: bytes) -> bool:
    """Whether an index file may serve as a last good version.

    Args:
        data: its bytes.

    """
    return damaged(data, None) is None and not has_conflict(data)


def salvage(data: bytes) -> bytes | None:
    """Return a file in an older encoding as UTF-8, or None if it is no text.

    Lines that are UTF-8 stay; others are read as Windows-1252, which differs from Latin-1 only where
    Latin-1 has no characters to print.

    Args:
        data: its bytes.

    """
    if _CONTROLS & frozenset(data):
        return None
    return b"".join(map(_as_utf8, data.splitlines(keepends=True)))


def _ends_within_a_line(data: bytes, last_good: bytes) -> bool:
    if len(data) >= len(last_good) or not last_good.startswith(data) or data.endswith(b"\n"):
        return False
    return last_good[len(data) : len(data) + 1] not in {b"\n", b"\r"}


def _as_utf8(line: bytes) -> bytes:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace").encode("utf-8")
    return line
