"""Judging bytes that lie elsewhere as if they stood at a path of the vault."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from pathlib import Path

from atomic_agents._schema import SchemaSet
from atomic_agents.config import Config
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.model import Kind, Place, Problem, Unit, printable
from atomic_agents.units import Limits, judge, judge_index
from atomic_agents.vault.walk import read_layout


class Beside:
    """Neighbours of which only the existence is known: all that the errors need.

    Args:
        root: the vault's real path.

    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def exists(self, path: str) -> bool:
        """Return whether a file lies at this path of the vault."""
        return os.path.lexists(self._root / path)

    def called(self, agent: str, name: str) -> Sequence[str]:
        """Return nothing."""
        del agent, name
        return ()

    def unit(self, path: str) -> Unit | None:
        """Return nothing."""
        del path
        return None

    def named(self, layer_dir: str, key: str) -> Sequence[Unit]:
        """Return nothing."""
        del layer_dir, key
        return ()

    def pinned(self, layer_dir: str) -> Sequence[Unit]:
        """Return nothing."""
        del layer_dir
        return ()

    def is_indexed(self, place: Place) -> bool | None:
        """Return that it does not matter."""
        del place
        return None


def errors_of(root: Path, config: Config, path: str, data: bytes) -> tuple[Problem, ...]:
    """Return what would block these bytes at a path today.

    Args:
        root: the vault's real path.
        config: the configuration in force.
        path: relative to the vault.
        data: the bytes.

    Raises:
        AtomicAgentsError: no unit and no INDEX has such a path.

    """
    layout = read_layout(root, config.vault.ignore)
    place = layout.place(path)
    limits = Limits(max_note_bytes=config.quarantine.max_note_bytes)
    if place.kind is Kind.INDEX:
        problems = judge_index(place, data, limits)
    elif place.kind.is_unit:
        schemas = SchemaSet.of_vault(root)
        neighbours = Beside(root)
        today = dt.datetime.now().astimezone().date()
        verdict = judge(place, data, schemas=schemas, today=today, limits=limits, neighbours=neighbours)
        problems = verdict.problems
    else:
        raise AtomicAgentsError(
            f"{printable(path)}: no note, wiki page or INDEX", hint="is it ignored by now?"
        )
    return tuple(problem for problem in problems if problem.severity == "error")
