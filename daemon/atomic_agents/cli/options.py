"""The options that most commands share, and what they mean."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents import config as configuration
from atomic_agents.config import Config
from atomic_agents.exceptions import ConfigError
from atomic_agents.vault.walk import find_root

_SENTENCE: Final = 200
"""Letters of a command's first sentence that are shown in a list."""


@dataclass(frozen=True)
class Choices:
    """What was said before and after the command's name."""

    vault: Path | None = None
    config: Path | None = None
    verbose: bool = False

    def load(self) -> Config:
        """Return the configuration in force.

        Raises:
            ConfigError: it is wrong.

        """
        return configuration.load(self.config, vault=self.vault)

    def vault_path(self) -> Path:
        """Return where the vault really is, also while it is not mounted or the configuration is broken.

        Raises:
            ConfigError: only the configuration could tell, and it is wrong.

        """
        try:
            root = self.load().root
        except ConfigError:
            named = self.vault or os.environ.get("ATOMIC_AGENTS_ROOT")
            if named is None:
                raise
            root = Path(named)
        return Path(os.path.realpath(root.expanduser()))

    def root(self) -> Path:
        """Return the vault's real path.

        Raises:
            ConfigError: the configuration is wrong.
            VaultMissingError: the vault is not there.

        """
        return find_root(self.load().root)


class Group(click.Group):
    """A group that tells what each command does in the whole first sentence of its help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.get_short_help_str(_SENTENCE))
            for name, command in found
            if command is not None and not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--vault`, `--config` and `--verbose` to a command, which gets them as `choices`."""

    @click.option("--vault", type=click.Path(path_type=Path, readable=False), help="The vault's folder.")
    @click.option("--config", type=click.Path(path_type=Path, readable=False), help="The configuration file.")
    @click.option("--verbose", is_flag=True, help="Show tracebacks of failures.")
    @functools.wraps(command)
    def wrapped(*, vault: Path | None, config: Path | None, verbose: bool, **rest: Any) -> Any:
        ctx = click.get_current_context()
        before = ctx.find_object(Choices) or Choices()
        choices = replace(
            before,
            vault=vault or before.vault,
            config=config or before.config,
            verbose=verbose or before.verbose,
        )
        return ctx.invoke(command, choices=choices, **rest)

    return wrapped


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
