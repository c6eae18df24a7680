"""The command blocks of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
_BLOCK = re.compile(r"^```sh(?P<who> root)?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, *, root: bool = False) -> list[str]:
    """Return the `sh` blocks of a page: those for root, or all others."""
    text = (DOCS / page).read_text("utf-8")
    return [found["body"] for found in _BLOCK.finditer(text) if bool(found["who"]) is root]


def commands(page: str) -> list[str]:
    """Return every line of a page's blocks."""
    return [line for block in blocks(page) for line in block.splitlines() if line]
