"""The sections of INDEX.md: their headings, what they hold, and which one a unit belongs to ([INDEX-1])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atomic_agents.index.lines import Kind
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.wanted import Role
from atomic_agents.vault.kinds import nfc

HEADINGS: Final[Mapping[Role, str]] = {
    Role.FEEDBACK: "Critical Feedback",
    Role.DECISION: "Locked Decisions",
    Role.USER: "User Profile",
    Role.PROJECT: "Active Projects",
    Role.REFERENCE: "Reference",
    Role.PAGES: "Pages",
    Role.PROMOTED: "Recently Promoted to Persona",
    Role.ARCHIVE: "Archive (superseded)",
}

Layer = Literal["memory", "wiki"]

_MARKS: Final = re.compile(r"^[\W_]+|[\W_]+$")


def heading_key(title: str) -> str:
    """Return what two headings must share to be the same: neither case nor marks around the words count.

    Args:
        title: the heading without its `#`s.

    """
    folded = " ".join(nfc(title).casefold().split())
    return _MARKS.sub("", folded) or folded


_ROLES: Final[Mapping[str, Role]] = {heading_key(title): role for role, title in HEADINGS.items()}


def roles_of(layer: Layer) -> tuple[Role, ...]:
    """Return the sections of a layer's index, in their order."""
    skipped = {Role.PAGES} if layer == "memory" else set(Role) - {Role.PAGES, Role.PROMOTED, Role.ARCHIVE}
    return tuple(role for role in Role if role not in skipped)


@dataclass(frozen=True, slots=True)
class Section:
    """The lines below one heading, up to the next heading of any level.

    Args:
        sheet: number of the index file.
        head: row of the heading; -1 for what stands before the first.
        start: the first row below the heading.
        end: the row after the last.
        key: the heading as `heading_key` gives it; "" before the first heading.
        level: the heading's; 0 before the first.

    """

    sheet: int
    head: int
    start: int
    end: int
    key: str
    level: int

    @property
    def role(self) -> Role | None:
        """The role whose full heading this is."""
        return _ROLES.get(self.key)


def sections_in(number: int, sheet: Sheet) -> Iterator[Section]:
    """Yield the sections of an index file, in order, beginning with what precedes the first heading.

    Args:
        number: the file's number, which the sections carry.
        sheet: the file.

    """
    head, start, key, level = -1, 0, "", 0
    for row, line in ((row, sheet.rows[row].line) for row in _heads(sheet.rows)):
        yield Section(number, head, start, row, key, level)
        below = row + 1
        while below < len(sheet.rows) and sheet.rows[below].line.kind is Kind.UNDERLINE:
            below += 1
        head, start, key, level = row, below, heading_key(line.title), line.level
    yield Section(number, head, start, len(sheet.rows), key, level)


def _heads(rows: Sequence[Row]) -> Iterator[int]:
    return (number for number, row in enumerate(rows) if row.line.kind is Kind.HEADING)
