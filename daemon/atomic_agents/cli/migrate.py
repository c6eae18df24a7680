"""`atomicd migrate`: the same as `python -m atomic_agents.migrate` (contract [M-6])."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from atomic_agents.cli.options import Choices

_PROGRAM: Final = "atomicd migrate"
_SETTINGS: Final = {"ignore_unknown_options": True, "help_option_names": []}


@click.command(context_settings=_SETTINGS, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def migrate(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Migrate the vault to another schema version, or roll a migration back."""
    from atomic_agents.migrate import main

    choices = ctx.find_object(Choices) or Choices()
    given = [*arguments]
    if choices.vault is not None:
        given = ["--agents-root", str(choices.vault), *given]
    if choices.config is not None:
        given = ["--config", str(choices.config), *given]
    return main(given, after_run=_bring_index_up_to_date, program=_PROGRAM)


def _bring_index_up_to_date(root: Path) -> None:
    """Do at once what the next sweep of a running daemon would do (contract [M-6])."""
    from atomic_agents.cli.sync import sync_vault

    sync_vault(Choices(vault=root), wait=False)
