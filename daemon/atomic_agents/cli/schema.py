"""`atomicd schema`: the field tables as JSON Schema files, for editors (contract section 8, [SCHEMA-1])."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents.cli.options import Choices, shared

_EPILOG: Final = """\b
Examples:
  atomicd schema export .schemas       files for an editor
  atomicd schema export | jq 'keys'    print them all
"""
_EXPORT_EPILOG: Final = """\b
Examples:
  atomicd schema export .schemas
  atomicd schema export | jq '.["note.schema.json"].required'
\b
docs/editors.md tells how editors use them.
"""


@click.group(epilog=_EPILOG)
def schema() -> None:
    """Show the fields of notes and wiki pages as JSON Schema."""


@schema.command(epilog=_EXPORT_EPILOG, short_help="Write or print a JSON Schema per version and layer.")
@shared
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
def export(choices: Choices, folder: Path | None) -> int:
    """Write a JSON Schema per version and layer into DIR, or print them all.

    With --vault, or a vault in the configuration, its own schemas are among them.
    """
    from atomic_agents.cli.output import print_json, say
    from atomic_agents.schemas.editors import editor_documents

    files = editor_documents(_documents(choices))
    if folder is None:
        print_json(files)
        return 0
    for name in _write(folder, files):
        say(f"wrote {folder / name}")
    return 0


def _documents(choices: Choices) -> Mapping[Any, Mapping[str, Any]]:
    """Return the package's tables and, where there is a vault, those that it has adopted."""
    from atomic_agents.exceptions import VaultMissingError
    from atomic_agents.schemas.files import packaged_documents, vault_documents

    packaged = packaged_documents()
    try:
        root = choices.root()
    except VaultMissingError:
        if choices.vault is not None:
            raise
        return packaged
    newest = max(version for version, _ in packaged)
    return {**packaged, **vault_documents(root, above=newest)}


def _write(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Write the files that differ; one of the same name that is none of ours is never replaced."""
    import json

    from atomic_agents._io import atomic_write, make_folder
    from atomic_agents.exceptions import CannotWriteError

    try:
        make_folder(folder, mode=0o755)
        wanted = {
            name: f"{json.dumps(document, indent=2, ensure_ascii=False)}\n"
            for name, document in files.items()
        }
        changed = [name for name, text in wanted.items() if _differs(folder / name, text)]
        for name in changed:
            atomic_write(folder / name, wanted[name])
    except OSError as error:
        raise CannotWriteError(f"{error.filename or folder}: {error.strerror}") from error
    return changed


def _differs(path: Path, text: str) -> bool:
    import json

    from atomic_agents.exceptions import AtomicAgentsError

    if not path.exists():
        return True
    there = path.read_text("utf-8", "replace")
    try:
        is_schema = "$schema" in json.loads(there)
    except (ValueError, TypeError):
        is_schema = False
    if not is_schema:
        raise AtomicAgentsError(f"{path}: is there and is no JSON Schema", hint="name another folder")
    return there != text
