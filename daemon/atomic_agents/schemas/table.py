"""One field table, applied: which fields of a frontmatter do not fit, and why (contract [SCHEMA-1])."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from atomic_agents.schemas.found import describe
from atomic_agents.schemas.instance import Hints, hints_of, to_instance
from atomic_agents.schemas.plainly import PlainTable

if TYPE_CHECKING:
    import jsonschema_rs

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOSING: Final = frozenset(
    {"additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "maxProperties"}
)
_CODES: Final = {"enum": "field-enum", "const": "field-enum"}
_EMPTYING: Final = frozenset({"pattern", "minLength", "minItems", "minProperties"})


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One field that does not fit its schema.

    `field` is None where the frontmatter as a whole does not fit; `item` is the list item concerned.
    """

    code: str
    field: str | None
    found: str
    expected: str
    fix: str
    item: int | None = None


@dataclass(frozen=True)
class FieldTable:
    """One version of one layer's fields.

    Args:
        document: its JSON Schema.

    """

    document: Mapping[str, Any]

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The schema of each field."""
        properties: Mapping[str, Mapping[str, Any]] = self.document.get("properties", {})
        return properties

    @cached_property
    def required(self) -> frozenset[str]:
        """The fields that may not be missing."""
        return frozenset(self.document.get("required", ()))

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """What a missing optional field reads as."""
        return {name: schema["default"] for name, schema in self.fields.items() if "default" in schema}

    @cached_property
    def closed_words(self) -> frozenset[str]:
        """The fields whose text is one of a few words or a date, never free text."""
        return frozenset(
            name
            for name, schema in self.fields.items()
            if "enum" in schema or "const" in schema or "date" in self._hints[name]
        )

    def words(self, field: str) -> tuple[str, ...]:
        """Return the words that a field allows; none if it allows more than words."""
        schema = self.fields.get(field, {})
        return tuple(schema.get("enum", (schema["const"],) if "const" in schema else ()))

    def check(self) -> None:
        """Build the validator now.

        Raises:
            ValueError: the document is no usable JSON Schema.

        """
        _ = self._validator

    def problems(self, meta: Mapping[str, Any]) -> tuple[FieldProblem, ...]:
        """Return every field that does not fit, the first fault of each.

        Args:
            meta: frontmatter as YAML gives it; dates may be dates or ISO text.

        """
        instance = {key: self._prepare(key, value) for key, value in meta.items()}
        if self._plain.fits(instance) or self._validator.is_valid(instance):
            return ()
        faults: dict[str | None, FieldProblem] = {}
        for problem in self._read_errors(self._validator.iter_errors(instance), meta):
            faults.setdefault(problem.field, problem)
        return tuple(faults.values())

    @cached_property
    def _hints(self) -> Mapping[str, Hints]:
        return {name: hints_of(schema) for name, schema in self.fields.items()}

    @cached_property
    def _is_open(self) -> bool:
        return not _CLOSING & self.document.keys()

    @cached_property
    def _plain(self) -> PlainTable:
        return PlainTable(self.document, is_date)

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft202012Validator:
        import jsonschema_rs  # noqa: PLC0415 - it costs 40 ms, and most commands never validate

        return jsonschema_rs.Draft202012Validator(
            dict(self.document),
            validate_formats=True,
            formats={"date": is_date},
            retriever=_refuse,
            pattern_options=jsonschema_rs.RegexOptions(),
        )

    def _prepare(self, key: str, value: Any) -> Any:
        if type(value) is str and value.isascii():
            return value
        hints = self._hints.get(key)
        if hints is None:
            return None if self._is_open else to_instance(value, frozenset())
        return to_instance(value, hints)

    def _read_errors(self, errors: Iterable[Any], meta: Mapping[str, Any]) -> Iterator[FieldProblem]:
        for error in errors:
            keyword = str(error.schema_path[-1]) if error.schema_path else "schema"
            path = list(error.instance_path)
            if keyword == "required" and not path:
                yield self._missing(error.kind.property)
            else:
                yield self._unfit(keyword, path, meta)

    def _missing(self, field: str) -> FieldProblem:
        return FieldProblem("field-missing", field, "nothing", self.expected(field), self.fix(field))

    def _unfit(self, keyword: str, path: list[str | int], meta: Mapping[str, Any]) -> FieldProblem:
        if not path:
            found = f"frontmatter that breaks {keyword!r}"
            return FieldProblem(
                "field-type", None, found, "what the schema allows", "See `atomicd schema export`."
            )
        field = str(path[0])
        item = path[1] if len(path) > 1 and isinstance(path[1], int) else None
        value = meta[field] if item is None else meta[field][item]
        code = self._code(field, keyword, value, is_required=item is None and field in self.required)
        return FieldProblem(code, field, describe(value), self.expected(field), self.fix(field), item)

    def _code(self, field: str, keyword: str, value: Any, *, is_required: bool) -> str:
        if value is None and is_required:
            return "field-empty"
        if keyword in _EMPTYING and _is_empty(value):
            return "field-empty"
        own = self._notes(field).get("code")
        if own is not None:
            return str(own)
        if keyword == "format" and "date" in self._hints[field]:
            return "date-invalid"
        return _CODES.get(keyword, "field-type")

    def expected(self, field: str) -> str:
        """Return in words what a field may hold."""
        words = self.words(field)
        told = self._notes(field).get("expected")
        if told is not None:
            return str(told)
        return f"one of {', '.join(map(str, words))}" if words else _type_in_words(self.fields.get(field, {}))

    def fix(self, field: str) -> str:
        """Return one sentence that says what to do about a field."""
        return str(self._notes(field).get("fix", f"Write {self.expected(field)} as `{field}`."))

    def _notes(self, field: str) -> Mapping[str, Any]:
        notes: Mapping[str, Any] = self.fields.get(field, {}).get("x-atomicd", {})
        return notes


def is_date(text: str) -> bool:
    """Whether it is a real date, written YYYY-MM-DD.

    Args:
        text: anything.

    """
    if _DATE.fullmatch(text) is None:
        return False
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_empty(value: Any) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _type_in_words(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", "a value that the schema allows")
    return " or ".join(map(str, types)) if isinstance(types, list) else str(types)


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri}: a schema may only refer to itself")
