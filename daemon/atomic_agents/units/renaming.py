"""The name that a unit's file lacks only a type or underscores of (contract [RULE-E], `filename-pattern`)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Kind, Place

_BETWEEN: Final = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_QUARTER: Final = re.compile(r"q[1-4]")
_SUFFIX: Final = ".md"


def better_name(place: Place, told: object, schemas: SchemaSet) -> str | None:
    """Return the file name that a unit should have, or None if its own will do, or none is beyond doubt.

    Blanks and hyphens become underscores and the type comes in front; no letter is changed.

    Args:
        place: where the unit lies.
        told: its `type`, whatever it is.
        schemas: the versions in force.

    """
    name = place.path.rpartition("/")[2]
    if schemas.parse_name(name, place.kind) is not None or not name.endswith(_SUFFIX):
        return None
    stem = unicodedata.normalize("NFC", name.removesuffix(_SUFFIX))
    words = [word for word in _BETWEEN.split(stem) if word]
    if place.kind is Kind.NOTE:
        words = _typed(words, told, schemas.note_types)
    wanted = "_".join(words) + _SUFFIX
    parts = schemas.parse_name(wanted, place.kind)
    return wanted if parts is not None and parts.type in {told, None} else None


def _typed(words: list[str], told: object, types: tuple[str, ...]) -> list[str]:
    """Return the words with the type in front; nothing where the type is unknown or another one is there."""
    if told not in types or not words or (words[0] in types and words[0] != told):
        return []
    rest = words[1:] if words[0] == told else words
    if _YEAR.fullmatch(rest[0] if rest else "") and _QUARTER.fullmatch("".join(rest[1:2])):
        rest = [f"{rest[0]}-{rest[1]}", *rest[2:]]
    return [str(told), *rest]
