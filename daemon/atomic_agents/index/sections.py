"""The sections of INDEX.md: their headings, what they hold, and which one a unit belongs to ([INDEX-1])."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atomic_agents.index.lines import Kind
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.wanted import Role, Wanted, kind_of
from atomic_agents.store.entries import Remembered
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

_SHORT: Final[Mapping[str, Role]] = {
    "feedback": Role.FEEDBACK,
    "decisions": Role.DECISION,
    "user": Role.USER,
    "projects": Role.PROJECT,
    "references": Role.REFERENCE,
    "promoted": Role.PROMOTED,
    "promoted to persona": Role.PROMOTED,
    "archive": Role.ARCHIVE,
    "superseded": Role.ARCHIVE,
}
"""Shorter names that operators give the sections; they serve where the full name is missing."""

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


class Homes:
    """Which section the entries of each role go to.

    Args:
        sheets: the index files, INDEX.md first.
        wanted: what is wanted of each unit, by file.
        remembered: what is remembered of each unit, by file.

    """

    def __init__(
        self, sheets: Sequence[Sheet], wanted: Mapping[str, Wanted], remembered: Mapping[str, Remembered]
    ) -> None:
        self._sheets = sheets
        self._wanted = wanted
        self._remembered = remembered
        self.sections = [s for number, sheet in enumerate(sheets) for s in sections_in(number, sheet)]
        self._counts: dict[Role, Counter[int]] | None = None
        self._found: dict[Role, int | None] = {}

    def of(self, role: Role) -> int | None:
        """Return the number of the role's section, or None if there is none yet."""
        if role not in self._found:
            self._found[role] = self._find(role)
        return self._found[role]

    def at(self, sheet: int, row: int) -> int:
        """Return the number of the section that a row stands in."""
        return next(
            number for number, s in enumerate(self.sections) if s.sheet == sheet and s.head <= row < s.end
        )

    def named(self, key: str) -> int | None:
        """Return the first section with a heading, preferring one that holds entries."""
        return self._best(number for number, section in enumerate(self.sections) if section.key == key)

    def holds(self, number: int) -> int:
        """Return how many entries a section holds."""
        section = self.sections[number]
        return sum(row.is_entry for row in self._sheets[section.sheet].rows[section.start : section.end])

    def _find(self, role: Role) -> int | None:
        full = self._best(n for n, section in enumerate(self.sections) if section.role is role)
        if full is not None or (role is Role.PAGES and not self._is_flat()):
            return full
        usual = None if role.is_retired else self._usual(role)
        if usual is not None:
            return usual
        short = self._best(n for n, section in enumerate(self.sections) if _SHORT.get(section.key) is role)
        return short if short is not None or not self._is_flat() else self._fullest()

    def _best(self, numbers: Iterator[int]) -> int | None:
        found = list(numbers)
        return next((n for n in found if self.holds(n)), found[0] if found else None)

    def _usual(self, role: Role) -> int | None:
        """Return the section where most entries of this type stand."""
        counts = self._count().get(role)
        if not counts:
            return None
        return min(counts, key=lambda number: (-counts[number], number))

    def _count(self) -> dict[Role, Counter[int]]:
        if self._counts is None:
            self._counts = {}
            for number, section in enumerate(self.sections):
                if section.role is None or not section.role.is_retired:
                    self._count_in(number, section)
        return self._counts

    def _count_in(self, number: int, section: Section) -> None:
        assert self._counts is not None
        for row in self._sheets[section.sheet].rows[section.start : section.end]:
            kind = self._kind(row.owner) if row.owner is not None else _kind_of_dead(row)
            if kind is not None:
                self._counts.setdefault(kind, Counter())[number] += 1

    def _kind(self, file: str) -> Role | None:
        """Return the role as which an entry stands where it stands."""
        base = self._remembered.get(file)
        if base is not None:
            return Role(base.role)
        want = self._wanted.get(file)
        return want.kind if want is not None else kind_of(file)

    def _is_flat(self) -> bool:
        """Whether INDEX.md is one list without sections."""
        headed = [s for s in self.sections if s.sheet == 0 and s.head >= 0]
        return len(headed) <= 1 and all(s.level == 1 for s in headed) and self._fullest() is not None

    def _fullest(self) -> int | None:
        return next((n for n, s in enumerate(self.sections) if s.sheet == 0 and self.holds(n)), None)


def _heads(rows: Sequence[Row]) -> Iterator[int]:
    return (number for number, row in enumerate(rows) if row.line.kind is Kind.HEADING)


def _kind_of_dead(row: Row) -> Role | None:
    entry = row.line.entry
    return kind_of(entry.target) if entry is not None and entry.target else None
