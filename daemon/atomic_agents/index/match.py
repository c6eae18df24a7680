"""Which line of the index files is which unit's entry, and which units are linked otherwise ([INDEX-2])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from atomic_agents.index.entries import Form
from atomic_agents.index.lines import Kind
from atomic_agents.index.sections import heading_key
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.targets import Names, lead
from atomic_agents.index.texts import one_line
from atomic_agents.index.titles import Titled, Titles
from atomic_agents.index.wanted import Wanted, unescaped_line
from atomic_agents.store.entries import Remembered


@dataclass(slots=True)
class Known:
    """What is known of a layer's units.

    Args:
        layer_dir: the layer's folder, relative to the vault.
        wanted: what is wanted of each valid unit, by file.
        remembered: what is remembered of each unit, by the file's name now.
        present: files that are there but not valid now.
        former: the former name of each unit that was renamed, by its name now.

    """

    layer_dir: str
    wanted: Mapping[str, Wanted]
    remembered: Mapping[str, Remembered]
    present: frozenset[str] = frozenset()
    former: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Match:
    """Who is named where. The rows' `owner` is set to the unit whose entry the row is.

    Args:
        mentioned: units that some line links to without being their entry.
        seconds: further entries of units, in order: the row and its unit.
        ambiguous: units that share their name, so that a title alone may or may not mean them.
        dead: targets in the layer that no file has, with the row.
        unescaped: ids of rows that another tool wrote and that say something else than it meant.

    """

    mentioned: set[str] = field(default_factory=set)
    seconds: list[tuple[Row, str]] = field(default_factory=list)
    ambiguous: set[str] = field(default_factory=set)
    dead: list[tuple[Row, str]] = field(default_factory=list)
    unescaped: set[int] = field(default_factory=set)


def match(sheets: Sequence[Sheet], known: Known) -> Match:
    """Set each row's owner and return who else is linked.

    Args:
        sheets: the index files, INDEX.md first.
        known: what is known of the units.

    """
    return _Matching(sheets, known).run()


def mentioned_in(sheets: Sequence[Sheet], known: Known) -> set[str]:
    """Return the units that some line links to without being their entry.

    Args:
        sheets: the index files.
        known: what is known of the units.

    """
    names = _names(known)
    found = (
        names.find(lead(target, is_wiki, sheet.folder, known.layer_dir), is_wiki=is_wiki)
        for sheet in sheets
        for row in sheet.rows
        for target, is_wiki in row.line.targets
    )
    return {file for file in found if file is not None}


class _Matching:
    def __init__(self, sheets: Sequence[Sheet], known: Known) -> None:
        self._sheets = sheets
        self._known = known
        self._now = {old: new for new, old in known.former.items()}
        self._names = _names(known)
        self._unescaped = {unescaped_line(want): file for file, want in known.wanted.items() if want.acts}
        self._first: dict[str, Row] = {}
        self._more: dict[str, list[Row]] = {}
        self._titled: list[Titled] = []
        self._found = Match()

    def run(self) -> Match:
        for sheet in self._sheets:
            self._read(sheet)
        wanted, present = self._known.wanted, self._known.present
        for file, row in self._first.items():
            if file in self._more or not (file in wanted or file in present):
                self._elect(file, self._more.get(file, [row]))
            else:
                row.owner = file
        self._settle_titles()
        return self._found

    def _read(self, sheet: Sheet) -> None:
        is_usual = not (sheet.folder or self._now or self._unescaped)
        files, first = self._names.files, self._first
        heading = ""
        for position, row in enumerate(sheet.rows):
            row.owner = None
            line = row.line
            kind, entry = line.kind, line.entry
            if entry is not None and is_usual and entry.form is Form.LINK and entry.target in files:
                file: str | None = entry.target
            else:
                file = self._candidate_for(sheet, position, heading) if kind is Kind.ITEM else None
            if file is not None and first.setdefault(file, row) is not row:
                self._more.setdefault(file, [first[file]]).append(row)
            if kind is Kind.HEADING:
                heading = line.title
            if line.targets:
                self._mention(sheet, row)

    def _mention(self, sheet: Sheet, row: Row) -> None:
        for target, is_wiki in row.line.targets:
            file = self._find(sheet, target, is_wiki=is_wiki)
            if file is not None:
                self._found.mentioned.add(file)

    def _candidate_for(self, sheet: Sheet, position: int, heading: str) -> str | None:
        """Return the unit that a list item's target names."""
        row = sheet.rows[position]
        line = row.line
        file = self._unescaped.get(one_line(line.text)) if self._unescaped else None
        if file is not None:
            self._found.unescaped.add(id(row))
            return file
        entry = line.entry
        if entry is None:
            return None
        if entry.form is Form.CODE:
            self._titled.append(Titled(sheet, position, entry, heading))
            return None
        file = self._find(sheet, entry.target, is_wiki=entry.form is Form.WIKI)
        if file is not None:
            return self._current(file, row) if self._now else file
        inside = lead(entry.target, entry.is_wiki, sheet.folder, self._known.layer_dir)
        if inside:
            self._found.dead.append((row, inside[0]))
        return None

    def _find(self, sheet: Sheet, target: str, *, is_wiki: bool) -> str | None:
        if target in self._names.files and not is_wiki and not sheet.folder:
            return target
        return self._names.find(lead(target, is_wiki, sheet.folder, self._known.layer_dir), is_wiki=is_wiki)

    def _current(self, file: str, row: Row) -> str:
        """Return the name now of a file that a line names; its old name may be another unit's by now."""
        new = self._now.get(file)
        if new is None or (file in self._known.wanted and self._known.remembered[new].line != row.line.text):
            return file
        return new

    def _elect(self, file: str, rows: list[Row]) -> None:
        """Make one of a unit's lines its entry: the one that is remembered, or the first that fits."""
        base = self._known.remembered.get(file)
        is_there = file in self._known.wanted or file in self._known.present
        if not is_there and (base is None or base.gone):
            self._found.dead += [(row, file) for row in rows]
            return
        chosen = max(rows, key=lambda row: self._likeness(row, base)) if len(rows) > 1 else rows[0]
        chosen.owner = file
        self._found.seconds += [(row, file) for row in rows if row is not chosen]

    def _likeness(self, row: Row, base: Remembered | None) -> tuple[bool, ...]:
        """Return how much speaks for a line; a tool repeats one at a section's head, or in INDEX.md."""
        heading, leads, is_top = self._surroundings[id(row)]
        is_same = base is not None and row.line.text == base.line
        is_near = base is not None and heading_key(heading) == base.heading
        return (is_same, is_near, not leads, not is_top)

    @cached_property
    def _surroundings(self) -> dict[int, tuple[str, bool, bool]]:
        """For each row, the heading above it, and whether it stands directly below that, and in INDEX.md."""
        found: dict[int, tuple[str, bool, bool]] = {}
        for number, sheet in enumerate(self._sheets):
            heading, leads = "", False
            for row in sheet.rows:
                found[id(row)] = (heading, leads, number == 0)
                heading = row.line.title if row.line.kind is Kind.HEADING else heading
                leads = row.line.kind in {Kind.HEADING, Kind.UNDERLINE}
        return found

    def _settle_titles(self) -> None:
        if self._titled:
            taken = self._found.mentioned | self._first.keys()
            titles = Titles(self._known.wanted, self._known.remembered, taken)
            titles.settle(self._titled)
            self._found.ambiguous = titles.ambiguous
            self._found.mentioned |= titles.covered


def _names(known: Known) -> Names:
    return Names([*known.wanted, *known.remembered, *known.present, *known.former.values()])
