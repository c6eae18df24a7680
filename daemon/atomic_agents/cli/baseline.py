"""A file of known problems, so that an old vault can start clean: only what comes after it is told.

A problem is known by its path, code and field, and by how many of these there were; lines and ages change.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import atomic_write
from atomic_agents.cli.judging import Judged
from atomic_agents.exceptions import AtomicAgentsError, CannotWriteError
from atomic_agents.model import Problem, printable

FORMAT: Final = 1

_Key = tuple[str, str, str]


def apply_baseline(judged: Judged, file: Path) -> Judged:
    """Return a result without the problems that a baseline names.

    Args:
        judged: the result.
        file: the baseline.

    Raises:
        AtomicAgentsError: it cannot be read, or is none.

    """
    known = _read(file)
    kept: list[Problem] = []
    for problem in judged.problems:
        key = _key(problem)
        if known[key] > 0:
            known[key] -= 1
        else:
            kept.append(problem)
    return replace(judged, problems=tuple(kept), known=len(judged.problems) - len(kept))


def write_baseline(judged: Judged, file: Path) -> int:
    """Write the present problems as a baseline, in an order that makes small differences.

    Args:
        judged: the result.
        file: where to.

    Returns:
        How many problems it names.

    Raises:
        CannotWriteError: the system refuses.

    """
    counts = Counter(map(_key, judged.problems))
    entries = [
        {"path": path, "code": code, "field": field or None, "count": count}
        for (path, code, field), count in sorted(counts.items())
    ]
    lines = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    text = f'{{"format": {FORMAT}, "problems": [\n{lines}\n]}}\n'
    try:
        atomic_write(file, text)
    except OSError as error:
        raise CannotWriteError(f"{file}: {error.strerror}") from error
    return len(judged.problems)


def _key(problem: Problem) -> _Key:
    return printable(problem.path), problem.code, problem.field or ""


def _read(file: Path) -> Counter[_Key]:
    try:
        values = json.loads(file.read_text("utf-8"))
        return Counter({_entry_key(entry): int(entry["count"]) for entry in _entries(values)})
    except OSError as error:
        raise AtomicAgentsError(f"{file}: {error.strerror}", hint="`--write-baseline` makes it") from error
    except (ValueError, TypeError, KeyError) as error:
        raise AtomicAgentsError(f"{file}: is no baseline", hint="`--write-baseline` makes one") from error


def _entries(values: Any) -> list[dict[str, Any]]:
    if values["format"] != FORMAT:
        raise ValueError(values["format"])
    entries: list[dict[str, Any]] = values["problems"]
    return entries


def _entry_key(entry: dict[str, Any]) -> _Key:
    return str(entry["path"]), str(entry["code"]), str(entry["field"] or "")
