"""Which fields of a unit do not fit its schema, with the line and what stands there (contract [READ-1])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from atomic_agents._schema import VERSION_FIELD, SchemaSet
from atomic_agents.model import Kind
from atomic_agents.schemas.found import describe, shorten
from atomic_agents.schemas.table import FieldProblem
from atomic_agents.units.codes import Fault
from atomic_agents.units.cuts import comment_behind, cut_fault
from atomic_agents.units.faults import INVISIBLE
from atomic_agents.units.frontmatter import Reading
from atomic_agents.units.tokens import MASK, has_secret

_INVISIBLE: Final = str.maketrans("", "", INVISIBLE)
_JOINERS: Final = re.compile(r"[\s_-]+")
_MADE: Final = (bool, int, float)


def judge_fields(reading: Reading, kind: Kind, schemas: SchemaSet) -> Iterator[Fault]:
    """Yield every field that does not fit the schema of the version that the unit names.

    Args:
        reading: the unit, with values.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        schemas: the versions in force.

    """
    values = reading.values or {}
    told = {fault.field for fault in reading.faults if fault.is_error}
    for problem in schemas.problems(values, kind):
        if problem.field not in told or problem.field is None:
            yield _located(problem, reading, values)


def judge_version(reading: Reading, schemas: SchemaSet) -> Iterator[Fault]:
    """Yield a warning if the unit follows an older version that is still understood.

    Args:
        reading: the unit, with values.
        schemas: the versions in force.

    """
    version = schemas.version_of(reading.values or {})
    if version is not None and version < schemas.current:
        fix = f"Run `atomicd migrate --to v{schemas.current}`."
        line = line_of(reading, VERSION_FIELD)
        yield Fault("old-schema", str(version), f"{schemas.current}", fix, VERSION_FIELD, line)


def judge_cuts(reading: Reading, kind: Kind, schemas: SchemaSet) -> Iterator[Fault]:
    """Yield a warning for each free text of which YAML dropped a part.

    Args:
        reading: the unit, with values.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        schemas: the versions in force.

    """
    version = schemas.version_of(reading.values or {}) or schemas.current
    closed = schemas.table(version, kind).closed_words
    for cut in reading.marks.cuts:
        if cut.field not in closed:
            fault = cut_fault(cut, reading.line_at(cut.offset))
            yield fault._replace(found=MASK) if has_secret(f"{cut.value} {cut.lost}") else fault


def _located(problem: FieldProblem, reading: Reading, values: Mapping[str, Any]) -> Fault:
    name = problem.field
    if problem.code == "field-missing" and name is not None:
        return _missing(problem, name, reading, values)
    entry = reading.marks.entries.get(name or "")
    if entry is None:
        return Fault(problem.code, problem.found, problem.expected, problem.fix, name)
    start, end = entry.span(problem.item)
    found = _found(problem, values, reading.block[start:end])
    if problem.code == "field-empty" and (lost := comment_behind(reading.block, end)) is not None:
        found = shorten(f"nothing: to YAML, `{lost.strip()}` is a comment")
    line = reading.line_at(start if problem.item is not None else entry.key_start)
    return Fault(problem.code, found, problem.expected, problem.fix, name, line)


def _found(problem: FieldProblem, values: Mapping[str, Any], raw: str) -> str:
    """Return what was found, with the text of the file where YAML made something else of it."""
    value = values[problem.field or ""]
    if problem.item is not None and isinstance(value, list) and problem.item < len(value):
        value = value[problem.item]
    if has_secret(raw):
        return MASK
    if isinstance(value, _MADE) and raw and raw != describe(value):
        return shorten(f"{describe(value)}, which YAML made of `{raw}`")
    return problem.found


def _missing(problem: FieldProblem, name: str, reading: Reading, values: Mapping[str, Any]) -> Fault:
    fix = f"Add a line `{name}: …`. {problem.fix}"
    for key in values:
        if key != name and _folded(key) == _folded(name):
            hidden = next((f", with an invisible U+{ord(char):04X}" for char in key if char in INVISIBLE), "")
            found = shorten(f"`{key}`{hidden}")
            fix = f"Write the key as `{name}`."
            return Fault(problem.code, found, f"`{name}`", fix, name, line_of(reading, key))
    inner = next((key for key, value in values.items() if isinstance(value, dict) and name in value), None)
    if inner is not None:
        holder = shorten(inner, 30)
        fix = f"Move `{name}` from `{holder}` to the top, or run `atomicd migrate --adopt-legacy`."
        found = f"`{name}` below `{holder}` only"
        return Fault(problem.code, found, "it at the top level", fix, name, line_of(reading, inner))
    return Fault(problem.code, "nothing", problem.expected, fix, name)


def _folded(key: str) -> str:
    return _JOINERS.sub("", key.translate(_INVISIBLE)).casefold()


def line_of(reading: Reading, name: str) -> int | None:
    """Return the line of a top-level key, or None if it has none of its own."""
    entry = reading.marks.entries.get(name)
    return None if entry is None else reading.line_at(entry.key_start)
