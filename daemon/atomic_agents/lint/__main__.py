"""`python -m atomic_agents.lint`: the daily look at a vault, in a process of its own that the daemon starts.

Reads what to do as JSON on standard input and writes how much it found as JSON into the file named there.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import atomic_write
from atomic_agents._schema import SchemaSet
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.lint.linting import JUDGED, Linting
from atomic_agents.model import Problem
from atomic_agents.units import Limits
from atomic_agents.vault.walk import Survey, read_layout, walk

_NICE: Final = 10


def count(root: Path, ignore: tuple[str, ...], limits: Limits, today: dt.date) -> dict[str, Any]:
    """Return how many files there are and what is wrong with them, by severity and code.

    Args:
        root: the vault's real path.
        ignore: `[vault] ignore` of the configuration.
        limits: what the operator set.
        today: the local date.

    Raises:
        VaultMissingError: the vault is not there.
        ConfigError: its ignore file or its schemas cannot be read.

    """
    layout = read_layout(root, ignore)
    linting = Linting(root, layout, SchemaSet.of_vault(root), limits, today, asks_git=False)
    places, problems = [], []
    for found in walk(root, layout, Survey()):
        if found.place.kind in JUDGED:
            places.append(found.place)
            with contextlib.suppress(OSError, AtomicAgentsError):
                problems += linting.look(found.place)
    for among in linting.layers(places).values():
        problems += among
    return {"files": len(places), **_counts(problems)}


def _counts(problems: list[Problem]) -> dict[str, Any]:
    codes = Counter(problem.code for problem in problems)
    severities = Counter(problem.severity for problem in problems)
    return {
        "errors": severities["error"],
        "warnings": severities["warning"],
        "codes": dict(codes.most_common()),
    }


def main() -> None:
    """Look at the vault and write the answer."""
    with contextlib.suppress(OSError):
        os.nice(_NICE)
    asked = json.load(sys.stdin)
    limits = Limits(
        max_note_bytes=asked["max_note_bytes"],
        stale_days=asked["stale_days"],
        disabled=frozenset(asked["disabled"]),
        max_index_lines=asked["max_index_lines"],
    )
    today = dt.datetime.now().astimezone().date()
    answer = count(Path(asked["root"]), tuple(asked["ignore"]), limits, today)
    atomic_write(Path(asked["answer"]), json.dumps(answer))


if __name__ == "__main__":
    main()
