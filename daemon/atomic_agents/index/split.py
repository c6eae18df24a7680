"""Splitting an INDEX.md that is too long: its sections go, as they are, into sub-indexes ([INDEX-6])."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index.homes import Homes
from atomic_agents.index.lines import Kind
from atomic_agents.index.match import Known
from atomic_agents.index.place import block_end, content_end
from atomic_agents.index.pointers import make_counts_true, point_to_range, point_to_role
from atomic_agents.index.ranges import Part, parted
from atomic_agents.index.sections import HEADINGS, Section
from atomic_agents.index.sheet import Row, Sheet, new_row
from atomic_agents.index.slices import SLICES, parent_of, range_name
from atomic_agents.index.wanted import Role


@dataclass(slots=True)
class Splitting:
    """Works on the index files once all entries are where they belong.

    Args:
        sheets: the index files, INDEX.md first, with the rows' owners set; they are changed and added to.
        known: what is known of the units.
        settings: `[index]` of the configuration.
        roles: the sections of this layer, in their order.

    """

    sheets: list[Sheet]
    known: Known
    settings: Settings
    roles: tuple[Role, ...]
    made: list[str] = field(default_factory=list)
    """The sub-indexes that were made, by name."""
    is_due: bool = False
    """Whether something is too long and was not moved, since `may_move` was not given."""
    _homes: Homes = field(init=False)

    @property
    def is_long(self) -> bool:
        """Whether INDEX.md is longer than it may be, and is to be split then."""
        return self.settings.split == "auto" and len(self.sheets[0].rows) > self.settings.max_lines

    def link_lost(self) -> None:
        """Put back the lines that lead to sub-indexes, where somebody removed them."""
        if len(self.sheets) > 1:
            self._look()
            self._link_lost()

    def run(self, *, may_move: Callable[[], bool]) -> None:
        """Split what is too long, and make all counts true.

        Args:
            may_move: tells whether entries may go to other files. They may only where all of them stand in
                the files already as they are to stand: then a kill between two writes leaves nothing that is
                not in the file that was to be split, and the next merge sees that and begins anew.

        """
        if len(self.sheets) == 1 and not self.is_long:
            return
        self._look()
        self._clear()
        if self.settings.split == "auto" and (self._due_at_top() or any(True for _ in self._due_slices())):
            if may_move():
                self._split_top()
                self._split_slices()
            else:
                self.is_due = True
        make_counts_true(self.sheets, self._homes)

    def _look(self) -> None:
        self._homes = Homes(self.sheets, self.known.wanted)

    def _link_lost(self) -> None:
        linked = {pointer.sheet for pointers in self._homes.pointers for pointer in pointers}
        numbers = {sheet.name: number for number, sheet in enumerate(self.sheets)}
        held = [name for name, number in numbers.items() if number not in linked and self._holds(number)]
        for role in (role for role in self.roles if SLICES[role] in held):
            point_to_role(self.sheets, self._homes, role)
            self._look()
        for role in self.roles:
            parent = numbers.get(SLICES[role])
            for name in sorted(name for name in held if parent_of(name) == SLICES[role] != name):
                if parent is not None:
                    self._point_to_range(parent, role, name)

    def _holds(self, number: int) -> bool:
        return any(row.is_entry or row.is_pointer for row in self.sheets[number].rows)

    def _clear(self) -> None:
        """Take out the heading of a section that left INDEX.md, where nothing stands below it."""
        top = self.sheets[0]
        rows = [
            row
            for section in self._homes.sections
            if section.sheet == 0 and section.role is not None and self._homes.is_split(section.role)
            if all(row.line.kind is Kind.BLANK for row in top.rows[section.start : section.end])
            for row in top.rows[section.head : section.end]
        ]
        if rows:
            top.take_out(rows)
            self._look()

    def _split_top(self) -> None:
        """Move sections of INDEX.md into sub-indexes: those of the types, if need be the others."""
        roles = self._due_at_top()
        for is_retired in (False, True):
            if self.is_long:
                for role in (role for role in roles if role.is_retired is is_retired):
                    self._move(role)

    def _due_at_top(self) -> list[Role]:
        """Return the roles whose sections are to leave INDEX.md, if that would help."""
        most, length = self.settings.max_lines, len(self.sheets[0].rows)
        sizes = {role: len(self._rows_of(role)) for role in self.roles} if length > most else {}
        gain = sum(size - 1 for size in sizes.values() if size)
        helps = length - gain <= most or gain * 2 >= most
        return [role for role, size in sizes.items() if size] if helps else []

    def _rows_of(self, role: Role) -> list[Row]:
        """Return what would leave INDEX.md with a role: its section, or its entries in a mixed one."""
        number = self._top_section(role)
        if number is None:
            return []
        section, rows = self._homes.sections[number], self.sheets[0].rows
        if not any(row.owner in self.known.wanted for row in rows[section.start : section.end]):
            return []
        shared = any(self._homes.of(other) == number for other in self.roles if other is not role)
        if section.level > 1 and not shared:
            return rows[section.head : content_end(rows, section.start, self._homes.region_end(section))]
        blocks = _blocks(rows, section)
        return [row for block in blocks if self._role_of(block[0]) is role for row in block]

    def _top_section(self, role: Role) -> int | None:
        """Return the role's section in INDEX.md, also one that stands there besides its sub-index."""
        number = self._homes.of(role)
        if number is not None and self._homes.sections[number].sheet == 0:
            return number
        members = sorted(self._homes.members(role))
        return next((number for number in members if self._homes.sections[number].sheet == 0), None)

    def _role_of(self, row: Row) -> Role | None:
        want = self.known.wanted.get(row.owner) if row.owner is not None else None
        return want.role if want is not None else None

    def _move(self, role: Role) -> None:
        moved = self._rows_of(role)
        if not moved:
            return
        if moved[0].line.kind is not Kind.HEADING:
            moved = [new_row(f"## {HEADINGS[role]}"), new_row(""), *moved]
        self.sheets[0].take_out(moved)
        self._fill(SLICES[role], moved)
        self._look()
        if not self._homes.is_split(role):
            point_to_role(self.sheets, self._homes, role)
            self._look()

    def _split_slices(self) -> None:
        for number, role, parts in list(self._due_slices()):
            self._slice(number, role, parts)

    def _due_slices(self) -> Iterator[tuple[int, Role, list[Part]]]:
        """Yield the sub-indexes that are too long, with the parts that their entries fall into."""
        for role in (role for role in self.roles if self._homes.is_split(role)):
            members = {self._homes.sections[number].sheet for number in self._homes.members(role)}
            for number in sorted(members - {0}):
                if len(self.sheets[number].rows) > self.settings.max_lines:
                    section = self._homes.main(number, role)
                    parts = parted(_blocks(self.sheets[number].rows, section), self.settings.max_lines)
                    if len(parts) > 1:
                        yield number, role, parts

    def _slice(self, number: int, role: Role, parts: Sequence[Part]) -> None:
        """Move the entries of a sub-index into sub-indexes of its own, by ranges of their keys."""
        sheet, section = self.sheets[number], self._homes.main(number, role)
        head = [row.line.text for row in sheet.rows[max(section.head, 0) : section.start]]
        sheet.take_out([row for part in parts for row in part.rows])
        for part in parts:
            name = range_name(sheet.name, part.low, part.high)
            texts = [*(head or [f"## {HEADINGS[role]}"]), ""]
            self._fill(name, [*map(new_row, texts), *part.rows])
            self._look()
            self._point_to_range(number, role, name)

    def _point_to_range(self, parent: int, role: Role, name: str) -> None:
        point_to_range(self.sheets, self._homes, parent, self._homes.main(parent, role), name)
        self._look()

    def _fill(self, name: str, rows: Sequence[Row]) -> None:
        """Put rows into a sub-index, making it if it is not there."""
        sheet = next((sheet for sheet in self.sheets if sheet.name == name), None)
        if sheet is None:
            self.made.append(name)
            sheet = Sheet(name, [])
            self.sheets.append(sheet)
            for row in rows:
                row.end = row.end or self.sheets[0].line_end
        sheet.set_rows([*sheet.rows, *_following(rows, sheet)])


def _blocks(rows: Sequence[Row], section: Section) -> list[list[Row]]:
    """Return the entries of a section, each with what hangs below it."""
    blocks, row = [], section.start
    while row < section.end:
        end = row + 1
        if rows[row].is_entry:
            end = block_end(rows, row, section.end)
            blocks.append(list(rows[row:end]))
        row = end
    return blocks


def _following(rows: Sequence[Row], sheet: Sheet) -> list[Row]:
    """Return the rows to append to a file: without their heading, if it has that already."""
    titles = {row.line.title for row in sheet.rows if row.line.kind is Kind.HEADING}
    if rows[0].line.kind is Kind.HEADING and rows[0].line.title in titles:
        heads = {Kind.HEADING, Kind.UNDERLINE, Kind.BLANK}
        return list(itertools.dropwhile(lambda row: row.line.kind in heads, rows))
    return [new_row(""), *rows] if sheet.rows else list(rows)
