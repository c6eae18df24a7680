"""Reading a page into blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

_COMMENT = re.compile(r"<!--\s*(exit|background|more|file|skip)(?::\s*(.*?))?\s*-->")


@dataclass(frozen=True)
class Command:
    """One command of a session and the lines that it prints; none are expected where none are shown."""

    text: str
    output: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """One fenced block; `line` counts from 1, `asks` holds the comments before it."""

    language: str
    content: str
    line: int
    asks: dict[str, str] = field(default_factory=dict)

    def commands(self) -> list[Command]:
        """Return the session as commands."""
        found: list[tuple[str, list[str]]] = []
        for line in self.content.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and found and not found[-1][1]:
                found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
            elif found:
                found[-1][1].append(line)
            else:
                raise ValueError(f"line {self.line}: a session begins with `$ `, not with {line!r}")
        return [Command(text, tuple(output)) for text, output in found]


def tokens_of(page: Path) -> list[Token]:
    """Return a page as CommonMark with tables."""
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    found: list[Block] = []
    asks: dict[str, str] = {}
    for token in tokens_of(page):
        if token.type == "fence":
            assert token.map is not None
            found.append(Block(token.info.strip(), token.content, token.map[0] + 1, asks))
        if token.type == "html_block":
            asks = {name: value or "" for name, value in _COMMENT.findall(token.content)}
        elif token.type not in {"list_item_open", "paragraph_open"}:
            asks = {}
    return found
