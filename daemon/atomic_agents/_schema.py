"""Which versions of the field tables there are, and the validators that the seed names.

Source: seed, §Schema migration (version cliff) and Validation; contract [SCHEMA-1] and [M-4]. The tables are
the JSON Schema files of `atomic_agents.schemas`; nothing else lists the fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final

from atomic_agents.exceptions import SchemaValidationError
from atomic_agents.model import Kind
from atomic_agents.schemas.files import (
    VAULT_FOLDER,
    Documents,
    packaged_documents,
    schema_fault,
    vault_documents,
)
from atomic_agents.schemas.found import describe
from atomic_agents.schemas.names import NOTE_PATTERN, WIKI_PATTERN, UnitName, parse_note_name, parse_wiki_name
from atomic_agents.schemas.table import FieldProblem, FieldTable

CURRENT_SCHEMA_VERSION = 1
"""The version that the package writes."""

VERSION_FIELD: Final = "schema_version"

_TOO_NEW: Final = "Update atomicd, or leave the file to the tool that wrote it; it is not touched."


class SchemaSet:
    """The field tables that are in force for one vault.

    Args:
        documents: schemas by version and layer; versions run from 1 on without a gap.

    """

    def __init__(self, documents: Documents) -> None:
        self._tables = {key: FieldTable(document) for key, document in documents.items()}
        self._newest = max(version for version, _ in documents)

    @classmethod
    def packaged(cls) -> SchemaSet:
        """Return the package's own set."""
        return _packaged()

    @classmethod
    def of_vault(cls, root: Path) -> SchemaSet:
        """Return the package's set and what the vault has adopted beyond it (contract [M-4]).

        Args:
            root: the vault's real path.

        Raises:
            ConfigError: a schema file of the vault is broken; all faults at once.

        """
        packaged = packaged_documents()
        own = vault_documents(root, above=max(version for version, _ in packaged))
        if not own:
            return _packaged()
        schemas = cls({**packaged, **own})
        schemas.check(own)
        return schemas

    @property
    def current(self) -> int:
        """The version that is written: the package's, or a newer one that the vault has adopted."""
        return max(CURRENT_SCHEMA_VERSION, self._newest)

    def check(self, documents: Documents) -> None:
        """Build the validators of these schemas now.

        Raises:
            ConfigError: one is no usable JSON Schema; all faults at once.

        """
        faults = []
        for version, kind in documents:
            try:
                self._tables[version, kind].check()
            except ValueError as error:
                reason = str(error).partition("\n")[0]
                faults.append(f"{VAULT_FOLDER}/v{version}.{kind}.schema.json: {reason}")
        if faults:
            raise schema_fault(faults)

    def table(self, version: int, kind: Kind) -> FieldTable:
        """Return the table of a version, or the newest below it.

        Args:
            version: from 1 to `current`.
            kind: `Kind.NOTE` or `Kind.WIKI`.

        """
        return self._tables[min(version, self._newest), kind]

    def version_of(self, meta: Mapping[str, Any]) -> int | None:
        """Return the version that a frontmatter follows, or None if it names none that is known."""
        version = meta.get(VERSION_FIELD)
        if not isinstance(version, int) or isinstance(version, bool):
            return None
        return version if 1 <= version <= self.current else None

    def is_newer(self, meta: Mapping[str, Any]) -> bool:
        """Return whether a frontmatter follows a version that only a newer writer can know."""
        version = meta.get(VERSION_FIELD)
        return isinstance(version, int) and not isinstance(version, bool) and version > self.current

    def problems(
        self, meta: Mapping[str, Any], kind: Kind, version: int | None = None
    ) -> tuple[FieldProblem, ...]:
        """Return every field that does not fit, judged by the table of one version.

        Args:
            meta: frontmatter as YAML gives it.
            kind: `Kind.NOTE` or `Kind.WIKI`.
            version: the version that it has to have; None takes the one that it names, or the current one
                where it names none. A version that is too new is all that is reported then.

        """
        if version is None and self.is_newer(meta):
            return self._version_problems(meta, None, kind)
        wanted = version or self.version_of(meta) or self.current
        found = self.table(wanted, kind).problems(meta)
        others = tuple(problem for problem in found if problem.field != VERSION_FIELD)
        return (*self._version_problems(meta, version, kind), *others)

    def parse_name(self, name: str, kind: Kind) -> UnitName | None:
        """Return the parts of a unit's file name, or None if it does not match its layer's pattern.

        Args:
            name: the file name, without folders.
            kind: `Kind.NOTE` or `Kind.WIKI`.

        """
        if kind is Kind.WIKI:
            return parse_wiki_name(name)
        return parse_note_name(name, self.note_types)

    @cached_property
    def note_types(self) -> tuple[str, ...]:
        """The types that a note may have, as the newest table says that lists them."""
        tables = (self.table(version, Kind.NOTE) for version in range(self._newest, 0, -1))
        return next(filter(None, (table.words("type") for table in tables)), ())

    def _version_problems(
        self, meta: Mapping[str, Any], wanted: int | None, kind: Kind
    ) -> tuple[FieldProblem, ...]:
        own = self.version_of(meta)
        if own is not None and wanted in {own, None}:
            return ()
        table = self.table(self.current, kind)
        expected, fix = table.expected(VERSION_FIELD), table.fix(VERSION_FIELD)
        value = meta.get(VERSION_FIELD)
        if VERSION_FIELD not in meta:
            return (FieldProblem("field-missing", VERSION_FIELD, "nothing", expected, fix),)
        if value is None:
            return (FieldProblem("field-empty", VERSION_FIELD, "nothing", expected, fix),)
        if own is None and not self.is_newer(meta):
            return (FieldProblem("field-type", VERSION_FIELD, describe(value), expected, fix),)
        known = str(wanted) if wanted is not None else f"1 to {self.current}"
        return (FieldProblem("schema-version-unsupported", VERSION_FIELD, describe(value), known, _TOO_NEW),)


def validate_atomic_note_frontmatter(meta: Mapping[str, Any], filename: str | None = None) -> None:
    """Check a note's frontmatter against the current version.

    Args:
        meta: the fields; dates may be `datetime.date` or ISO text.
        filename: the note's file name; given, it has to match its pattern and the `type`.

    Raises:
        SchemaValidationError: a field does not fit; the message names every one.

    """
    _validate(meta, Kind.NOTE, filename, _packaged())


def validate_wiki_frontmatter(meta: Mapping[str, Any], filename: str | None = None) -> None:
    """Check a wiki page's frontmatter against the current version.

    Args:
        meta: the fields; dates may be `datetime.date` or ISO text.
        filename: the page's file name; given, it has to match its pattern.

    Raises:
        SchemaValidationError: a field does not fit; the message names every one.

    """
    _validate(meta, Kind.WIKI, filename, _packaged())


def validate_frontmatter(
    meta: Mapping[str, Any],
    kind: Kind,
    schemas: SchemaSet,
    *,
    version: int | None = None,
    filename: str | None = None,
) -> None:
    """Check frontmatter against one version of a vault's own set.

    Args:
        meta: the fields.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        schemas: the vault's set.
        version: the version that it has to have; None is the set's current one.
        filename: as for `validate_atomic_note_frontmatter`.

    Raises:
        SchemaValidationError: a field does not fit; the message names every one.

    """
    _validate(meta, kind, filename, schemas, version)


@cache
def _packaged() -> SchemaSet:
    return SchemaSet(packaged_documents())


def _validate(
    meta: Mapping[str, Any], kind: Kind, filename: str | None, schemas: SchemaSet, version: int | None = None
) -> None:
    problems = list(schemas.problems(meta, kind, version or schemas.current))
    if filename is not None:
        problems += _name_problems(meta, kind, PurePosixPath(filename).name, schemas)
    if problems:
        raise SchemaValidationError(_in_words(problems, filename), hint=problems[0].fix)


def _name_problems(
    meta: Mapping[str, Any], kind: Kind, name: str, schemas: SchemaSet
) -> tuple[FieldProblem, ...]:
    parts = schemas.parse_name(name, kind)
    if parts is None:
        pattern = WIKI_PATTERN if kind is Kind.WIKI else NOTE_PATTERN
        return (FieldProblem("filename-pattern", None, describe(name), pattern, "Rename the file."),)
    told = meta.get("type")
    if parts.type is not None and told in schemas.note_types and told != parts.type:
        fix = "Rename the file or change the type."
        return (FieldProblem("filename-type", "type", describe(told), parts.type, fix),)
    return ()


def _in_words(problems: list[FieldProblem], filename: str | None) -> str:
    told = "; ".join(
        f"{problem.field or 'file name'}: {problem.code}, found {problem.found}, expected {problem.expected}"
        for problem in problems
    )
    return f"{filename}: {told}" if filename else told
