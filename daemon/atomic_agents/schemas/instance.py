"""Frontmatter as the JSON value that a JSON Schema validator can judge, without losing what YAML knows.

JSON has no dates and takes 1.0 for an integer and `2026-05-06` for text. So a date becomes text only where
the schema speaks of dates, and everything that JSON cannot say becomes an object, which no field allows.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from typing import Any, Final

Hints = frozenset[str]
"""What a field's schema speaks of: the formats `date` and `date-time`, the types `integer` and `number`."""

_WORDS: Final = frozenset({"date", "date-time", "integer", "number"})
_TOLD: Final = frozenset({"title", "description", "examples", "default", "enum", "const", "x-atomicd"})
_DEEPEST: Final = 40


def hints_of(schema: Any) -> Hints:
    """Return what a field's schema speaks of, at any depth.

    Args:
        schema: the JSON Schema of one field.

    """
    if isinstance(schema, str):
        return frozenset({schema}) & _WORDS
    if isinstance(schema, Mapping):
        return frozenset().union(*(hints_of(value) for key, value in schema.items() if key not in _TOLD))
    if isinstance(schema, list):
        return frozenset().union(*map(hints_of, schema))
    return frozenset()


def to_instance(value: Any, hints: Hints, depth: int = 0) -> Any:
    """Return a JSON value for one field's value.

    Args:
        value: as YAML gives it.
        hints: what the field's schema speaks of.
        depth: how many collections lie around it.

    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int | float):
        return _number(value, hints)
    if isinstance(value, dt.date):
        return _date(value, hints)
    if depth < _DEEPEST:
        return _collection(value, hints, depth + 1)
    return _foreign(value)


def _collection(value: Any, hints: Hints, depth: int) -> Any:
    if isinstance(value, list | tuple):
        return [to_instance(item, hints, depth) for item in value]
    if isinstance(value, Mapping):
        return {_key(key): to_instance(item, hints, depth) for key, item in value.items()}
    return _foreign(value)


def _key(key: Any) -> str:
    return str(key).encode("utf-8", "replace").decode("utf-8")


def _number(value: float, hints: Hints) -> Any:
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value) or (value.is_integer() and "integer" in hints and "number" not in hints):
        return _foreign(value)
    return value


def _date(value: dt.date, hints: Hints) -> Any:
    if isinstance(value, dt.datetime):
        stamped = "date-time" in hints and value.tzinfo is not None
        return value.isoformat() if stamped else _foreign(value)
    return value.isoformat() if "date" in hints else _foreign(value)


def _foreign(value: Any) -> dict[str, str]:
    return {"x-atomicd-foreign": type(value).__name__}
