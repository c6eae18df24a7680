"""One file that is no unit, or the body of one that is (contract section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from atomic_agents.lint.days import judge_day, judge_journal
from atomic_agents.lint.links import judge_links, may_hold_links
from atomic_agents.lint.outline import read_outline
from atomic_agents.lint.persona import judge_persona
from atomic_agents.lint.runs import judge_runs
from atomic_agents.model import Kind, Place, Problem
from atomic_agents.units.codes import Fault
from atomic_agents.units.decoding import decode
from atomic_agents.units.fences import Fences, find_fences
from atomic_agents.units.tokens import find_secrets, judge_secrets, mask

LINTED: Final = frozenset({Kind.PERSONA, Kind.TOOLS, Kind.MODEL, Kind.JOURNAL, Kind.LOG})
"""Kinds that only `lint` looks at."""

_DAYS: Final = frozenset({Kind.JOURNAL, Kind.LOG})


def judge_file(
    place: Place, data: bytes, exists: Callable[[str], bool], disabled: frozenset[str]
) -> tuple[Problem, ...]:
    """Return what is doubtful about a file; of a unit only what its own rules do not look at.

    Args:
        place: where it lies; a unit, or a kind of `LINTED`.
        data: its content.
        exists: whether a file or folder lies at a path of the vault.
        disabled: codes of warnings that are not given.

    """
    faults = _judge_unit(place, data, exists) if place.kind.is_unit else _judge_other(place, data, exists)
    return tuple(fault.at(place.path) for fault in faults if fault.code not in disabled)


def _judge_unit(place: Place, data: bytes, exists: Callable[[str], bool]) -> Iterator[Fault]:
    """Yield what is wrong with a unit's body; nothing of a line with a secret is shown."""
    text = decode(data).text if may_hold_links(data) else None
    if text is None:
        return
    fences = find_fences(text)
    start = fences.body if isinstance(fences, Fences) else 0
    above = text.count("\n", 0, start)
    faults = [
        fault._replace(line=above + (fault.line or 0))
        for fault in judge_links(place.path, text[start:], exists)
    ]
    secrets = find_secrets(text, data) if faults else {}
    yield from (mask(fault, secrets) for fault in faults)


def _judge_other(place: Place, data: bytes, exists: Callable[[str], bool]) -> Iterator[Fault]:
    decoded = decode(data)
    told = next((fault for fault in decoded.faults if fault.is_error), None)
    if told is not None:
        yield told._replace(code="text-encoding")
    if place.kind in _DAYS:
        yield from judge_day(place)
    if decoded.text is not None:
        secrets = find_secrets(decoded.text, data)
        yield from (mask(fault, secrets) for fault in _judge_text(place, decoded.text, exists))
        yield from judge_secrets(secrets)


def _judge_text(place: Place, text: str, exists: Callable[[str], bool]) -> Iterator[Fault]:
    if place.kind is Kind.LOG:
        yield from judge_runs(text)
        return
    sections = read_outline(text)
    if place.kind is Kind.JOURNAL:
        yield from judge_journal(place, sections, exists)
    else:
        yield from judge_persona(place, sections)
    yield from judge_links(place.path, text, exists)
