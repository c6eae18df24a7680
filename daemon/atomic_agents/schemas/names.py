"""What the file name of a unit says (contract [RULE-E]; seed, Naming conventions)."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

NOTE_PATTERN: Final = "{type}[_{YYYY}[-qN]]_{topic}.md"
WIKI_PATTERN: Final = "{topic}[_{YYYY}].md"

_NOTE: Final = re.compile(r"([^_]+)_(?:((?:19|20)[0-9]{2})(?:-q([1-4]))?_)?(.+)\.md", re.DOTALL)
_WIKI: Final = re.compile(r"(.+?)(?:_((?:19|20)[0-9]{2}))?\.md", re.DOTALL)
_ASCII_TOPIC: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_WORD_CATEGORIES: Final = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"})


@dataclass(frozen=True, slots=True)
class UnitName:
    """The parts of a unit's file name: `decision_2026-q3_income_target.md`.

    `type` is None for wiki pages; `year` and `quarter` are None where the name has none.
    """

    type: str | None
    year: str | None
    quarter: str | None
    topic: str

    @property
    def words(self) -> int:
        """How many words the topic has."""
        return self.topic.count("_") + 1


@functools.lru_cache(maxsize=8192)
def parse_note_name(name: str, types: Collection[str]) -> UnitName | None:
    """Return the parts of a note's file name, or None if it does not match the pattern.

    Args:
        name: the file name; it is compared in NFC.
        types: the types that the schema allows, hashable.

    """
    match = _NOTE.fullmatch(unicodedata.normalize("NFC", name))
    if match is None or match[1] not in types or not is_topic(match[4]):
        return None
    return UnitName(*match.groups())


@functools.lru_cache(maxsize=8192)
def parse_wiki_name(name: str) -> UnitName | None:
    """Return the parts of a wiki page's file name, or None if it does not match the pattern.

    Args:
        name: the file name; it is compared in NFC.

    """
    match = _WIKI.fullmatch(unicodedata.normalize("NFC", name))
    if match is None or not is_topic(match[1]):
        return None
    return UnitName(None, match[2], None, match[1])


def is_topic(text: str) -> bool:
    """Whether it is lowercase words of letters (any script, with their marks) and digits, joined by `_`.

    Args:
        text: in NFC.

    """
    if text.isascii():
        return _ASCII_TOPIC.fullmatch(text) is not None
    return all(map(_is_word, text.split("_")))


def _is_word(text: str) -> bool:
    if not text or unicodedata.category(text[0]).startswith("M"):
        return False
    return all(unicodedata.category(char) in _WORD_CATEGORIES for char in text)
