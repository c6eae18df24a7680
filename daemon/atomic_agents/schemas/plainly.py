"""A quick yes: instances that fit their schema beyond doubt, without loading a validator.

A hook that judges one good note would otherwise spend a fifth of its time on loading jsonschema-rs. A no
means nothing here: whatever is not certain goes to the validator, as does every schema with other keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Check = Callable[[Any], bool]
"""Whether a value fits beyond doubt."""

_TYPES: Final[Mapping[str, Check]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
    "array": lambda value: type(value) is list,
}
_TOLD: Final = frozenset({"title", "description", "examples", "default", "x-atomicd", "$schema", "$id"})
_NOT_BLANK: Final = "\\S"


class PlainTable:
    """One schema, as far as it is plain.

    Args:
        document: its JSON Schema.
        is_date: whether a text is a real date.

    """

    def __init__(self, document: Mapping[str, Any], is_date: Check) -> None:
        self._is_date = is_date
        self._required: tuple[str, ...] = tuple(document.get("required", ()))
        known = document.keys() <= _TOLD | {"type", "required", "properties"}
        is_object = document.get("type", "object") == "object"
        checks = {name: self._check(schema) for name, schema in document.get("properties", {}).items()}
        plain = {name: check for name, check in checks.items() if check is not None}
        self._checks = plain if known and is_object and len(plain) == len(checks) else None

    def fits(self, instance: Mapping[str, Any]) -> bool:
        """Return whether an instance fits beyond doubt.

        Args:
            instance: a JSON object.

        """
        checks = self._checks
        if checks is None or not all(name in instance for name in self._required):
            return False
        return all(check(instance[name]) for name, check in checks.items() if name in instance)

    def _check(self, schema: Any) -> Check | None:
        """Return the check of one field's schema, or None if it says more than is understood here."""
        if not isinstance(schema, Mapping):
            return None
        parts = [self._part(key, value) for key, value in schema.items() if key not in _TOLD]
        plain = [part for part in parts if part is not None]
        if len(plain) != len(parts):
            return None
        return lambda value: all(part(value) for part in plain)

    def _part(self, keyword: str, wanted: Any) -> Check | None:
        if keyword == "type":
            return _of_types(wanted if isinstance(wanted, list) else [wanted])
        if keyword in {"const", "enum"}:
            words = [wanted] if keyword == "const" else wanted
            return lambda value: any(type(value) is type(word) and value == word for word in words)
        if keyword == "format" and wanted == "date":
            return lambda value: value is None or (type(value) is str and self._is_date(value))
        if keyword == "pattern" and wanted == _NOT_BLANK:
            return lambda value: type(value) is str and any(map(str.isalnum, value))
        if keyword == "minItems" and type(wanted) is int:
            return lambda value: type(value) is list and len(value) >= wanted
        return self._items(wanted) if keyword == "items" else None

    def _items(self, schema: Any) -> Check | None:
        check = self._check(schema)
        if check is None:
            return None
        return lambda value: type(value) is list and all(map(check, value))


def _of_types(names: list[str]) -> Check | None:
    checks = [_TYPES.get(name) for name in names]
    plain = [check for check in checks if check is not None]
    if len(plain) != len(checks):
        return None
    return lambda value: any(check(value) for check in plain)
