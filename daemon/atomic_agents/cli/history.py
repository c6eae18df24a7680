"""`atomicd history`: the kept versions of a path (contract [Q-5])."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from atomic_agents.cli.diffs import print_diff, unified
from atomic_agents.cli.naming import path_in_vault
from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import printable
from atomic_agents.schemas.found import describe
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.store.versions import Version
from atomic_agents.units import read

_EPILOG: Final = """\b
Examples:
  atomicd history fern/memory/feedback_watering_schedule.md
  atomicd history fern/memory/feedback_watering_schedule.md --diff 2
  atomicd history fern/memory/INDEX.md --json
\b
PATH is looked for from here and from the vault; the file may be gone.
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.argument("path")
@click.option("--diff", "number", type=click.IntRange(1), help="What this version changed.")
def history(choices: Choices, as_json: bool, path: str, number: int | None) -> int:
    """List the kept versions of a note, wiki page or INDEX, or show what one of them changed."""
    store = open_store(state_folder(choices.root()), now=0.0, read_only=True)
    try:
        versions = versions_of(store, choices.root(), path)
        if number is not None:
            _show_diff(store, versions, number, as_json=as_json)
        elif as_json:
            print_json(_as_json(store, versions))
        else:
            _show(store, versions)
    finally:
        store.close()
    return 0


def versions_of(store: Store, root: Path, word: str) -> list[Version]:
    """Return the kept versions of the path that a word of the command line means, oldest first.

    Args:
        store: the vault's.
        root: the vault's real path.
        word: as it was given.

    Raises:
        AtomicAgentsError: there are none.

    """
    inside = path_in_vault(root, word, lambda one: store.versions.last(one) is not None)
    versions = store.versions.of(inside)
    if not versions:
        raise AtomicAgentsError(
            f"{printable(inside)}: no version is kept",
            hint="only what was valid while the daemon ran is kept; names are as in the vault",
        )
    return versions


def numbered(versions: list[Version], number: int) -> Version:
    """Return a version by its number.

    Raises:
        AtomicAgentsError: it is not kept.

    """
    for version in versions:
        if version.version == number:
            return version
    kept = ", ".join(str(version.version) for version in versions)
    raise AtomicAgentsError(
        f"{printable(versions[0].path)}: no version {number} is kept", hint=f"kept are {kept}"
    )


def _as_json(store: Store, versions: list[Version]) -> list[dict[str, Any]]:
    changes = _changes(store, versions)
    return [
        {
            "version": version.version,
            "sha256": version.sha256,
            "size": version.size,
            "recorded": _moment(version),
            "valid": store.versions.is_checked(version),
            "changes": changed,
        }
        for version, changed in zip(versions, changes, strict=True)
    ]


def _show(store: Store, versions: list[Version]) -> None:
    say(versions[0].path, bold=True)
    changes = list(_changes(store, versions))
    rows = [
        (
            str(version.version),
            dt.datetime.fromtimestamp(version.recorded).astimezone().strftime("%Y-%m-%d %H:%M:%S"),
            f"{version.size} B",
            "; ".join(changed) or ("nothing that reads differently" if number else "first kept"),
        )
        for number, (version, changed) in enumerate(zip(versions, changes, strict=True))
    ]
    print_table(("VERSION", "RECORDED", "SIZE", "CHANGED"), list(reversed(rows)))
    if store.versions.is_removed(versions[0].path):
        say("The file was removed by its owner.", colour="yellow")
    say("`--diff N` shows what version N changed; `atomicd restore PATH --version N` puts it back.")


def _show_diff(store: Store, versions: list[Version], number: int, *, as_json: bool) -> None:
    chosen = numbered(versions, number)
    before = [version for version in versions if version.version < number]
    old = store.versions.content(before[-1].sha256) if before else b""
    names = (f"version {before[-1].version}" if before else "nothing", f"version {number}")
    lines = unified(old, store.versions.content(chosen.sha256), names)
    if as_json:
        print_json({"version": number, "against": before[-1].version if before else None, "diff": lines})
    else:
        print_diff(lines)


def _changes(store: Store, versions: list[Version]) -> Iterator[list[str]]:
    """Yield for each version what it changed against the kept one before it."""
    yield []
    for before, after in itertools.pairwise(versions):
        yield list(changes(store.versions.content(before.sha256), store.versions.content(after.sha256)))


def changes(before: bytes, after: bytes) -> Iterator[str]:
    """Yield what differs between two versions: fields first, then the body.

    Args:
        before: the older bytes.
        after: the newer bytes.

    """
    old, new = read(before), read(after)
    was, now = old.values or {}, new.values or {}
    for name in dict.fromkeys([*was, *now]):
        if name not in now:
            yield f"{name} removed"
        elif name not in was:
            yield f"{name} added: {describe(now[name])}"
        elif was[name] != now[name]:
            yield f"{name}: {describe(was[name])} → {describe(now[name])}"
    if old.body != new.body:
        lines = unified(old.body.encode(errors="replace"), new.body.encode(errors="replace"), ("", ""))[2:]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        yield f"body +{added} -{removed} lines"


def _moment(version: Version) -> str:
    return dt.datetime.fromtimestamp(version.recorded, dt.UTC).isoformat(timespec="milliseconds")
