"""The `atomicd` command: finds its sub-commands by name and imports only the one that is used."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents import __version__
from atomic_agents.cli.options import Choices
from atomic_agents.exceptions import AtomicAgentsError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": ("run", "Watch a vault in the foreground."),
    "sync": ("sync", "Do all that is pending now, then return."),
    "check": ("check", "Judge files: errors only, for hooks and CI."),
    "lint": ("check", "Judge files: the warnings too."),
    "explain": ("explain", "What a path is to atomicd, and why; what a code means."),
    "fix": ("fix", "Mend what is mechanical, and explain the rest."),
    "status": ("status", "How the daemon is."),
    "logs": ("logs", "Show the log for people."),
    "service": ("service", "Install the daemon as a service, and look after it."),
    "verify": ("verify", "Prove that the running daemon works."),
    "doctor": ("doctor", "Look at all that the daemon depends on."),
    "index": ("index", "Look at the INDEX files, or rebuild them."),
    "quarantine": ("quarantine", "What was blocked, and what to do about it."),
    "history": ("history", "The kept versions of a note, wiki page or INDEX."),
    "restore": ("restore", "Put a kept version back."),
    "migrate": ("migrate", "Migrate to another schema version, or roll back."),
    "conflicts": ("conflicts", "Conflict copies and markers, with the differences."),
    "schema": ("schema", "The fields as JSON Schema, for editors."),
    "completion": ("completion", "Let bash, zsh or fish complete the commands."),
    "init": ("init", "Make a configuration and a small valid vault."),
}
"""Every command: the module that holds it, and its line in `atomicd --help`."""

_EPILOG: Final = """\b
Examples:
  atomicd init ~/docs/agents    a first vault
  atomicd run                   watch it in this terminal
  atomicd check ~/docs/agents   what is invalid?
  atomicd status                is the daemon well?
  atomicd logs -f               what is it doing?
"""

_SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """A group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table above."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"atomic_agents.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return what a shell offers, without importing the commands: a keystroke has to be quick."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        found = ((name, line) for name, (_, line) in COMMANDS.items() if name.startswith(incomplete))
        return [CompletionItem(name, help=line) for name, line in found]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=LazyGroup, epilog=_EPILOG, context_settings=_SETTINGS)
@click.option("--vault", type=click.Path(path_type=Path, readable=False), help="The vault's folder.")
@click.option("--config", type=click.Path(path_type=Path, readable=False), help="The configuration file.")
@click.option("--verbose", is_flag=True, help="Show tracebacks of failures.")
@click.version_option(__version__, prog_name="atomicd")
@click.pass_context
def atomicd(ctx: click.Context, vault: Path | None, config: Path | None, verbose: bool) -> None:
    """Keep a vault of agent memory valid, indexed and recoverable."""
    ctx.obj = Choices(vault=vault, config=config, verbose=verbose)
    ctx.color = False if os.environ.get("NO_COLOR") else None


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: without the program's name; None takes those of the process.

    """
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    try:
        result: Any = atomicd.main(arguments, prog_name="atomicd", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return UsageError.exit_code if "run" in arguments[:1] else 2
    except AtomicAgentsError as error:
        _complain(error, verbose="--verbose" in arguments)
        return error.exit_code
    except BrokenPipeError:
        sys.stdout = None
        return 0
    except _failures() as error:
        _complain(AtomicAgentsError(_in_words(error)), verbose="--verbose" in arguments)
        return AtomicAgentsError.exit_code
    return result if isinstance(result, int) else 0


def _failures() -> tuple[type[Exception], ...]:
    """Return what the system may refuse; looked up only when something was raised, for a quick start."""
    import sqlite3

    return OSError, sqlite3.Error


def _in_words(error: Exception) -> str:
    if not isinstance(error, OSError):
        return f"state store: {error}"
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


def _complain(error: AtomicAgentsError, *, verbose: bool) -> None:
    if verbose:
        import traceback

        traceback.print_exception(error)
    colour = False if os.environ.get("NO_COLOR") else None
    for head, text, shade in (("atomicd:", str(error), "red"), ("hint:", error.hint, "yellow")):
        if text:
            click.echo(f"{click.style(head, fg=shade)} {text}", err=True, color=colour)
