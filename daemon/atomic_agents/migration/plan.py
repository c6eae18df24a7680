"""From a version to another: which scripts, in which order (seed, Migration directory)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from atomic_agents.exceptions import MigrationError, NothingToMigrateError
from atomic_agents.migration.scripts import ScriptFile, load_script
from atomic_agents.migration.values import LoadedScript, MigrationPlan

_TARGET: Final = re.compile(r"^[vV]?(\d{1,9})$", re.ASCII)


def parse_target_version(text: str) -> int:
    """Return the version that `v2` or `2` names.

    Args:
        text: as the operator gave it.

    Raises:
        MigrationError: it names none.

    """
    match = _TARGET.match(text.strip())
    if match is None:
        raise MigrationError(
            f"version {text!r}: found no version, expected one such as v2", hint="write --to v2"
        )
    return int(match[1])


def build_plan(
    from_version: int,
    to_version: int,
    scripts: Sequence[ScriptFile],
    load: Callable[[ScriptFile], LoadedScript] = load_script,
) -> MigrationPlan:
    """Return the plan; only the scripts on the way are executed.

    Args:
        from_version: the least version in the vault.
        to_version: the target.
        scripts: what lies in `_migrations/`.
        load: executes a script.

    Raises:
        NothingToMigrateError: the vault is at the target.
        MigrationError: the target is below, or no unbroken chain leads to it.
        MigrationScriptError: a script on the way is broken.

    """
    if to_version == from_version:
        raise NothingToMigrateError(f"the vault is at v{from_version}: nothing to migrate")
    if to_version < from_version:
        raise MigrationError(
            f"target v{to_version} is below the vault's v{from_version}; migrations go forward only",
            hint="to go back, restore a snapshot with --rollback",
        )
    chain = find_chain(from_version, to_version, scripts)
    return MigrationPlan(from_version, to_version, tuple(load(script) for script in chain))


def find_chain(from_version: int, to_version: int, scripts: Sequence[ScriptFile]) -> list[ScriptFile]:
    """Return the scripts that lead from one version to another, in order.

    Raises:
        MigrationError: one is missing, leads past the target, or two begin at one version.

    """
    chain: list[ScriptFile] = []
    version = from_version
    while version < to_version:
        script = _only_one(version, scripts)
        chain.append(script)
        version = script.to_version
    if version > to_version:
        raise MigrationError(
            f"script {chain[-1].path.name} leads to v{version}, past the target v{to_version}",
            hint=f"migrate --to v{version}, or write a script to v{to_version}",
        )
    return chain


def _only_one(version: int, scripts: Sequence[ScriptFile]) -> ScriptFile:
    found = [script for script in scripts if script.from_version == version]
    if not found:
        raise MigrationError(
            f"no script leads on from v{version} (found: {_names(scripts) or 'none'})",
            hint=f"write _migrations/v{version}_to_v{version + 1}.py",
        )
    if len(found) > 1:
        raise MigrationError(
            f"{len(found)} scripts begin at v{version}: {_names(found)}", hint="leave one of them there"
        )
    if found[0].to_version <= version:
        raise MigrationError(f"script {found[0].path.name} does not lead forward")
    return found[0]


def _names(scripts: Sequence[ScriptFile]) -> str:
    return ", ".join(script.path.name for script in scripts)
