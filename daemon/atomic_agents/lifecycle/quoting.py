r"""Words as systemd's unit files hold them (systemd.syntax(7), systemd.service(5)).

`%` begins a specifier and is doubled; in quotes a backslash escapes itself and the quote. `$` is left
as it is: our command lines begin with `:`, which switches its meaning off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:=+,@~%-]+")
_WORD: Final = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s"]+)')
_ESCAPED: Final = re.compile(r"\\(.)")


def quote(word: str) -> str:
    """Return a word for a line that is split into words."""
    text = literal(word)
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def literal(text: str) -> str:
    """Return a text for a line that is taken whole."""
    return text.replace("%", "%%")


def quote_all(words: Iterable[str]) -> str:
    """Return a line of words."""
    return " ".join(map(quote, words))


def split(line: str) -> list[str]:
    """Return the words of a line that `quote_all` made."""
    words = []
    for found in _WORD.finditer(line):
        quoted = found["quoted"]
        word = _ESCAPED.sub(r"\1", quoted) if quoted is not None else found["plain"]
        words.append(word.replace("%%", "%"))
    return words
