"""`atomicd init`: a configuration and a small valid vault, nothing overwritten."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import click

import atomic_agents
from atomic_agents import config
from atomic_agents._io import create_file, make_folder
from atomic_agents.cli.options import Choices, shared
from atomic_agents.cli.output import say
from atomic_agents.exceptions import AtomicAgentsError, CannotWriteError

_EPILOG: Final = """\b
Examples:
  atomicd init ~/docs/agents
  atomicd init ./notes --no-config
"""


@click.command(epilog=_EPILOG)
@shared
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--no-config", is_flag=True, help="Write no configuration.")
def init(choices: Choices, folder: Path, no_config: bool) -> int:
    """Make a configuration, and in an empty FOLDER a small valid agent."""
    vault = folder.expanduser().absolute()
    try:
        _make_vault(vault)
        if not no_config:
            _make_config(_config_file(choices), vault)
    except OSError as error:
        raise CannotWriteError(f"{error.filename or vault}: {error.strerror}") from error
    say(f"Next: atomicd run --vault {vault}")
    return 0


def _config_file(choices: Choices) -> Path:
    """Return where the other commands will look for the configuration."""
    named = choices.config or os.environ.get("ATOMICD_CONFIG")
    return Path(named).expanduser() if named else config.default_path()


def _make_vault(vault: Path) -> None:
    if vault.exists() and not vault.is_dir():
        raise AtomicAgentsError(f"{vault}: found a file, expected a folder", hint="name another folder")
    if vault.is_dir() and any(vault.iterdir()):
        say(f"{vault} holds files already; they stay as they are.")
        return
    example = _example()
    vault.mkdir(parents=True, exist_ok=True)
    shutil.copytree(example, vault, dirs_exist_ok=True)
    say(f"Made {vault} with the agent fern.")


def _make_config(path: Path, vault: Path) -> None:
    make_folder(path.parent)
    quoted = str(vault).replace("\\", "\\\\").replace('"', '\\"')
    text = f'# Every key and its default: config.example.toml\n[vault]\nroot = "{quoted}"\n'
    if create_file(path, text.encode("utf-8"), mode=0o600):
        say(f"Wrote {path}.")
    else:
        say(f"{path} is there already; it stays as it is.")


def _example() -> Path:
    """Return the example vault: in the package when installed, beside the source in a checkout."""
    package = Path(atomic_agents.__file__).parent
    for folder in (package / "examples" / "vault", package.parents[1] / "examples" / "vault"):
        if folder.is_dir():
            return folder
    raise AtomicAgentsError(
        "the example vault is missing from this installation", hint="install atomicd again"
    )
