"""`atomicd quarantine edit`: mend blocked bytes in an editor, on a copy (contract [Q-4])."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from atomic_agents._io import create_file, read_file
from atomic_agents.cli.incidents import changing, identifier, print_problems
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, say
from atomic_agents.cli.weighing import errors_of
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Problem
from atomic_agents.quarantine import Incident, Incidents
from atomic_agents.quarantine.returning import put_mended, quarantined_bytes

_EPILOG: Final = """\b
Examples:
  atomicd quarantine edit 20261201T1015
  EDITOR='code --wait' atomicd quarantine edit 20261201T1015 --yes
\b
Exit status: 0 valid, 1 still invalid, 2 wrong usage.
"""


@dataclass(frozen=True)
class _Edited:
    copy: Path
    data: bytes
    problems: tuple[Problem, ...]


@click.command(epilog=_EPILOG)
@shared
@as_json
@identifier
@click.option("--yes", is_flag=True, help="Put it back without a question if it is valid then.")
def edit(choices: Choices, as_json: bool, identifier: str, yes: bool) -> int:
    """Open a copy of the blocked bytes in $VISUAL or $EDITOR, judge it, and offer to put it back."""
    root = choices.root()
    incidents = Incidents(root)
    incident = incidents.find(identifier)
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
    edited = _edit(choices, incidents, incident, asks=asks, quiet=as_json)
    is_back = not edited.problems and (yes or (asks and click.confirm("Valid. Put it back?", default=True)))
    if is_back:
        with changing(root, incidents, incident.agent):
            incident = put_mended(incidents, root, incident, edited.data)
        shutil.rmtree(edited.copy.parent)
    if as_json:
        _print_json(incident, edited, is_back=is_back)
    else:
        _say(incident, edited, is_back=is_back)
    return 1 if edited.problems else 0


def _edit(choices: Choices, incidents: Incidents, incident: Incident, *, asks: bool, quiet: bool) -> _Edited:
    """Edit until it is valid or the operator has enough."""
    copy = _copy(incidents, incident)
    root, config = choices.root(), choices.load()
    while True:
        _run_editor(copy)
        data = read_file(copy).data
        problems = errors_of(root, config, incident.path, data)
        if problems and not quiet:
            print_problems(problems)
        if not problems or not asks or not click.confirm("Still invalid. Edit it again?", default=True):
            return _Edited(copy, data, problems)


def _copy(incidents: Incidents, incident: Incident) -> Path:
    data = quarantined_bytes(incidents, incident)
    copy = Path(tempfile.mkdtemp(prefix="atomicd-")) / incident.name
    create_file(copy, data, mode=0o600)
    return copy


def _run_editor(copy: Path) -> None:
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    try:
        status = subprocess.run([*words, str(copy)], check=False).returncode  # noqa: S603 (the operator's own)
    except OSError as error:
        raise AtomicAgentsError(
            f"editor {words[0]}: {error.strerror}", hint=f"set EDITOR; the copy is {copy}"
        ) from error
    if status:
        raise AtomicAgentsError(f"editor {words[0]}: exit status {status}", hint=f"the copy is {copy}")


def _print_json(incident: Incident, edited: _Edited, *, is_back: bool) -> None:
    values = {
        "id": incident.id,
        "valid": not edited.problems,
        "put_back": is_back,
        "copy": None if is_back else str(edited.copy),
        "problems": [problem.as_json() for problem in edited.problems],
    }
    print_json(values)


def _say(incident: Incident, edited: _Edited, *, is_back: bool) -> None:
    if is_back:
        say(f"{incident.path}: valid, and back.", colour="green")
    elif edited.problems:
        say(f"Still invalid; nothing was put back. Your copy: {edited.copy}", colour="red")
    else:
        say(f"Valid; nothing was put back. Your copy: {edited.copy}; --yes puts it back.")
