"""The vault's root: where it really is, and how the paths below it are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from atomic_agents._io import read_file
from atomic_agents.exceptions import AtomicAgentsError, ConfigError, VaultMissingError
from atomic_agents.vault.ignore import IGNORE_FILE, Ignore
from atomic_agents.vault.kinds import AGENT_FOLDERS, Layout

_MAX_IGNORE_BYTES: Final = 1 << 20


def find_root(root: Path) -> Path:
    """Return the vault's real path, links resolved once (contract [PATH-2]).

    Args:
        root: as the operator gave it.

    Raises:
        VaultMissingError: it is not there, or is no folder.

    """
    real = Path(os.path.realpath(root.expanduser()))
    if not real.exists():
        raise VaultMissingError(
            f"vault {root}: not there",
            hint="create it with `atomicd init`, mount it, or name another with --vault",
        )
    if not real.is_dir():
        raise VaultMissingError(
            f"vault {root}: found a file, expected a folder", hint="name the folder instead"
        )
    return real


def read_layout(root: Path, patterns: tuple[str, ...] = ()) -> Layout:
    """Return how this vault's paths are read now.

    Args:
        root: the vault's real path.
        patterns: `[vault] ignore` of the config; `.atomicdignore` is added to them.

    Raises:
        ConfigError: `.atomicdignore` is there but cannot be read, or a line is no pattern. It is not
            taken for empty, since what it names would then be checked and moved.

    """
    ignore = Ignore((*patterns, *_ignore_lines(root / IGNORE_FILE)))
    return Layout(ignore, root_is_agent=any((root / name).is_dir() for name in AGENT_FOLDERS))


def _ignore_lines(path: Path) -> tuple[str, ...]:
    try:
        text = read_file(path, limit=_MAX_IGNORE_BYTES).data.decode("utf-8-sig")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, AtomicAgentsError) as error:
        raise ConfigError(
            f"{path}: {error}, expected a readable UTF-8 file of patterns",
            hint="make it a regular UTF-8 file that this user may read, or remove it",
        ) from error
    return tuple(line.removesuffix("\r") for line in text.removesuffix("\n").split("\n"))
