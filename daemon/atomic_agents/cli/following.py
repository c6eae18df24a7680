"""Links in other notes and INDEX entries that follow a file to its new name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from atomic_agents.cli.mending import Change, Plan, read_content
from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.index.relinking import Renames, relink
from atomic_agents.model import Kind, Place
from atomic_agents.units import DiskNeighbours, SpliceError, read, splice
from atomic_agents.units.links import resolve_link, target_of
from atomic_agents.vault.walk import Survey, walk

_FIELDS: Final = ("related", "supersedes", "superseded_by")


def follow(plan: Plan) -> None:
    """Add to a plan what follows from its renames: every link of the same agent that led to an old name.

    Args:
        plan: filled with changes; those of other files are added.

    """
    names = {change.path: change.rename for change in plan.changes if change.rename}
    if not names:
        return
    links = _Links(plan, names)
    known = {change.path: number for number, change in enumerate(plan.changes)}
    for place in _places(plan, names):
        number = known.get(place.path)
        change = plan.changes[number] if number is not None else _unchanged(plan, place)
        if change is None:
            continue
        data = links.followed(place, change.data)
        if number is not None:
            plan.changes[number] = replace(change, data=data)
        elif data != change.data:
            plan.changes.append(replace(change, data=data))


class _Links:
    def __init__(self, plan: Plan, names: Mapping[str, str]) -> None:
        self._names = names
        self._renames = Renames(names)
        self._neighbours = DiskNeighbours(plan.root, plan.layout, plan.schemas, plan.limits)

    def followed(self, place: Place, data: bytes) -> bytes:
        """Return a file's bytes with its links following."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        if place.kind.is_unit:
            data = self._with_fields(place, data)
        body = read(data).body if place.kind.is_unit else data.decode("utf-8")
        head = data[: len(data) - len(body.encode("utf-8"))]
        return head + relink(body, posixpath.dirname(place.path), self._renames).encode("utf-8")

    def _with_fields(self, place: Place, data: bytes) -> bytes:
        """Return it with the links in its frontmatter following, where that can be read."""
        meta = read(data).meta or {}
        followed = {field: self._followed(place, meta.get(field)) for field in _FIELDS}
        changes = {field: value for field, value in followed.items() if value != meta.get(field)}
        try:
            return splice(data, changes) if changes else data
        except SpliceError:
            return data

    def _followed(self, place: Place, value: Any) -> Any:
        if isinstance(value, list):
            return [self._target(place, link) for link in value]
        return self._target(place, value)

    def _target(self, place: Place, link: Any) -> Any:
        if not isinstance(link, str):
            return link
        name = self._names.get(resolve_link(place, link, self._neighbours) or "")
        target = target_of(link)
        if name is None or not target:
            return link
        folder, slash, last = target.rpartition("/")
        new = name if last.endswith(".md") else name.removesuffix(".md")
        return link.replace(target, f"{folder}{slash}{new}", 1)


def _places(plan: Plan, names: Mapping[str, str]) -> Iterator[Place]:
    """Yield the units and INDEX files of every agent that has a file renamed."""
    agents = {plan.layout.place(path).agent or "" for path in names}
    for agent in sorted(agents):
        for found in walk(plan.root, plan.layout, Survey(), below=agent):
            place = found.place
            if (place.agent or "") == agent and (place.kind.is_unit or place.kind is Kind.INDEX):
                yield place


def _unchanged(plan: Plan, place: Place) -> Change | None:
    """Return a file as it is; None where it cannot be read, so that its links stay as they are."""
    try:
        reading = read_content(plan.root, place.path, plan.limits)
    except (OSError, AtomicAgentsError):
        return None
    return Change(place.path, reading, reading.data)
