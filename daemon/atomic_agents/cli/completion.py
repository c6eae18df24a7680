"""`atomicd completion`: what a shell needs to complete commands, options and paths (contract section 8)."""

from __future__ import annotations

from typing import Final

import click

_SHELLS: Final = ("bash", "zsh", "fish")
_VARIABLE: Final = "_ATOMICD_COMPLETE"

_EPILOG: Final = """\b
Examples:
  atomicd completion bash \\
    > ~/.local/share/bash-completion/completions/atomicd
  atomicd completion zsh > ~/.zfunc/_atomicd
  atomicd completion fish \\
    > ~/.config/fish/completions/atomicd.fish
\b
zsh looks there if .zshrc says `fpath+=~/.zfunc` before
compinit.
"""


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the script that lets SHELL complete atomicd's commands."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    root = ctx.find_root()
    script = found(root.command, {}, root.info_name or "atomicd", _VARIABLE)
    click.echo(script.source_template % script.source_vars())
    return 0
