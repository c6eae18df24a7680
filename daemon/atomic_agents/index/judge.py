"""Deciding for each entry that stands in INDEX.md: it stays, is revised, moves, or goes ([INDEX-4])."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from atomic_agents.index.entries import Entry, rewritten
from atomic_agents.index.homes import Homes
from atomic_agents.index.lines import Kind, read_line
from atomic_agents.index.match import Known, Match
from atomic_agents.index.pending import Pending, Writing, is_own_work, relative, write
from atomic_agents.index.place import block_end
from atomic_agents.index.reader import read_lines
from atomic_agents.index.remember import is_gone
from atomic_agents.index.saying import Revision, Saying, revise, saying, says
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.targets import lead, retarget
from atomic_agents.index.texts import one_line
from atomic_agents.index.wanted import Role, Wanted, unescaped_line
from atomic_agents.store.entries import Remembered


@dataclass(slots=True)
class Judging:
    """Goes through the entries that stand there; changes lines in place and takes rows out.

    Args:
        sheets: the index files, INDEX.md first, with the rows' owners set; they are changed.
        known: what is known of the units.
        found: who is named where.
        homes: the sections, as they are before anything is taken out.
        writing: how entries are written.
        touched: units whose files were written since the last merge.

    """

    sheets: Sequence[Sheet]
    known: Known
    found: Match
    homes: Homes
    writing: Writing
    touched: Collection[str]
    revisions: dict[str, Revision] = field(default_factory=dict)
    """Entries that were looked at anew, by file."""
    pending: list[Pending] = field(default_factory=list)
    """Entries that were taken out to be put elsewhere."""
    removed: dict[str, str] = field(default_factory=dict)
    """The lines of entries that went, by file."""
    lost_links: bool = False
    """Whether a line that went or changed had links besides its own."""
    _dropped: set[int] = field(default_factory=set)

    def run(self) -> None:
        """Judge every entry."""
        wanted, remembered = self.known.wanted, self.known.remembered
        is_careful = bool(self.known.former) or self.writing.defined
        for number, sheet in enumerate(self.sheets):
            for position, row in enumerate(sheet.rows):
                file = row.owner
                if file is None:
                    continue
                base, want = remembered.get(file), wanted.get(file)
                if (  # of most entries no more than this is asked: neither line nor unit says anything new
                    is_careful
                    or base is None
                    or want is None
                    or base.line != row.line.text
                    or base.hook != want.hook
                    or base.title != want.title
                    or base.role != want.role
                    or base.gone
                ):
                    self._judge(number, position, row)
        self._drop_repetitions()
        for sheet in self.sheets if self._dropped else ():
            self._take_out(sheet)

    def _judge(self, number: int, position: int, row: Row) -> None:
        file = row.owner
        assert file is not None
        want, base = self.known.wanted.get(file), self.known.remembered.get(file)
        if want is None:
            if base is not None and not base.gone and is_gone(file, self.known):
                self.removed[file] = row.line.text
                self._drop(row)
            return
        if base is not None and self._was_overwritten(number, position, want, base):
            self.pending.append(Pending(want, base, base.line, returns=True))
            self._drop(row)
            return
        entry = row.line.entry
        if entry is None or id(row) in self.found.unescaped:
            self._set(row, write(Pending(want, base), self.writing, "- ", self.sheets[number].folder))
            return
        self._renew(_Standing(number, position, row, entry, want, self._said(want, entry)), base)

    def _renew(self, at: _Standing, base: Remembered | None) -> None:
        if self._moves(at, base):
            children = self._children(at)
            moves = base is not None and base.role != at.want.role
            self.pending.append(Pending(at.want, base, at.row.line.text, moves=moves, children=children))
            for row in (at.row, *children):
                self._drop(row)
        else:
            self._set(at.row, revise(self._retargeted(at), base, at.want, at.said, moves=False))

    def _said(self, want: Wanted, entry: Entry) -> Saying:
        return saying(want.title, want.hook, entry.form, self.writing.limit, defined=self.writing.defined)

    def _retargeted(self, at: _Standing) -> Entry:
        entry, file, folder = at.entry, at.want.file, self.sheets[at.sheet].folder
        if not entry.target or file not in self.known.former:
            return entry
        if file in lead(entry.target, entry.is_wiki, folder, self.known.layer_dir):
            return entry
        target = retarget(entry.target, relative(file, folder), is_wiki=entry.is_wiki)
        return read_line(rewritten(entry, target=target)).entry or entry

    def _moves(self, at: _Standing, base: Remembered | None) -> bool:
        """Whether an entry leaves for another section.

        It does if its unit has a new role and it stands where its old role's do, or if somebody added it
        to a part of the index that was split.
        """
        here = self.homes.at(at.sheet, at.position)
        if base is not None and base.role != at.want.role:
            members = self.homes.members(Role(base.role))
            return here in members and here not in self.homes.members(at.want.role)
        return self.homes.is_split(at.want.role) and self._was_added(here, at, base)

    def _was_added(self, here: int, at: _Standing, base: Remembered | None) -> bool:
        """Whether an entry came to a part of the index whose entries were moved into sub-indexes."""
        home = self.homes.place(at.want)
        if here == home:
            return False
        if not self.known.remembered:
            return False
        if here in self.homes.members(at.want.role):
            return at.sheet == 0 or bool(self.homes.ranges(at.sheet))
        section = self.homes.sections[here]
        is_new = base is None or base.heading != section.key
        return is_new and any(
            pointer.is_counted and section.start <= pointer.row < section.end
            for pointer in self.homes.pointers[at.sheet]
        )

    def _was_overwritten(self, number: int, position: int, want: Wanted, base: Remembered) -> bool:
        """Whether a tool that rewrites the INDEX put the unit's plain text over what a person wrote.

        It is taken for that only where the unit's file was written too, or the line now leads its section
        and did not before; a person who goes back to the plain text does neither.
        """
        rows = self.sheets[number].rows
        text = rows[position].line.text
        if text == base.line or one_line(text) != unescaped_line(want) or not is_own_work(base):
            return False
        above = rows[position - 1].line.kind if position else Kind.BLANK
        leads = above in {Kind.HEADING, Kind.UNDERLINE} and base.after != ""
        return leads or want.file in self.touched

    def _children(self, at: _Standing) -> list[Row]:
        """Return the rows that hang below an entry, if all of them are the operator's own."""
        rows = self.sheets[at.sheet].rows
        end = self.homes.sections[self.homes.at(at.sheet, at.position)].end
        children = rows[at.position + 1 : block_end(rows, at.position, end)]
        return children if all(row.owner is None and row.line.entry is None for row in children) else []

    def _drop_repetitions(self) -> None:
        """Take out lines that a tool added to a section where the unit's entry stands already."""
        if not self.found.seconds:
            return
        places = {
            id(row): self.homes.at(number, position)
            for number, sheet in enumerate(self.sheets)
            for position, row in enumerate(sheet.rows)
            if row.owner is not None or row.line.entry is not None
        }
        owners = {row.owner: row for sheet in self.sheets for row in sheet.rows if row.owner}
        for row, file in self.found.seconds:
            first, want = owners.get(file), self.known.wanted.get(file)
            if first is None or want is None or not self._is_known(file):
                continue
            here, there = places[id(row)], places[id(first)]
            is_copy = here != there and row.line.text == first.line.text
            is_near = here == there or {here, there} <= self.homes.members(want.role)
            if is_near and (is_copy or self._is_plain(row, want)):
                self._drop(row)

    def _is_known(self, file: str) -> bool:
        base = self.known.remembered.get(file)
        return base is not None and not base.gone

    def _is_plain(self, row: Row, want: Wanted) -> bool:
        entry = row.line.entry
        return entry is not None and says(entry, self._said(want, entry))

    def _set(self, row: Row, revision: Revision) -> None:
        assert row.owner is not None
        if revision.text != row.line.text:
            self.lost_links = self.lost_links or bool(row.line.targets)
            row.line = read_line(revision.text)
        self.revisions[row.owner] = revision

    def _drop(self, row: Row) -> None:
        self.lost_links = self.lost_links or bool(row.line.targets)
        self._dropped.add(id(row))

    def _take_out(self, sheet: Sheet) -> None:
        """Take the dropped rows out; what was nested below one and would be code now goes back elsewhere."""
        while any(id(row) in self._dropped for row in sheet.rows):
            sheet.set_rows([row for row in sheet.rows if id(row) not in self._dropped])
            texts = [row.line.text for row in sheet.rows]
            for row, line in zip(sheet.rows, read_lines(texts).lines, strict=True):
                row.line = line
                if row.owner is not None and line.entry is None:
                    self._lift(row, row.owner)

    def _lift(self, row: Row, file: str) -> None:
        want, base = self.known.wanted.get(file), self.known.remembered.get(file)
        if want is None:
            row.owner = None
            return
        self.pending.append(Pending(want, base, row.line.text.lstrip(" \t"), returns=base is not None))
        self._drop(row)


@dataclass(frozen=True, slots=True)
class _Standing:
    """An entry where it stands, and what is wanted of its unit."""

    sheet: int
    position: int
    row: Row
    entry: Entry
    want: Wanted
    said: Saying
