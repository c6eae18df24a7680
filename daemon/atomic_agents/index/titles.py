"""Entries that only a title identifies, also where units share a name ([INDEX-2])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from atomic_agents.index.entries import Entry, Form
from atomic_agents.index.lines import Kind, read_line
from atomic_agents.index.sections import HEADINGS, heading_key
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.texts import as_hook
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered


@dataclass(frozen=True, slots=True)
class Titled:
    """An entry without a target.

    Args:
        sheet: the index file.
        position: number of its row there; the row's owner is set once it is known.
        entry: what it says.
        heading: the heading above it, without its marks.

    """

    sheet: Sheet
    position: int
    entry: Entry
    heading: str

    @property
    def row(self) -> Row:
        """Its row."""
        return self.sheet.rows[self.position]

    def is_after(self, file: str) -> bool:
        """Whether the entry before it, below the same heading, is this unit's; "" is none."""
        for row in reversed(self.sheet.rows[: self.position]):
            if row.line.kind is Kind.HEADING:
                break
            if row.owner is not None:
                return row.owner == file
        return not file


@dataclass(slots=True)
class Titles:
    """Finds whose entries they are.

    Each clue in turn: the line is as it was remembered; the hook is the unit's; the section is the unit's;
    nothing else is left. What no clue decides is left alone.

    Args:
        wanted: what is wanted of each valid unit, by file.
        remembered: what is remembered of each unit, by file.
        taken: units that have an entry with a target, or are linked otherwise.

    """

    wanted: Mapping[str, Wanted]
    remembered: Mapping[str, Remembered]
    taken: set[str]
    ambiguous: set[str] = field(default_factory=set)
    """Units that share a name, where a title alone does not tell which is meant."""
    covered: set[str] = field(default_factory=set)
    """Those of them that have as many lines as there are units, so that none lacks one."""

    def settle(self, titled: Sequence[Titled]) -> None:
        """Set the owner of every row that can be told.

        Args:
            titled: the entries without a target, in order.

        """
        self._by_line(titled)
        lines: dict[str, list[Titled]] = {}
        for one in titled:
            if one.row.owner is None:
                lines.setdefault(_plain(one.entry.title), []).append(one)
        units: dict[str, list[Wanted]] = {}
        for want in self.wanted.values():
            if want.file not in self.taken and _plain(want.title) in lines:
                units.setdefault(_plain(want.title), []).append(want)
        for title, group in units.items():
            self._by_clues(lines.pop(title), group)
        self._by_hook([one for group in lines.values() for one in group])

    def _by_line(self, titled: Sequence[Titled]) -> None:
        wanted_lines = Counter(one.row.line.text for one in titled)
        files: dict[str, list[str]] = {}
        for file, base in self.remembered.items():
            is_left = file not in self.taken and (not base.gone or file in self.wanted)
            if is_left and base.line in wanted_lines:
                files.setdefault(base.line, []).append(file)
        for one in titled:
            same = files.get(one.row.line.text, [])
            if len(same) == 1 == wanted_lines[one.row.line.text]:
                self._give(one, same.pop())
        for is_sure in (_stands_in_place, _stands_near, _any):
            for one in (one for one in titled if one.row.owner is None):
                same = files.get(one.row.line.text, [])
                fitting = (file for file in same if is_sure(one, self.remembered[file]))
                self._give(one, next(fitting, None))
                if one.row.owner is not None:
                    same.remove(one.row.owner)

    def _by_clues(self, lines: list[Titled], units: list[Wanted]) -> None:
        for clue in (_same_hook, _same_section, _any):
            for one in [line for line in lines if line.row.owner is None]:
                fitting = [unit for unit in self._left(units) if clue(one, unit)]
                rivals = [line for line in lines if line.row.owner is None and clue(line, *fitting[:1])]
                if len(fitting) == 1 == len(rivals):
                    self._give(one, fitting[0].file)
        left = {unit.file for unit in self._left(units)}
        open_lines = [line for line in lines if line.row.owner is None]
        if open_lines:
            self.ambiguous |= left
            if len(open_lines) >= len(left):
                self.covered |= left

    def _by_hook(self, lines: list[Titled]) -> None:
        """Find entries whose title a person changed: the hook and the section are as remembered."""
        clues = [(one.entry.hook, heading_key(one.heading)) for one in lines]
        missing: dict[tuple[str, str], list[str]] = {}
        for file, base in self.remembered.items():
            entry = read_line(base.line).entry if self._lacks_entry(file) and not base.gone else None
            if entry is not None and entry.form is Form.CODE and entry.hook:
                missing.setdefault((entry.hook, base.heading), []).append(file)
        for one, clue in zip(lines, clues, strict=True):
            files = missing.get(clue, [])
            if len(files) == 1 and clues.count(clue) == 1:
                self._give(one, files[0])

    def _lacks_entry(self, file: str) -> bool:
        return file in self.wanted and file not in self.taken and file not in self.ambiguous

    def _left(self, units: Sequence[Wanted]) -> Iterator[Wanted]:
        return (unit for unit in units if unit.file not in self.taken)

    def _give(self, one: Titled, file: str | None) -> None:
        if file is not None:
            one.row.owner = file
            self.taken.add(file)


def _stands_near(one: Titled, base: Remembered) -> bool:
    return base.heading == heading_key(one.heading)


def _stands_in_place(one: Titled, base: Remembered) -> bool:
    return _stands_near(one, base) and one.is_after(base.after)


def _plain(title: str) -> str:
    return " ".join(title.split())


def _same_hook(one: Titled, *units: Wanted) -> bool:
    return any(one.entry.hook in {unit.hook, as_hook(unit.hook)} for unit in units)


def _same_section(one: Titled, *units: Wanted) -> bool:
    return any(heading_key(one.heading) == heading_key(HEADINGS[unit.role]) for unit in units)


def _any(_one: Titled, *_: object) -> bool:
    return True
