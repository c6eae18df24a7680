"""`atomicd quarantine breaker`: what waits for the operator, and what becomes of it (contract [Q-6])."""

from __future__ import annotations

import datetime as dt
import re
import time
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents import __version__
from atomic_agents._io import create_file, read_file, replace_file
from atomic_agents.cli.incidents import LOCK_SECONDS
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say
from atomic_agents.exceptions import AtomicAgentsError, ConfigError
from atomic_agents.model import FileRecord, FileState, printable
from atomic_agents.pipeline.blocking import ORDERS
from atomic_agents.pipeline.guarding import BREAKER
from atomic_agents.quarantine import Breaker
from atomic_agents.store import open_store, state_folder
from atomic_agents.vault.ignore import IGNORE_FILE, Ignore
from atomic_agents.vault.lock import VaultLock

_ANSWER_SECONDS: Final = 60.0
_SPECIAL: Final = re.compile(r"([\\*?\[\]! ])")

_EPILOG: Final = """\b
Examples:
  atomicd quarantine breaker            what waits?
  atomicd quarantine breaker --adopt    leave all as it is
  atomicd quarantine breaker --move 'beta/**'
  atomicd quarantine breaker --ignore 'legacy/'
\b
PATTERNS are in gitignore syntax; without any, everything that waits is meant.
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--move", "decision", flag_value="move", help="Move them to quarantine after all.")
@click.option("--adopt", "decision", flag_value="adopt", help="Leave them until they are written again.")
@click.option("--ignore", "decision", flag_value="ignore", help="Add them to .atomicdignore.")
@click.argument("patterns", nargs=-1)
def breaker(choices: Choices, as_json: bool, decision: str | None, patterns: tuple[str, ...]) -> int:
    """Show the invalid files that wait, or decide on them: too many at once are never moved by themselves."""
    root = choices.root()
    if decision is None and patterns:
        raise click.UsageError("patterns need --move, --adopt or --ignore")
    if decision is None:
        _show(root, as_json=as_json)
        return 0
    answer = _ignore(root, patterns) if decision == "ignore" else _decide(root, decision, patterns)
    if as_json:
        print_json(answer)
    else:
        say(_said(decision, answer))
    return 0


def _show(root: Path, *, as_json: bool) -> None:
    breaker, waiting = _read(root)
    if as_json:
        print_json(
            {
                "breaker": "open" if breaker.is_open else "closed",
                "opened_at": _moment(breaker.opened_at),
                "waiting": [
                    {"path": printable(one.path), "problems": [problem.as_json() for problem in _errors(one)]}
                    for one in waiting
                ],
            }
        )
        return
    if breaker.is_open:
        say(f"The breaker is open since {_moment(breaker.opened_at)}: nothing is moved.", colour="red")
    else:
        say("The breaker is closed.", colour="green")
    if waiting:
        print_table(("FILE", "PROBLEM"), [(one.path, _first(one)) for one in waiting])
        say(f"{len(waiting)} files wait. Decide with --move, --adopt or --ignore, for all or by pattern.")


def _decide(root: Path, decision: str, patterns: tuple[str, ...]) -> dict[str, Any]:
    """Tell the running daemon, or leave word for the next one."""
    from atomic_agents.daemon.instance import Instance, owner
    from atomic_agents.daemon.requests import ask

    Ignore(patterns)
    folder = state_folder(root)
    if owner(folder) is not None:
        arguments = {"decision": decision, "patterns": list(patterns)}
        answer = ask(
            folder,
            "breaker",
            arguments,
            is_alive=lambda: owner(folder) is not None,
            timeout=_ANSWER_SECONDS,
        )
        if "error" in answer:
            raise AtomicAgentsError(str(answer["error"]))
        return answer
    instance = Instance(folder)
    instance.acquire(version=__version__, now=time.time())
    try:
        _leave_word(folder, decision, patterns)
    finally:
        instance.release()
    return {"decided": None, "waiting": len(_read(root)[1])}


def _leave_word(folder: Path, decision: str, patterns: tuple[str, ...]) -> None:
    store = open_store(folder, now=time.time())
    try:
        with store.transaction():
            store.facts.put(ORDERS, [*store.facts.get(ORDERS, []), [decision, list(patterns)]])
    finally:
        store.close()


def _ignore(root: Path, patterns: tuple[str, ...]) -> dict[str, Any]:
    lines = patterns or tuple(map(_exactly, (one.path for one in _read(root)[1])))
    Ignore(lines)
    with VaultLock(root).hold(timeout=LOCK_SECONDS):
        _append(root / IGNORE_FILE, "".join(f"{line}\n" for line in lines).encode())
    return {"ignored": list(lines)}


def _append(file: Path, data: bytes) -> None:
    if create_file(file, data):
        return
    there = read_file(file)
    gap = b"" if there.data.endswith(b"\n") or not there.data else b"\n"
    replace_file(file, there.data + gap + data, expected=there.status)


def _exactly(path: str) -> str:
    """Return the gitignore pattern that names one path and nothing else."""
    if "\n" in path or "\r" in path or path != printable(path):
        raise ConfigError(f"{printable(path)}: no pattern can name it", hint="name its folder instead")
    return "/" + _SPECIAL.sub(r"\\\1", path)


def _read(root: Path) -> tuple[Breaker, list[FileRecord]]:
    store = open_store(state_folder(root), now=0.0, read_only=True)
    try:
        return Breaker.from_json(store.facts.get(BREAKER)), list(store.files.in_state(FileState.HELD))
    finally:
        store.close()


def _errors(record: FileRecord) -> list[Any]:
    return [problem for problem in record.problems if problem.severity == "error"]


def _first(record: FileRecord) -> str:
    errors = _errors(record)
    more = f" (+{len(errors) - 1})" if len(errors) > 1 else ""
    return f"{errors[0].field or 'file'}: {errors[0].code}{more}" if errors else ""


def _moment(moment: float | None) -> str | None:
    if moment is None:
        return None
    return dt.datetime.fromtimestamp(moment, dt.UTC).isoformat(timespec="seconds")


def _said(decision: str, answer: dict[str, Any]) -> str:
    if decision == "ignore":
        return f"{len(answer['ignored'])} lines added to {IGNORE_FILE}."
    if answer["decided"] is None:
        return "No daemon runs; it is done at the next start."
    done = {"move": "are moved", "adopt": "are adopted and stay until they are written again"}[decision]
    return f"{answer['decided']} files {done}; {answer['waiting']} wait."
