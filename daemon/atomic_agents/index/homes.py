"""Which section the entries of each kind of unit go to, also where the index is split ([INDEX-6])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from atomic_agents.index.sections import HEADINGS, Section, heading_key, sections_in
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.slices import SLICES, Pointer, key_of, pointers_in, range_of
from atomic_agents.index.wanted import Role, Wanted, kind_of

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


class Homes:
    """The sections of a layer's index files, and whose they are.

    Args:
        sheets: the index files, INDEX.md first.
        wanted: what is wanted of each unit, by file.

    """

    def __init__(self, sheets: Sequence[Sheet], wanted: Mapping[str, Wanted]) -> None:
        self._sheets = sheets
        self._wanted = wanted
        self._found: dict[Role, int | None] = {}
        self._members: dict[Role, frozenset[int]] = {}

    @cached_property
    def sections(self) -> list[Section]:
        """The sections of all index files, in order."""
        return [s for number, sheet in enumerate(self._sheets) for s in sections_in(number, sheet)]

    @cached_property
    def pointers(self) -> list[list[Pointer]]:
        """The lines of each index file that lead to other ones."""
        names = {sheet.name: number for number, sheet in enumerate(self._sheets)}
        return [list(pointers_in(sheet, names)) for sheet in self._sheets]

    def of(self, role: Role) -> int | None:
        """Return the number of the role's section, or None if there is none yet.

        In a split index it is the section of the sub-index that INDEX.md leads to.
        """
        if role not in self._found:
            self._found[role] = self._find(role)
        return self._found[role]

    def place(self, want: Wanted) -> int | None:
        """Return the number of the section that a unit's new entry goes to."""
        number = self.of(want.role)
        seen: set[int] = set()
        while number is not None and number not in seen:
            seen.add(number)
            ranges = self.ranges(self.sections[number].sheet)
            if ranges:
                key = key_of(want.file)
                below = [sheet for low, sheet in ranges if low <= key] or [ranges[0][1]]
                number = self._main(below[-1], want.role)
        return number

    def main(self, sheet: int, role: Role) -> Section:
        """Return the section of a sub-index where the role's entries stand."""
        return self.sections[self._main(sheet, role)]

    def members(self, role: Role) -> frozenset[int]:
        """Return the sections where a unit of the role stands at home: more than one in a split index."""
        if role not in self._members:
            self._members[role] = frozenset(self._member_sections(role))
        return self._members[role]

    def is_split(self, role: Role) -> bool:
        """Whether the role's section was moved out of INDEX.md by a split."""
        number = self.of(role)
        return number is not None and self.sections[number].sheet in self._counted(0)

    def ranges(self, sheet: int) -> list[tuple[str, int]]:
        """Return the sub-indexes that hold ranges of what one held: the first key of each, and its number."""
        found = ((range_of(self._sheets[target].name), target) for target in self._counted(sheet))
        return sorted((keys[0], target) for keys, target in found if keys is not None and target != sheet)

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

    def region_end(self, section: Section) -> int:
        """Return the row after a section and the deeper ones below it."""
        end = section.end
        for other in self.sections:
            if other.sheet == section.sheet and other.head == end and other.level > section.level:
                end = other.end
        return end

    @cached_property
    def is_flat(self) -> bool:
        """Whether INDEX.md is one list without sections."""
        headed = [s for s in self.sections if s.sheet == 0 and s.head >= 0]
        return len(headed) <= 1 and all(s.level == 1 for s in headed) and self._fullest() is not None

    def _counted(self, sheet: int) -> list[int]:
        return [pointer.sheet for pointer in self.pointers[sheet] if pointer.is_counted]

    def _find(self, role: Role) -> int | None:
        split = next((n for n in self._counted(0) if self._sheets[n].name == SLICES[role]), None)
        if split is not None:
            return self._main(split, role)
        full = self._best(n for n, section in enumerate(self.sections) if section.role is role)
        if full is not None and not self._is_delegated(full, role):
            return full
        return self._find_renamed(role, full)

    def _find_renamed(self, role: Role, full: int | None) -> int | None:
        """Return the section that the operator gave the role, under another name or in another file."""
        if role is Role.PAGES and not self.is_flat:
            return full
        usual = None if role.is_retired else self._usual(role)
        if usual is not None or full is not None:
            return usual if usual is not None else full
        short = self._best(n for n, section in enumerate(self.sections) if _SHORT.get(section.key) is role)
        return short if short is not None or not self.is_flat else self._fullest()

    def _is_delegated(self, number: int, role: Role) -> bool:
        """Whether a section holds no more than a line to another index file, where the entries stand."""
        section = self.sections[number]
        targets = {p.sheet for p in self.pointers[section.sheet] if section.start <= p.row < section.end}
        usual = self._usual(role) if targets and not self.holds(number) else None
        return usual is not None and self.sections[usual].sheet in targets

    def _main(self, sheet: int, role: Role) -> int:
        """Return the role's section in a sub-index: by heading, else the first with entries or the last."""
        here = [number for number, section in enumerate(self.sections) if section.sheet == sheet]
        keys = {heading_key(HEADINGS[role])} | {key for key, short in _SHORT.items() if short is role}
        named = [number for number in here if self.sections[number].key in keys]
        held = [number for number in here if self.holds(number)]
        return next(iter([*named, *held, *reversed(here)]))

    def _member_sections(self, role: Role) -> Iterable[int]:
        home = self.of(role)
        if home is None:
            return
        yield home
        if self.is_split(role):
            yield from (n for n, section in enumerate(self.sections) if section.role is role)
        waiting = [self.sections[home].sheet]
        seen = set(waiting)
        while waiting:
            for _, sheet in self.ranges(waiting.pop()):
                if sheet not in seen:
                    seen.add(sheet)
                    waiting.append(sheet)
                    yield self._main(sheet, role)

    def _best(self, numbers: Iterable[int]) -> int | None:
        found = list(numbers)
        return next((n for n in found if self.holds(n)), found[0] if found else None)

    def _usual(self, role: Role) -> int | None:
        """Return the section where most entries of this type stand."""
        counts = self._counts.get(role)
        if not counts:
            return None
        return min(counts, key=lambda number: (-counts[number], number))

    @cached_property
    def _counts(self) -> dict[Role, Counter[int]]:
        counts: dict[Role, Counter[int]] = {}
        for number, section in enumerate(self.sections):
            if section.role is None or not section.role.is_retired:
                for row in self._sheets[section.sheet].rows[section.start : section.end]:
                    kind = self._kind(row.owner) if row.owner is not None else _kind_of_dead(row)
                    if kind is not None:
                        counts.setdefault(kind, Counter())[number] += 1
        return counts

    def _kind(self, file: str) -> Role | None:
        """Return the type that an entry speaks for; that of a unit which retired speaks for none."""
        want = self._wanted.get(file)
        if want is None:
            return kind_of(file)
        return None if want.role.is_retired else want.kind

    def _fullest(self) -> int | None:
        return next((n for n, s in enumerate(self.sections) if s.sheet == 0 and self.holds(n)), None)


def _kind_of_dead(row: Row) -> Role | None:
    entry = row.line.entry
    return kind_of(entry.target) if entry is not None and entry.target else None
