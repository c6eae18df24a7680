"""The units of one layer among each other, and wiki pages beside their sources (contract [RULE-W])."""

from __future__ import annotations

import itertools
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from atomic_agents.lint.likeness import similar
from atomic_agents.model import Kind, Problem, Unit
from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.links import target_of
from atomic_agents.units.neighbours import name_key
from atomic_agents.units.tokens import MASK, has_secret

_SHORTEST_DESCRIPTION: Final = 30
_COMMON: Final = 20
"""A source that more units than this share says nothing about two of them."""

_FEWEST_SHARED: Final = 2

Located = tuple[str, Fault]
"""A path and what is doubtful about it."""


def judge_layer(
    units: Sequence[Unit],
    kind: Kind,
    agent: str,
    last_changed: Callable[[str], str | None],
    disabled: frozenset[str],
) -> list[Problem]:
    """Return what is doubtful about the valid units of a layer among each other.

    Args:
        units: all of them, in path order.
        kind: `Kind.NOTE` or `Kind.WIKI`.
        agent: the agent's folder, relative to the vault.
        last_changed: the day (ISO) on which a file of the vault last changed; None if it is not there.
        disabled: codes of warnings that are not given.

    """
    found = [*_judge_likeness(units), *_judge_sources(units)]
    if kind is Kind.WIKI:
        found += _judge_age(units, agent, last_changed)
    return [fault.at(path) for path, fault in found if fault.code not in disabled]


def _judge_likeness(units: Sequence[Unit]) -> Iterator[Located]:
    told: set[tuple[str, str]] = set()
    for first, second, score in similar([unit.name for unit in units]):
        one, other = units[first], units[second]
        if name_key(one.name) != name_key(other.name) and not _replaces(one, other):
            told.add((one.path, other.path))
            yield from _both(one, other, "name", score)
    for first, second, score in similar([_description(unit) for unit in units]):
        one, other = units[first], units[second]
        if (one.path, other.path) not in told and not _replaces(one, other):
            yield from _both(one, other, "description", score)


def _description(unit: Unit) -> str:
    return unit.description if len(unit.description) >= _SHORTEST_DESCRIPTION else ""


def _both(one: Unit, other: Unit, field: str, score: float) -> Iterator[Located]:
    for unit, like in ((one, other), (other, one)):
        name = shorten(posixpath.basename(like.path), 50)
        fix = "Merge the two, or say in each what the other does not."
        fault = Fault("near-duplicate", f"{score:.0f} % that of {name}", f"a {field} of its own", fix, field)
        yield unit.path, fault


def _replaces(one: Unit, other: Unit) -> bool:
    """Whether one unit supersedes the other, so that they have to be alike."""
    names = {posixpath.basename(unit.path).removesuffix(".md") for unit in (one, other)}
    links = (one.supersedes, one.superseded_by, other.supersedes, other.superseded_by)
    return any(link and posixpath.basename(target_of(link)).removesuffix(".md") in names for link in links)


def _judge_sources(units: Sequence[Unit]) -> Iterator[Located]:
    """Yield a warning for the younger of two units of one type that rest on the same sources."""
    shared: Counter[tuple[int, int]] = Counter()
    for holders in _holders(units):
        shared.update(itertools.combinations(holders, 2))
    for (first, second), count in sorted(shared.items()):
        older, younger = sorted((units[first], units[second]), key=lambda unit: (unit.captured, unit.path))
        if _overlaps(older, younger, count) and not _replaces(older, younger):
            yield younger.path, _overlapping(older, younger)


def _holders(units: Sequence[Unit]) -> Iterator[list[int]]:
    """Yield the units of one type that name one source."""
    holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, unit in enumerate(units):
        for source in dict.fromkeys(unit.sources):
            if source.strip() != "observation":
                holders[unit.type, source.strip()].append(number)
    yield from (found for found in holders.values() if 1 < len(found) <= _COMMON)


def _overlaps(one: Unit, other: Unit, count: int) -> bool:
    """Whether so many shared sources say that two units are about one thing: two, and half of either's."""
    return count >= _FEWEST_SHARED and count * 2 >= max(len(one.sources), len(other.sources))


def _overlapping(older: Unit, younger: Unit) -> Fault:
    both = [source for source in younger.sources if source in older.sources]
    shown = MASK if any(map(has_secret, both)) else shorten(", ".join(both), 40)
    found = f"{shown}, as in {shorten(posixpath.basename(older.path), 40)}"
    fix = "Look whether one unit can hold both; if not, leave it."
    return Fault("overlapping-sources", found, "sources that no other of its type has", fix, "sources")


def _judge_age(
    units: Sequence[Unit], agent: str, last_changed: Callable[[str], str | None]
) -> Iterator[Located]:
    for unit in units:
        known = max(unit.last_seen, last_changed(unit.path) or "")
        for source in unit.sources:
            path = posixpath.normpath(posixpath.join(agent, source.strip().partition("#")[0]))
            changed = last_changed(path) if path.startswith(posixpath.join(agent, "raw/")) else None
            if changed is not None and changed > known:
                found = f"`{shorten(source, 50)}` changed {changed}"
                fix = "Read the source again, correct the page, and set `last_seen`."
                expected = f"no change after the page's own, {known}"
                yield unit.path, Fault("source-newer", found, expected, fix, "sources")
