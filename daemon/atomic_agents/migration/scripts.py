"""Loading migration scripts and calling them (seed, Migration script format; contract section 7).

A script is executed from exactly the bytes that were hashed, so that trust in a hash is trust in what ran.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from atomic_agents._io import read_file
from atomic_agents.exceptions import AtomicAgentsError, MigrationInterruptedError, MigrationScriptError
from atomic_agents.migration.unit import MigratableUnit, UnreadableUnitError, UnwritableUnitError
from atomic_agents.migration.values import LoadedScript

_NAME: Final = re.compile(r"^v(\d+)_to_v(\d+)\.py$")
_LARGEST: Final = 1 << 20
_OLD_CONTRACT: Final = (
    "this is the old path-shaped contract; take a MigratableUnit: applies_to(unit) and migrate(unit), "
    "without dry_run, and call unit.write_frontmatter(meta)"
)


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script that lies in `_migrations/`; its versions are told by its name, nothing is executed."""

    path: Path
    from_version: int
    to_version: int


def find_scripts(folder: Path) -> list[ScriptFile]:
    """Return the scripts of a migrations folder, by version; a missing folder has none."""
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except FileNotFoundError:
        return []
    matches = ((name, _NAME.match(name)) for name in names)
    found = [ScriptFile(folder / name, int(match[1]), int(match[2])) for name, match in matches if match]
    return sorted(found, key=lambda script: (script.from_version, script.to_version, script.path.name))


def read_script(script: ScriptFile) -> tuple[bytes, str]:
    """Return a script's source and its SHA-256 (hex), without executing it.

    Raises:
        MigrationScriptError: it is no regular file, too large, or cannot be read.

    """
    try:
        reading = read_file(script.path, limit=_LARGEST)
    except (AtomicAgentsError, OSError) as error:
        raise MigrationScriptError(f"script {script.path.name}: cannot be read ({error})") from error
    return reading.data, reading.sha256


def load_script(script: ScriptFile, only: Collection[str] | None = None) -> LoadedScript:
    """Execute a script and check what it defines.

    Args:
        script: the file.
        only: SHA-256 (hex) of what may be executed; None is anything.

    Raises:
        MigrationScriptError: a syntax error, an exception, `sys.exit`, a missing or wrong attribute.

    """
    source, sha256 = read_script(script)
    if only is not None and sha256 not in only:
        raise MigrationScriptError(f"script {script.path.name}: changed since the operator ran it")
    module = _execute(script, source, sha256)
    for name, wanted in (("FROM_VERSION", script.from_version), ("TO_VERSION", script.to_version)):
        found = getattr(module, name, None)
        if type(found) is not int or found != wanted:
            raise MigrationScriptError(
                f"script {script.path.name}: {name} is {found!r}, its file name says {wanted}",
                hint="let the constants and the file name say the same",
            )
    for name in ("applies_to", "migrate"):
        _check_function(script.path.name, name, getattr(module, name, None))
    return LoadedScript(script.path, script.from_version, script.to_version, module, sha256)


def applies(script: LoadedScript, unit: MigratableUnit) -> bool:
    """Return whether a script claims a unit."""
    with _speaking_for(script, "applies_to", unit):
        return bool(script.module.applies_to(unit))


def migrate(script: LoadedScript, unit: MigratableUnit) -> dict[str, Any]:
    """Run a script on a unit and return its raw summary; an empty one for None.

    Raises:
        MigrationScriptError: it raised, exited, or returned something else than a mapping or None.

    """
    with _speaking_for(script, "migrate", unit):
        summary = script.module.migrate(unit)
    if summary is None:
        return {}
    if not isinstance(summary, dict):
        raise MigrationScriptError(
            f"script {script.name}, unit {unit.unit_id}: migrate returned {type(summary).__name__}, "
            "expected a mapping of changes"
        )
    return summary


def _execute(script: ScriptFile, source: bytes, sha256: str) -> ModuleType:
    module = ModuleType(f"atomicd_migration_{script.path.stem}_{sha256[:12]}")
    module.__file__ = str(script.path)
    sys.modules[module.__name__] = module
    with _speaking_for_file(script.path.name):
        code = compile(source, str(script.path), "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 - running the operator's script is what was asked for
    return module


def _check_function(script: str, name: str, function: Any) -> None:
    if not callable(function):
        raise MigrationScriptError(f"script {script}: defines no function {name}(unit)")
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return
    parameters = list(signature.parameters.values())
    if "dry_run" in signature.parameters or (parameters and _is_path(parameters[0])):
        raise MigrationScriptError(
            f"script {script}: {name}{signature} takes a path or dry_run", hint=_OLD_CONTRACT
        )
    try:
        signature.bind(object())
    except TypeError as error:
        raise MigrationScriptError(
            f"script {script}: {name}{signature} cannot be called with one unit ({error})",
            hint="define it with one parameter, the unit",
        ) from error


def _is_path(parameter: inspect.Parameter) -> bool:
    named = parameter.annotation
    text = named if isinstance(named, str) else getattr(named, "__name__", "")
    return text.rpartition(".")[2] in {"Path", "PosixPath", "PurePath"} or parameter.name == "path"


def _speaking_for_file(script: str) -> contextlib.AbstractContextManager[None]:
    return _named(f"script {script}: failed while it was loaded")


def _speaking_for(
    script: LoadedScript, function: str, unit: MigratableUnit
) -> contextlib.AbstractContextManager[None]:
    return _named(f"script {script.name}, unit {unit.unit_id}: {function} failed")


@contextlib.contextmanager
def _named(what: str) -> Iterator[None]:
    """Turn whatever a script raises into an error that names it; what it prints goes to stderr."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except (UnreadableUnitError, UnwritableUnitError):
        raise
    except MigrationScriptError as error:
        raise MigrationScriptError(f"{what}: {error}", hint=error.hint) from error
    except KeyboardInterrupt as error:
        raise MigrationInterruptedError(f"{what}: interrupted") from error
    except SystemExit as error:
        raise MigrationScriptError(f"{what}: it called sys.exit({error.code!r})") from error
    except Exception as error:
        raise MigrationScriptError(f"{what}: {type(error).__name__}: {error}") from error
