"""The rules about a unit's file name (contract [RULE-E] and [RULE-W]; seed, Naming conventions)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Kind, Place
from atomic_agents.schemas.found import shorten
from atomic_agents.schemas.names import NOTE_PATTERN, WIKI_PATTERN, UnitName
from atomic_agents.units.codes import Fault
from atomic_agents.units.neighbours import Neighbours

FEWEST_WORDS: Final = 2
MOST_WORDS: Final = 5

EVERGREEN: Final = frozenset({"feedback", "user", "reference"})
BOUNDED: Final = frozenset({"decision", "project"})

_MARKED: Final = (
    re.compile(r"(?P<stem>.+)\.sync-conflict-[0-9]{8}-[0-9]{6}-[A-Z0-9]{7}\.md"),
    re.compile(r"(?P<stem>.+?) ?\([^()]*(?:conflicted copy|case conflict)[^()]*\)\.md", re.IGNORECASE),
    re.compile(r"(?P<stem>.+)_conflict-[0-9]{8}-[0-9]{6}\.md"),
)
"""Syncthing; Dropbox and Nextcloud; ownCloud: nothing else writes such names."""

_NUMBERED: Final = (
    re.compile(r"(?P<stem>.+?) ?\([1-9][0-9]?\)\.md"),
    re.compile(r"(?P<stem>.+) [2-9]\.md"),
    re.compile(r"(?P<stem>.+?)-(?:DESKTOP|LAPTOP|WIN|MSI|PC)-[A-Z0-9]{4,15}(?:-[1-9])?\.md"),
)
"""Google Drive; iCloud; OneDrive with a Windows host name: copies if the rest is a unit's name."""

_HOST: Final = re.compile(r"(?P<stem>.+?)-(?=[^-]*[A-Z])[A-Za-z0-9][A-Za-z0-9-]{1,40}\.md")
"""OneDrive with any other host name: a copy only beside its original."""


def find_original(place: Place, schemas: SchemaSet, neighbours: Neighbours | None) -> str | None:
    """Return the file name of which a unit is a sync tool's conflict copy, or None.

    Args:
        place: where the unit lies.
        schemas: the versions in force.
        neighbours: what is known of the files around.

    """
    folder, _, name = place.path.rpartition("/")

    def is_beside(original: str) -> bool:
        return neighbours is not None and neighbours.exists(f"{folder}/{original}".lstrip("/"))

    for original in _originals(_MARKED, name):
        return original
    for original in _originals(_NUMBERED, name):
        if schemas.parse_name(original, place.kind) is not None or is_beside(original):
            return original
    return next(filter(is_beside, _originals((_HOST,), name)), None)


def judge_name(
    place: Place, values: Mapping[str, Any], schemas: SchemaSet, neighbours: Neighbours | None
) -> Iterator[Fault]:
    """Yield what is wrong with a unit's file name; a conflict copy is that and nothing else.

    Args:
        place: where the unit lies.
        values: the frontmatter, as far as it could be read.
        schemas: the versions in force.
        neighbours: what is known of the files around.

    """
    name = place.path.rpartition("/")[2]
    parts = schemas.parse_name(name, place.kind)
    if parts is not None:
        yield from _judge_parts(parts, values, schemas)
        return
    original = find_original(place, schemas, neighbours)
    yield _pattern(name, place.kind) if original is None else _conflict(name, original)


def _judge_parts(parts: UnitName, values: Mapping[str, Any], schemas: SchemaSet) -> Iterator[Fault]:
    told = values.get("type")
    if parts.type is not None and told in schemas.note_types and told != parts.type:
        fix = f"Rename the file so that it begins with `{told}_`, or write `type: {parts.type}`."
        yield Fault("filename-type", f"`{parts.type}_` in the name", f"`{told}_`, its type", fix, "type")
    if not FEWEST_WORDS <= parts.words <= MOST_WORDS:
        found = f"{parts.words} word{'s' * (parts.words != 1)}: {shorten(parts.topic, 50)}"
        fix = "Name the topic so that it is clear without context, or split the note."
        yield Fault("topic-words", found, f"{FEWEST_WORDS} to {MOST_WORDS} words", fix)
    if parts.type in EVERGREEN and parts.year is not None:
        fix = f"Take the date out of the name; {parts.type} notes do not expire."
        yield Fault("dated-evergreen", f"the year {parts.year}", "no date in the name", fix)
    if parts.type in BOUNDED and parts.year is None and values.get("expires_at") is not None:
        fix = f"Put the year, or year and quarter, behind `{parts.type}_` in the name."
        yield Fault(
            "undated-bounded", "no date in the name", "the year until which it holds", fix, "expires_at"
        )


def _originals(patterns: tuple[re.Pattern[str], ...], name: str) -> Iterator[str]:
    matches = (pattern.fullmatch(name) for pattern in patterns)
    return (f"{match['stem']}.md" for match in matches if match is not None)


def _conflict(name: str, original: str) -> Fault:
    fix = f"Merge what is missing into `{shorten(original, 60)}` and delete this copy."
    return Fault("sync-conflict", shorten(name), f"only `{shorten(original, 60)}`", fix)


def _pattern(name: str, kind: Kind) -> Fault:
    pattern = WIKI_PATTERN if kind is Kind.WIKI else NOTE_PATTERN
    fix = "Rename the file: lowercase words of letters and digits joined by `_`"
    fix += "." if kind is Kind.WIKI else ", beginning with its type."
    return Fault("filename-pattern", shorten(name), pattern, fix)
