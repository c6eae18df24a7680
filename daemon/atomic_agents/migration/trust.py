"""Which scripts an operator has run on a vault, and what was dry-run before (contract [D-8], [M-5]).

It lies in the operator's state folder, never in the vault: whoever may write to the vault must not be able
to make the daemon run code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import atomic_write, make_folder, read_file
from atomic_agents.config import state_root
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.migration.folders import migrations_folder
from atomic_agents.migration.scripts import ScriptFile, find_scripts, read_script

_FOLDER: Final = "migration"
_MOST_TRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is remembered of one vault.

    Args:
        trusted: SHA-256 (hex) of the scripts that took part in a real run that succeeded.
        tried: dry runs that went well, each a target version and the hashes of its scripts in order.

    """

    trusted: frozenset[str] = frozenset()
    tried: tuple[tuple[int, tuple[str, ...]], ...] = field(default=())


def memory_path(root: Path) -> Path:
    """Return where it is remembered for a vault.

    Args:
        root: the vault's real path.

    """
    name = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return state_root() / _FOLDER / f"{name}.json"


def recall(root: Path) -> Remembered:
    """Return what is remembered of a vault; nothing, when it cannot be read."""
    try:
        fields: dict[str, Any] = json.loads(read_file(memory_path(root)).data)
        tried = tuple((int(target), tuple(map(str, hashes))) for target, hashes in fields["tried"])
        return Remembered(frozenset(map(str, fields["trusted"])), tried)
    except (OSError, AtomicAgentsError, ValueError, KeyError, TypeError):
        return Remembered()


def trust(root: Path, hashes: Iterable[str]) -> None:
    """Remember that the operator ran these scripts on this vault."""
    known = recall(root)
    _write(root, Remembered(known.trusted | set(hashes), known.tried))


def distrust(root: Path) -> None:
    """Forget which scripts the operator ran: a rollback undid that, so that nothing runs them by itself."""
    _write(root, Remembered(tried=recall(root).tried))


def remember_try(root: Path, target: int, hashes: Iterable[str]) -> None:
    """Remember that a dry run of these scripts went well."""
    known, entry = recall(root), (target, tuple(hashes))
    others = tuple(tried for tried in known.tried if tried != entry)
    _write(root, Remembered(known.trusted, (*others, entry)[-_MOST_TRIES:]))


def was_tried(root: Path, target: int, hashes: Iterable[str]) -> bool:
    """Whether exactly these scripts were dry-run to this target before."""
    return (target, tuple(hashes)) in recall(root).tried


def unknown_scripts(root: Path) -> list[ScriptFile]:
    """Return the scripts in the vault that the operator has not run; none of them is executed."""
    trusted = recall(root).trusted
    return [script for script in find_scripts(migrations_folder(root)) if not _is_known(script, trusted)]


def _is_known(script: ScriptFile, trusted: frozenset[str]) -> bool:
    try:
        return read_script(script)[1] in trusted
    except AtomicAgentsError:
        return False


def _write(root: Path, remembered: Remembered) -> None:
    path = memory_path(root)
    make_folder(path.parent, mode=0o700)
    fields = {"vault": str(root), "trusted": sorted(remembered.trusted), "tried": remembered.tried}
    atomic_write(path, json.dumps(fields, indent=1) + "\n")
