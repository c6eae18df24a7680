"""Putting pending entries into INDEX.md: each into its section, or back to where it stood ([INDEX-4])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from atomic_agents.index.entries import item_of
from atomic_agents.index.homes import Homes
from atomic_agents.index.lines import CODE_INDENT, Kind, Line, read_line
from atomic_agents.index.pending import Pending, Writing, write
from atomic_agents.index.place import Spot, block_end, content_end, outside, spot_in
from atomic_agents.index.saying import Revision
from atomic_agents.index.sections import HEADINGS, Section
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.style import bullet_after
from atomic_agents.index.wanted import Role
from atomic_agents.store.entries import Remembered


@dataclass(slots=True)
class Inserting:
    """Collects what goes where, then puts all of it in at once.

    Args:
        sheets: the index files, INDEX.md first, with the rows' owners set; they are changed.
        homes: their sections.
        writing: how entries are written.
        remembered: what is remembered of each unit, by file.
        roles: the sections of this layer, in their order.

    """

    sheets: Sequence[Sheet]
    homes: Homes
    writing: Writing
    remembered: Mapping[str, Remembered]
    roles: tuple[Role, ...]
    written: dict[str, Revision] = field(default_factory=dict)
    """What was put in, by file."""
    _rows: dict[tuple[int, int], list[Row]] = field(default_factory=dict)

    def put(self, pending: Sequence[Pending]) -> None:
        """Put the entries in.

        Args:
            pending: the entries, in the order in which those of a section are appended.

        """
        appended = self._put_back([one for one in pending if one.returns])
        sections: dict[int, list[Pending]] = {}
        missing: dict[Role, list[Pending]] = {}
        for one in [*appended, *(one for one in pending if not one.returns)]:
            home = self._home(one)
            if home is None:
                missing.setdefault(one.want.role, []).append(one)
            else:
                sections.setdefault(home, []).append(one)
        for number, group in sections.items():
            self._append(self.homes.sections[number], group)
        for role in (role for role in self.roles if role in missing):
            self._create(role, missing[role])
        self._splice()

    def _home(self, one: Pending) -> int | None:
        home = self.homes.place(one.want)
        heading = one.base.heading if one.returns and one.base is not None else ""
        if heading and (home is None or self.homes.sections[home].key != heading):
            named = self.homes.named(heading)
            return named if named is not None else home
        return home

    def _put_back(self, returning: Sequence[Pending]) -> list[Pending]:
        """Put entries back behind the ones they stood behind; return those that have no such place."""
        places = self._places()
        waiting = {one.want.file: one for one in returning}
        below: dict[str, list[Pending]] = {}
        for one in returning:
            below.setdefault(self._anchor(one, waiting, places), []).append(one)
        left: list[Pending] = []
        for above in [above for above in below if above not in waiting]:
            chain = _chain(above, below)
            if above in places and all(self._fits(one, places[above][0]) for one in chain):
                self._put_behind(places[above], chain, is_first=above.startswith(_FIRST))
            else:
                left += chain
        return left

    def _fits(self, one: Pending, section: Section) -> bool:
        """Whether an entry may go back into a section: of sub-indexes by range only into its own."""
        members = self.homes.members(one.want.role)
        home = self.homes.place(one.want)
        return len(members) < 2 or home is None or self.homes.sections[home] == section  # noqa: PLR2004

    def _anchor(
        self, one: Pending, waiting: Mapping[str, Pending], places: Mapping[str, tuple[Section, int]]
    ) -> str:
        """Return the nearest entry above, of those that stood above it, that is there or comes back."""
        base = one.base
        assert base is not None
        heading, seen = base.heading, {one.want.file}
        while base is not None and base.heading == heading and base.after and base.after not in seen:
            above = base.after
            seen.add(above)
            if above in places and places[above][0].key == heading:
                return above
            base = self.remembered.get(above)
            if above in waiting and base is not None and base.heading == heading:
                return above
        return _FIRST + heading if base is not None and not base.after else _NOWHERE

    def _places(self) -> dict[str, tuple[Section, int]]:
        """Return where each unit's entry stands, and where the first entry below each heading does."""
        places: dict[str, tuple[Section, int]] = {}
        for section in self.homes.sections:
            rows = self.sheets[section.sheet].rows
            for number in range(section.start, section.end):
                owner = rows[number].owner
                if owner is not None:
                    places[owner] = (section, number)
                if rows[number].is_entry:
                    places.setdefault(_FIRST + section.key, (section, number))
        return places

    def _put_behind(self, place: tuple[Section, int], chain: Sequence[Pending], *, is_first: bool) -> None:
        section, row = place
        sheet = self.sheets[section.sheet]
        above = None
        if not is_first:
            above = sheet.rows[row]
            row = _behind(sheet.rows, row, section.end, chain[0])
        for one in chain:
            revision = write(one, self.writing, _bullet_below(one, above), sheet.folder)
            above = self._keep(one, (section.sheet, row), revision)

    def _append(self, section: Section, group: Sequence[Pending]) -> None:
        sheet = self.sheets[section.sheet]
        spot = spot_in(section, sheet, self.writing.style)
        self._fill(section.sheet, spot, group)

    def _create(self, role: Role, group: Sequence[Pending]) -> None:
        """Create the role's section, in the order of the sections, and fill it."""
        spot, level = self._new_spot(role)
        at = (0, spot.row)
        self._part(at, needed=spot.blank_before)
        self._add(at, f"{'#' * level} {HEADINGS[role]}")
        style = self.writing.style
        self._fill(0, replace(spot, blank_before=style.is_spaced), group)

    def _new_spot(self, role: Role) -> tuple[Spot, int]:
        order = self.roles.index(role)
        rows, sections = self.sheets[0].rows, self.homes.sections
        bullet = self.writing.style.bullet
        for former in reversed(self.roles[:order]):
            home = self.homes.of(former)
            if home is not None and sections[home].sheet == 0 and sections[home].head >= 0:
                section = sections[home]
                end = content_end(rows, section.start, self.homes.region_end(section))
                return self._block_spot(end, bullet), section.level
        for later in self.roles[order + 1 :]:
            home = self.homes.of(later)
            if home is not None and sections[home].sheet == 0 and sections[home].head >= 0:
                return self._block_spot(sections[home].head, bullet), sections[home].level
        return self._block_spot(self._list_end(), bullet), 2

    def _block_spot(self, row: int, bullet: str) -> Spot:
        """Return the place for a new section, with the blank lines that part it from its neighbours."""
        rows = self.sheets[0].rows
        before = row > 0 and rows[row - 1].line.kind is not Kind.BLANK
        after = row < len(rows) and rows[row].line.kind is not Kind.BLANK
        return outside(self.sheets[0], Spot(row, bullet, blank_before=before, blank_after=after))

    def _list_end(self) -> int:
        """Return the row after the last section that is a list, even an empty one; else the file's end."""
        rows = self.sheets[0].rows
        lists = [s for s in self.homes.sections if s.sheet == 0 and s.level > 1 and _is_list(rows, s)]
        if lists:
            return content_end(rows, lists[-1].start, lists[-1].end)
        return content_end(rows, 0, len(rows))

    def _fill(self, sheet: int, spot: Spot, group: Sequence[Pending]) -> None:
        at = (sheet, spot.row)
        if spot.blank_before:
            self._add(at, "")
        bullet = spot.bullet
        for number, one in enumerate(group):
            if number and spot.blank_between:
                self._add(at, "")
            revision = write(one, self.writing, bullet, self.sheets[sheet].folder)
            self._keep(one, at, revision)
            item = item_of(revision.text)
            bullet = bullet_after(item, revision.text) if item and bullet.strip()[0].isdigit() else bullet
        if spot.blank_after:
            self._add(at, "")

    def _keep(self, one: Pending, at: tuple[int, int], revision: Revision) -> Row:
        self.written[one.want.file] = revision
        row = Row(read_line(revision.text), "", one.want.file)
        self._rows.setdefault(at, []).extend([row, *one.children])
        return row

    def _part(self, at: tuple[int, int], *, needed: bool) -> None:
        """Add a blank line unless one is there."""
        rows = self._rows.get(at)
        if needed if not rows else rows[-1].line.kind is not Kind.BLANK:
            self._add(at, "")

    def _add(self, at: tuple[int, int], text: str) -> None:
        self._rows.setdefault(at, []).append(Row(read_line(text), ""))

    def _splice(self) -> None:
        for number, sheet in enumerate(self.sheets):
            added = {row: rows for (at, row), rows in self._rows.items() if at == number}
            if added:
                _splice(sheet, added)


_FIRST = "\0"
"""No file name holds it: marks the place before the first entry below a heading."""
_NOWHERE = "\0\0"


def _chain(above: str, below: Mapping[str, list[Pending]]) -> list[Pending]:
    """Return the entries that come back behind one entry, each followed by those behind itself."""
    chain: list[Pending] = []
    stack = list(reversed(below.get(above, [])))
    while stack:
        one = stack.pop()
        chain.append(one)
        stack += reversed(below.get(one.want.file, []))
    return chain


def _behind(rows: Sequence[Row], row: int, end: int, first: Pending) -> int:
    """Return the row behind an entry, before the operator's own line that hung below the one that returns."""
    after = block_end(rows, row, end)
    hung = first.base.below if first.base is not None else ""
    hanging = (number for number in range(row + 1, after) if hung and rows[number].line.text == hung)
    return next(hanging, after)


def _bullet_below(one: Pending, above: Row | None) -> str:
    """Return the indent, bullet and gap of an entry that comes back.

    It is as deep as it was only below the entry that it stood below, and where it would not be code.
    """
    item = item_of(one.text)
    if item is None:
        return "- "
    blanks = one.text[: len(one.text) - len(one.text.lstrip(" \t"))]
    gap = item.gap[: len(item.gap) - len(item.gap.lstrip(" \t"))]
    if above is None or above.line.item is None:
        deepest, indent = CODE_INDENT - 1, 0
    else:
        is_same = one.base is not None and one.base.after == above.owner
        indent = above.line.indent
        deepest = above.line.item.offset + CODE_INDENT - 1 if is_same else indent
    return (blanks if item.indent <= deepest else " " * indent) + item.bullet + gap


def _is_list(rows: Sequence[Row], section: Section) -> bool:
    """Whether a section holds entries, a placeholder, or nothing but comments."""
    held = rows[section.start : section.end]
    return any(row.is_entry for row in held) or not any(_is_prose(row.line) for row in held)


def _is_prose(line: Line) -> bool:
    return line.kind in {Kind.TEXT, Kind.ITEM} and not line.text.lstrip(" \t-*+_").startswith("(")


def _splice(sheet: Sheet, added: Mapping[int, list[Row]]) -> None:
    rows: list[Row] = []
    for number in range(len(sheet.rows) + 1):
        rows += added.get(number, ())
        rows += sheet.rows[number : number + 1]
    sheet.set_rows(rows)
