"""Finding and reading the schema files: the package's, and those of a vault that is ahead of it ([M-4])."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import read_file
from atomic_agents.exceptions import AtomicAgentsError, ConfigError
from atomic_agents.model import Kind

Documents = Mapping[tuple[int, Kind], Mapping[str, Any]]
"""Schemas by version and layer (`Kind.NOTE` or `Kind.WIKI`)."""

VAULT_FOLDER: Final = "_migrations/schemas"
"""Where a vault keeps schemas of its own, relative to its root."""

_NAME: Final = re.compile(r"v([1-9][0-9]{0,5})\.(note|wiki)\.schema\.json")
_LARGEST: Final = 1 << 20
_MOST_FAULTS: Final = 20
_HINT: Final = "mend or remove the named file; the package's own schema is shown by `atomicd schema export`"


def packaged_documents() -> Documents:
    """Return the schemas that are shipped with the package."""
    folder = Path(__file__).parent
    return {key: json.loads((folder / name).read_bytes()) for key, name in _names(folder).items()}


def vault_documents(root: Path, *, above: int) -> Documents:
    """Return the schemas of a vault that are newer than the package's (contract [M-4]).

    Args:
        root: the vault's real path.
        above: the newest version that the package knows; files up to it are not read.

    Raises:
        ConfigError: a file cannot be read or is no JSON object, or a version lacks one of its two files or
            leaves a gap; all faults at once.

    """
    folder = root / VAULT_FOLDER
    names = {key: name for key, name in _names(folder).items() if key[0] > above}
    documents: dict[tuple[int, Kind], Mapping[str, Any]] = {}
    faults = _missing(set(names), above)
    for key, name in names.items():
        try:
            documents[key] = _read(folder / name)
        except (OSError, ValueError, RecursionError, AtomicAgentsError) as error:
            faults.append(f"{VAULT_FOLDER}/{name}: {error}")
    if faults:
        raise schema_fault(faults)
    return documents


def schema_fault(faults: list[str]) -> ConfigError:
    """Return the error that names everything that is wrong with a vault's schemas."""
    return ConfigError("; ".join(faults), hint=_HINT)


def _names(folder: Path) -> dict[tuple[int, Kind], str]:
    if not folder.is_dir():
        return {}
    matches = sorted(filter(None, (_NAME.fullmatch(entry.name) for entry in folder.iterdir())), key=_order)
    return {(int(match[1]), Kind(match[2])): match[0] for match in matches}


def _order(match: re.Match[str]) -> tuple[int, str]:
    return int(match[1]), match[2]


def _missing(keys: set[tuple[int, Kind]], above: int) -> list[str]:
    newest = max((version for version, _ in keys), default=above)
    wanted = ((version, kind) for version in range(above + 1, newest + 1) for kind in (Kind.NOTE, Kind.WIKI))
    missing = itertools.islice((key for key in wanted if key not in keys), _MOST_FAULTS)
    return [
        f"{VAULT_FOLDER}/v{version}.{kind}.schema.json: not there, though version {newest} needs it"
        for version, kind in missing
    ]


def _read(path: Path) -> Mapping[str, Any]:
    document = json.loads(read_file(path, limit=_LARGEST).data)
    if not isinstance(document, dict):
        raise ValueError("found no JSON object, expected a JSON Schema")  # noqa: TRY004 - it is bad content
    return document
