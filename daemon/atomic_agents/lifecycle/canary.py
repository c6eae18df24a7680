"""A note that proves that the running daemon works: timed, and removed again (section 8, `verify`)."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import create_file
from atomic_agents.exceptions import AtomicAgentsError, CannotWriteError
from atomic_agents.lifecycle.rim import Rim

AGENT: Final = "atomicd-canary"
"""The folder that stands in for an agent; real agents are not touched."""
NOTE: Final = "reference_atomicd_canary_check.md"

_TITLE: Final = "The canary of atomicd"
_LOOK_SECONDS: Final = 0.02
_OURS: Final = frozenset({NOTE, "INDEX.md"})


class CanaryError(AtomicAgentsError):
    """The canary was not indexed, or not removed, in time."""


@dataclass(frozen=True, slots=True)
class Flight:
    """How long the daemon took, in milliseconds, from the write to the INDEX and from the removal."""

    indexed_ms: int
    removed_ms: int

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return {"ok": True, "indexed_ms": self.indexed_ms, "removed_ms": self.removed_ms}


def fly(rim: Rim, root: Path, today: dt.date, *, limit: float) -> Flight:
    """Write a note, wait for its INDEX line, remove it, wait until the line is gone; leave nothing.

    Args:
        rim: the time.
        root: the vault's real path.
        today: for the note's dates.
        limit: seconds to wait, each time.

    Raises:
        CanaryError: the daemon did not do it in time, or another check is under way.
        CannotWriteError: the vault refuses.

    """
    agent = root / AGENT
    try:
        memory = _land(root, agent)
        index = memory / "INDEX.md"
        began = rim.monotonic()
        create_file(memory / NOTE, _note(today), mode=0o644, owner_of=root.stat())
        _wait(rim, lambda: _names(index), began + limit, f"the note was not indexed within {limit:.0f} s")
        indexed = rim.monotonic()
        (memory / NOTE).unlink()
        _wait(rim, lambda: not _names(index), indexed + limit, f"its line stayed for {limit:.0f} s")
        return Flight(round((indexed - began) * 1000), round((rim.monotonic() - indexed) * 1000))
    except OSError as error:
        raise CannotWriteError(f"{error.filename or agent}: {error.strerror}") from error
    finally:
        _clear(root, agent)


def _land(root: Path, agent: Path) -> Path:
    """Make the canary's folders for the vault's owner; first clear those of a check that was killed."""
    if agent.exists():
        _clear(root, agent)
    if agent.exists():
        raise CanaryError(
            f"{agent}: holds files that are not the canary's",
            hint="look into it, then remove it; no agent may have this name",
        )
    memory = agent / "memory"
    for folder in (agent, memory):
        folder.mkdir(mode=0o755)
        if os.geteuid() == 0:
            os.chown(folder, root.stat().st_uid, root.stat().st_gid)
    return memory


def _clear(root: Path, agent: Path) -> None:
    """Take the folder out of the vault's sight in one step, then remove what is ours in it."""
    memory = agent / "memory"
    if not agent.is_dir() or not _is_ours(agent, memory):
        return
    aside = root / f".{AGENT}-{os.getpid()}.tmp"
    try:
        agent.rename(aside)
        if (aside / "memory").is_dir():
            for path in (aside / "memory").iterdir():
                path.unlink()
            (aside / "memory").rmdir()
        aside.rmdir()
    except OSError as error:
        raise CannotWriteError(
            f"{error.filename}: {error.strerror}", hint=f"remove {agent} and {aside} by hand"
        ) from error


def _is_ours(agent: Path, memory: Path) -> bool:
    """Whether nothing lies there but the canary, its INDEX, and temporary files of writing it."""
    if {path.name for path in agent.iterdir()} - {"memory"}:
        return False
    if not memory.is_dir():
        return not memory.exists()
    return all(path.name in _OURS or path.name.startswith(".INDEX.md.") for path in memory.iterdir())


def _wait(rim: Rim, is_so: Callable[[], bool], until: float, complaint: str) -> None:
    while not is_so():
        if rim.monotonic() > until:
            raise CanaryError(complaint, hint="see `atomicd status` and `atomicd logs`")
        rim.pause(_LOOK_SECONDS)


def _names(index: Path) -> bool:
    try:
        text = index.read_text("utf-8", "replace")
    except FileNotFoundError:
        return False
    return NOTE in text or _TITLE in text


def _note(today: dt.date) -> bytes:
    return f"""---
schema_version: 1
name: {_TITLE}
description: proves that a new note gets its line in INDEX.md; gone in a moment
type: reference
captured: {today}
last_seen: {today}
sources:
  - observation
confidence: high
---

`atomicd verify` wrote this and removes it.
""".encode()
