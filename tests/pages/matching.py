"""Comparing what a page shows with what a command prints."""

from __future__ import annotations

import re
from collections.abc import Sequence

_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)?"), "MOMENT"),
    (re.compile(r"\b\d{8}T\d{6}Z?"), "MOMENT"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"(?<![0-9a-f])([0-9a-f]{64}|[0-9a-f]{12}|[0-9a-f]{8})(?![0-9a-f])"), "HASH"),
    (re.compile(r"\b\d+(\.\d+)? (s|ms|min|h)\b"), "SPAN"),
    (re.compile(r'(?<="duration_ms": )\d+'), "SPAN"),
)
_UNSAID = re.compile(r" +\d+ warnings; atomicd lint shows them")
"""A line that depends on the day."""


def difference(shown: Sequence[str], printed: Sequence[str], *, whole: bool = True) -> str:
    """Return "" if the shown lines match the printed ones, else both.

    Args:
        shown: as on the page, with `…`.
        printed: as on the terminal.
        whole: whether the printed lines may go on after the shown ones.

    """
    pattern = "".join(_line_pattern(line) for line in shown)
    text = "".join(f"{steady(line)}\n" for line in printed if not _UNSAID.fullmatch(line))
    found = re.fullmatch(pattern, text) if whole else re.match(pattern, text)
    return "" if found else "\n".join(["the page shows:", *shown, "the command prints:", *printed])


def steady(line: str) -> str:
    """Return a line without what differs from run to run: times, moments, hashes."""
    for pattern, name in _VARYING:
        line = pattern.sub(name, line)
    return line.rstrip()


def _line_pattern(line: str) -> str:
    if line.strip() == "…":
        return r"(?:.*\n)*?"
    return ".*?".join(re.escape(part) for part in steady(line).split("…")) + r"\n"
