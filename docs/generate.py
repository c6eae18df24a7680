# ruff: noqa: INP001 (a script beside the pages, no package)
"""Write the parts of the documentation that the program knows best; `make docs` runs it.

A page holds them between `<!-- generated: NAME -->` and `<!-- end -->`; the rest is written by hand.
With `--check` nothing is written and the exit status says whether a page is behind.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents._schema import CURRENT_SCHEMA_VERSION
from atomic_agents.cli.app import COMMANDS
from atomic_agents.config import keys as config_keys
from atomic_agents.log.words import SAYINGS
from atomic_agents.migration.arguments import build_parser
from atomic_agents.units import CODES

DOCS: Final = Path(__file__).resolve().parent
_PART: Final = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_HELP_WIDTH: Final = 80


def rules(severity: str) -> str:
    """Return each code of a severity: what it means, an example, what to do."""
    parts = []
    for name, code in CODES.items():
        if code.severity == severity:
            parts.append(
                f"### {name}\n\n{_escape(code.meaning)}\n\n"
                f"- Example: {_code(code.example)}\n- What to do: {_escape(code.fix)}\n"
            )
    return "\n".join(parts)


def fields() -> str:
    """Return the fields of each layer in a table, from the schemas of the newest version."""
    return "\n".join(f"**{title}**\n\n{_table(layer)}" for layer, title in _LAYERS.items())


def _table(layer: str) -> str:
    file = resources.files("atomic_agents.schemas") / f"v{CURRENT_SCHEMA_VERSION}.{layer}.schema.json"
    schema = json.loads(file.read_text("utf-8"))
    rows = [
        f"| `{name}` | {'yes' if name in schema['required'] else ''} "
        f"| {_escape(field['x-atomicd']['expected'])} | {_escape(field['description'])} |"
        for name, field in schema["properties"].items()
    ]
    return "\n".join(["| field | required | value | meaning |", "|---|---|---|---|", *rows, ""])


def keys() -> str:
    """Return each key of the configuration in a table per section."""
    sections: dict[str, list[str]] = {}
    for key in config_keys():
        meaning = key.meaning + (f" ({key.unit})" if key.unit else "")
        allowed = f"; one of {', '.join(f'`{choice}`' for choice in key.choices)}" if key.choices else ""
        row = f"| `{key.name}` | `{_toml(key.default)}` | {_escape(meaning)}{allowed} |"
        sections.setdefault(key.section, []).append(row)
    head = "| key | default | meaning |\n|---|---|---|\n"
    return "\n".join(f"### [{name}]\n\n{head}" + "\n".join(rows) + "\n" for name, rows in sections.items())


def events() -> str:
    """Return each event of the log in a table."""
    rows = [
        f"| `{name}` | {saying.word} | {_escape(saying.meaning)} | "
        f"{', '.join(f'`{fact}`' for fact in saying.facts) or 'none'} |"
        for name, saying in SAYINGS.items()
    ]
    return "\n".join(["| event | on a terminal | meaning | keys |", "|---|---|---|---|", *rows, ""])


def commands() -> str:
    """Return the help of each command."""
    parts = [f"## {name}\n\n```text\n{text}\n```\n" for name, text in _helps()]
    return "\n".join(parts)


_LAYERS: Final = {"note": "Notes", "wiki": "Wiki pages"}

PARTS: Final[dict[str, Callable[[], str]]] = {
    "fields": fields,
    "errors": lambda: rules("error"),
    "warnings": lambda: rules("warning"),
    "keys": keys,
    "events": events,
    "commands": commands,
}


def filled(page: str) -> str:
    """Return a page with its generated parts as they should be."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}", page)


def main() -> int:
    """Write the pages, or say which are behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is behind")
    check = parser.parse_args().check
    behind = []
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        if filled(text) != text:
            behind.append(page.name)
            if not check:
                page.write_text(filled(text), "utf-8")
    click.echo(f"{'behind' if check else 'written'}: {', '.join(behind) or 'none'}")
    return int(check and bool(behind))


def _helps() -> Iterator[tuple[str, str]]:
    for name, (module, _) in COMMANDS.items():
        command: click.Command = getattr(importlib.import_module(f"atomic_agents.cli.{module}"), name)
        yield from _help_of(command, f"atomicd {name}")


def _help_of(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    if path == "atomicd migrate":
        parser = build_parser(path)
        parser.formatter_class = partial(argparse.RawDescriptionHelpFormatter, width=_HELP_WIDTH)
        yield path, parser.format_help().strip()
        return
    ctx = click.Context(
        command,
        info_name=path,
        max_content_width=_HELP_WIDTH,
        terminal_width=_HELP_WIDTH,
        help_option_names=["-h", "--help"],
    )
    command._help_option = None  # noqa: SLF001 (click keeps the first one that was asked for)
    text = "\n".join(line.rstrip() for line in command.get_help(ctx).splitlines())
    yield path, text.strip()
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            if found is not None and not found.hidden:
                yield from _help_of(found, f"{path} {name}")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _code(text: str) -> str:
    """Return an example as code where it is an excerpt, else as words."""
    return _escape(text) if "`" in text or text[:2] in {"a ", "an", "tw", "th"} else f"`{text}`"


def _escape(text: str) -> str:
    r"""Return a sentence for Markdown: what stands outside of code marks cannot act."""
    parts = text.split("`")
    outside = [re.sub(r"([\\*_{}\[\]<>|])", r"\\\1", part) for part in parts[::2]]
    inside = [f"`{part}`" for part in parts[1::2]]
    return "".join(outer + inner for outer, inner in zip(outside, [*inside, ""], strict=True))


if __name__ == "__main__":
    sys.exit(main())
