"""The rules that need the files around a unit (contract [RULE-W])."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final, Literal

from atomic_agents.model import Kind, Place, Unit
from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.limits import Limits
from atomic_agents.units.links import resolve_link
from atomic_agents.units.neighbours import Neighbours, name_key
from atomic_agents.units.tokens import MASK, has_secret

_Side = Literal["supersedes", "superseded_by"]
_COUNTERPART: Final[dict[_Side, _Side]] = {"supersedes": "superseded_by", "superseded_by": "supersedes"}
_LONGEST_CHAIN: Final = 1000


def judge_neighbourhood(place: Place, unit: Unit, neighbours: Neighbours, limits: Limits) -> Iterator[Fault]:
    """Yield what is doubtful about a valid unit among its neighbours; lines are left to the caller.

    Args:
        place: where it lies.
        unit: what it says.
        neighbours: what is known of the files around.
        limits: what the operator set.

    """
    yield from _judge_links(place, unit, neighbours)
    yield from _judge_supersession(place, unit, neighbours)
    yield from _judge_names(place, unit, neighbours)
    if place.kind is Kind.WIKI:
        yield from _judge_wiki_sources(place, unit, neighbours)
    if unit.pinned:
        yield from _judge_pinned(place, unit, neighbours, limits)
    if neighbours.is_indexed(place) is False:
        yield Fault("not-indexed", "no entry", "a line in INDEX.md that names it", "Run `atomicd sync`.")


def _judge_links(place: Place, unit: Unit, neighbours: Neighbours) -> Iterator[Fault]:
    fields = {
        "related": unit.related,
        "supersedes": (unit.supersedes,),
        "superseded_by": (unit.superseded_by,),
    }
    for field, links in fields.items():
        for link in links:
            if link and link.strip() and resolve_link(place, link, neighbours) is None:
                fix = f"Correct the file name in `{field}`, or remove it."
                yield Fault("link-missing", _shown(link), "a file of this agent", fix, field)


def _judge_supersession(place: Place, unit: Unit, neighbours: Neighbours) -> Iterator[Fault]:
    for side in _COUNTERPART:
        link = getattr(unit, side)
        if not link:
            continue
        if _leads_back(place, unit, side, neighbours):
            fix = f"Remove `{side}` from the file that is not replaced by the other."
            yield Fault(
                "supersede-cycle", f"{_shown(link)} leads back here", "a chain with an end", fix, side
            )
            continue
        yield from _judge_counterpart(place, side, link, neighbours)


def _judge_counterpart(place: Place, side: _Side, link: str, neighbours: Neighbours) -> Iterator[Fault]:
    other = _follow(place, link, neighbours)
    if other is None:
        return
    counterpart = _COUNTERPART[side]
    told = getattr(other, counterpart)
    if told and resolve_link(_place_of(other, place), told, neighbours) == place.path:
        return
    name, own = posixpath.basename(other.path), posixpath.basename(place.path)
    found = shorten(f"{counterpart}: {_shown(told, 30) if told else 'nothing'} in {name}")
    fix = f"Write `{counterpart}: {shorten(own, 60)}` into {shorten(name, 60)}, or remove `{side}` here."
    yield Fault("supersede-mismatch", found, f"{counterpart}: {shorten(own, 60)}", fix, side)


def _leads_back(place: Place, unit: Unit, side: _Side, neighbours: Neighbours) -> bool:
    """Whether following one side from unit to unit comes back to the first."""
    current: Unit | None = unit
    seen: set[str] = set()
    while current is not None and current.path not in seen and len(seen) < _LONGEST_CHAIN:
        seen.add(current.path)
        link = getattr(current, side)
        path = resolve_link(_place_of(current, place), link, neighbours) if link else None
        if path == place.path:
            return True
        current = neighbours.unit(path) if path is not None else None
    return False


def _follow(place: Place, link: str, neighbours: Neighbours) -> Unit | None:
    path = resolve_link(place, link, neighbours)
    return None if path is None else neighbours.unit(path)


def _place_of(unit: Unit, like: Place) -> Place:
    """Return the place of a unit of the same agent, as far as links need it."""
    return Place(unit.path, like.kind, like.agent, like.layer)


def _judge_names(place: Place, unit: Unit, neighbours: Neighbours) -> Iterator[Fault]:
    key = name_key(unit.name)
    if not key:
        return
    others = [other for other in neighbours.named(place.layer_dir, key) if other.path != unit.path]
    same = sorted(other.path for other in others if other.name.strip() == unit.name.strip())
    close = sorted(other.path for other in others if other.name.strip() != unit.name.strip())
    if same:
        fix = "Give one of the two another name, or merge them."
        yield Fault("duplicate-name", _others(same), "a name of its own", fix, "name")
    if close:
        fix = "Merge the two, or give them names that tell them apart."
        yield Fault(
            "similar-name", _others(close), "a name that differs in more than case and signs", fix, "name"
        )


def _others(paths: list[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"the name of {shorten(posixpath.basename(paths[0]), 50)}{more}"


def _judge_wiki_sources(place: Place, unit: Unit, neighbours: Neighbours) -> Iterator[Fault]:
    for source in unit.sources:
        path = posixpath.normpath(posixpath.join(place.agent or "", source.strip().partition("#")[0]))
        raw = posixpath.join(place.agent or "", "raw")
        if not path.startswith(f"{raw}/"):
            fix = "Save the document below raw/ and name it as `raw/…`."
            yield Fault("wiki-source", _shown(source), "a document below raw/", fix, "sources")
        elif not neighbours.exists(path):
            fix = "Put the document there, or correct the name."
            yield Fault(
                "wiki-source", f"{_shown(source, 60)}, not there", "a document that exists", fix, "sources"
            )


def _judge_pinned(place: Place, unit: Unit, neighbours: Neighbours, limits: Limits) -> Iterator[Fault]:
    """Yield a warning for the units that were pinned beyond the budget, the youngest by `captured`."""
    others = [other for other in neighbours.pinned(place.layer_dir) if other.path != unit.path]
    before = sum((other.captured, other.path) < (unit.captured, unit.path) for other in others)
    if before >= limits.max_pinned:
        found = f"{len(others) + 1} pinned units in {shorten(place.layer_dir, 40)}"
        fix = "Unpin what need not be in every prompt."
        yield Fault("pinned-budget", found, f"at most {limits.max_pinned}", fix, "pinned")


def _shown(link: str, width: int = 70) -> str:
    return MASK if has_secret(link) else f"`{shorten(link, width)}`"
