"""Reading and writing units from an agent's own code, so that a bad write never reaches the disk.

Source: seed, Validation and Helper behavior with old schema_version files.
"""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from atomic_agents._io import create_file, read_file, replace_file
from atomic_agents._schema import VERSION_FIELD, SchemaSet
from atomic_agents.exceptions import FileChangedError, SchemaValidationError
from atomic_agents.model import Place, Problem
from atomic_agents.units.codes import Fault
from atomic_agents.units.emit import EmitError, emit_block
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.limits import Limits
from atomic_agents.units.rules import judge
from atomic_agents.units.splicing import SpliceError, rewrite
from atomic_agents.vault.kinds import LAYERS, Layout

Migrate = Callable[[dict[str, Any]], Mapping[str, Any]]
"""Turns frontmatter of an older version into the current one."""

_LOCK_SECONDS: Final = 10.0


class UnitContent(NamedTuple):
    """What a unit holds: `body` is everything behind the line that closes the frontmatter, as it is."""

    meta: dict[str, Any]
    body: str


def read_unit(path: str | os.PathLike[str]) -> UnitContent:
    """Return a unit's frontmatter and body, whatever version of the schema it follows.

    Args:
        path: the note or wiki page.

    Raises:
        SchemaValidationError: its frontmatter cannot be read; the message says why and in which line.
        NotRegularFileError: it is no regular file.
        OSError: the system refuses.

    """
    reading = read(read_file(Path(path)).data)
    return UnitContent(dict(copy.deepcopy(_readable(reading, path))), reading.body)


def write_unit(
    path: str | os.PathLike[str],
    meta: Mapping[str, Any],
    body: str,
    *,
    root: Path | None = None,
    migrate: Migrate | None = None,
) -> None:
    """Write a unit in the current version, or raise and leave everything as it was.

    A file that is there keeps its comments, key order, quoting, line ends of the frontmatter, mode and owner;
    only the fields that change and the body are written. A write that changes nothing is none.

    Args:
        path: the note or wiki page, in a `memory` or `wiki` folder.
        meta: all fields.
        body: everything behind the line that closes the frontmatter.
        root: the vault; given, its own schemas hold and its lock is taken.
        migrate: brings frontmatter of an older version up to the current one.

    Raises:
        SchemaValidationError: the unit would be invalid; the message names every field.
        VaultBusyError: a migration is running.
        FileChangedError: somebody else wrote to the file meanwhile.
        NotRegularFileError: the path is a link or no regular file.
        OSError: the system refuses.

    """
    target = Path(path)
    schemas = SchemaSet.packaged() if root is None else SchemaSet.of_vault(root)
    place = _place(target, root)
    current = _in_current_version(meta, schemas, migrate)
    with _locked(root):
        _write(target, place, schemas, current, body)


def _write(target: Path, place: Place, schemas: SchemaSet, meta: Mapping[str, Any], body: str) -> None:
    try:
        there = read_file(target)
    except FileNotFoundError:
        data = _checked(place, _compose(None, meta, body), schemas)
        if not create_file(target, data):
            raise FileChangedError(f"{target}: somebody else created it meanwhile") from None
        return
    data = _checked(place, _compose(read(there.data), meta, body), schemas)
    if data != there.data:
        replace_file(target, data, expected=there.status)


def _compose(reading: Reading | None, meta: Mapping[str, Any], body: str) -> bytes:
    """Return the new bytes; frontmatter that can be read keeps its form."""
    try:
        if reading is not None and reading.meta is not None:
            changed = rewrite(reading, meta)
            return changed.data[: len(changed.data) - changed.body_bytes] + body.encode()
        lines = emit_block(dict(meta)) if meta else []
        return "\n".join(("---", *lines, "---", body)).encode()
    except (EmitError, SpliceError, UnicodeEncodeError) as error:
        raise SchemaValidationError(str(error)) from error


def _checked(place: Place, data: bytes, schemas: SchemaSet) -> bytes:
    verdict = judge(place, data, schemas=schemas, today=dt.date.min, limits=Limits())
    if verdict.errors:
        told = "; ".join(map(_in_words, verdict.errors))
        raise SchemaValidationError(f"{place.path}: {told}", hint=verdict.errors[0].fix)
    return data


def _in_words(problem: Problem | Fault) -> str:
    where = f" in line {problem.line}" if problem.line is not None else ""
    name = f"{problem.field}: " if problem.field is not None else ""
    return f"{name}{problem.code}{where}, found {problem.found}, expected {problem.expected}"


def _in_current_version(
    meta: Mapping[str, Any], schemas: SchemaSet, migrate: Migrate | None
) -> Mapping[str, Any]:
    version = schemas.version_of(meta)
    if version is not None and version < schemas.current and migrate is not None:
        meta = migrate(copy.deepcopy(dict(meta)))
        version = schemas.version_of(meta)
    if version is not None and version != schemas.current:
        raise SchemaValidationError(
            f"{VERSION_FIELD}: found {version}, expected {schemas.current}, the only version that is written",
            hint="run `atomicd migrate`, or pass the script chain as `migrate`",
        )
    return meta


def _readable(reading: Reading, path: str | os.PathLike[str]) -> Mapping[str, Any]:
    if reading.meta is not None:
        return reading.meta
    fault = next(fault for fault in reading.faults if fault.is_error)
    raise SchemaValidationError(f"{os.fspath(path)}: {_in_words(fault)}", hint=fault.fix)


def _place(target: Path, root: Path | None) -> Place:
    """Return what the path means, in the vault or, without one, from its layer folder on."""
    path = target.parent.resolve() / target.name
    if root is not None:
        inner = os.path.relpath(path, root.resolve())
    else:
        layer = next((parent for parent in path.parents if parent.name in LAYERS), path)
        inner = os.path.relpath(path, layer.parent)
    place = Layout(root_is_agent=True).place(inner)
    if not place.kind.is_unit:
        raise SchemaValidationError(
            f"{target}: expected an .md file below a `memory` or `wiki` folder, no index and no ignored name"
        )
    return place


@contextlib.contextmanager
def _locked(root: Path | None) -> Iterator[None]:
    if root is None:
        yield
        return
    from atomic_agents.vault.lock import VaultLock  # noqa: PLC0415 - filelock takes long to import

    with VaultLock(root).hold(_LOCK_SECONDS):
        yield
