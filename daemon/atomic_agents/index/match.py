"""Which line of the index files is which unit's entry, and which units are linked otherwise ([INDEX-2])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from atomic_agents.index.entries import Form
from atomic_agents.index.lines import Kind
from atomic_agents.index.sections import heading_key
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.targets import Names, lead
from atomic_agents.index.texts import as_hook, as_title
from atomic_agents.index.titles import Titled, Titles
from atomic_agents.index.wanted import Wanted
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
        unescaped: rows that another tool wrote and that say something else than it meant.

    """

    mentioned: set[str] = field(default_factory=set)
    seconds: list[tuple[Row, str]] = field(default_factory=list)
    ambiguous: set[str] = field(default_factory=set)
    dead: list[tuple[Row, str]] = field(default_factory=list)
    unescaped: list[Row] = field(default_factory=list)


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
        self._candidates: dict[str, list[tuple[Row, str]]] = {}
        self._titled: list[Titled] = []
        self._found = Match()

    def run(self) -> Match:
        unescaped = _unescaped(self._known)
        for sheet in self._sheets:
            self._read(sheet, unescaped)
        for file, rows in self._candidates.items():
            self._elect(file, rows)
        self._settle_titles()
        return self._found

    def _read(self, sheet: Sheet, unescaped: Mapping[str, str]) -> None:
        heading = ""
        for row in sheet.rows:
            line = row.line
            row.owner = None
            if line.kind is Kind.HEADING:
                heading = line.title
            if line.text in unescaped:
                self._found.unescaped.append(row)
                self._add(unescaped[line.text], row, heading)
            elif line.entry is not None and line.entry.form is Form.CODE:
                self._titled.append(Titled(row, line.entry, heading))
            elif line.entry is not None:
                self._add_entry(sheet, row, heading)
            for target, is_wiki in line.targets:
                file = self._find(sheet, target, is_wiki=is_wiki)
                if file is not None:
                    self._found.mentioned.add(file)

    def _add_entry(self, sheet: Sheet, row: Row, heading: str) -> None:
        entry = row.line.entry
        assert entry is not None
        file = self._find(sheet, entry.target, is_wiki=entry.is_wiki)
        if file is not None:
            self._add(self._current(file, row), row, heading)
        elif inside := lead(entry.target, entry.is_wiki, sheet.folder, self._known.layer_dir):
            self._found.dead.append((row, inside[0]))

    def _add(self, file: str, row: Row, heading: str) -> None:
        self._candidates.setdefault(file, []).append((row, heading))

    def _find(self, sheet: Sheet, target: str, *, is_wiki: bool) -> str | None:
        return self._names.find(lead(target, is_wiki, sheet.folder, self._known.layer_dir), is_wiki=is_wiki)

    def _current(self, file: str, row: Row) -> str:
        """Return the name now of a file that a line names; its old name may be another unit's by now."""
        new = self._now.get(file)
        if new is None or (file in self._known.wanted and self._known.remembered[new].line != row.line.text):
            return file
        return new

    def _elect(self, file: str, rows: list[tuple[Row, str]]) -> None:
        """Make one of a unit's lines its entry: the one that is remembered, else the first."""
        base = self._known.remembered.get(file)
        chosen = rows[0][0]
        if base is not None and len(rows) > 1:
            same = [row for row, _ in rows if row.line.text == base.line]
            near = [row for row, heading in rows if heading_key(heading) == base.heading]
            chosen = next(iter(same or near or [chosen]))
        chosen.owner = file
        self._found.seconds += [(row, file) for row, _ in rows if row is not chosen]

    def _settle_titles(self) -> None:
        if self._titled:
            taken = self._found.mentioned | self._candidates.keys()
            titles = Titles(self._known.wanted, self._known.remembered, taken)
            titles.settle(self._titled)
            self._found.ambiguous = titles.ambiguous
            self._found.mentioned |= titles.covered


def _names(known: Known) -> Names:
    return Names([*known.wanted, *known.remembered, *known.present, *known.former.values()])


def _unescaped(known: Known) -> dict[str, str]:
    return dict(_unescaped_lines(known))


def _unescaped_lines(known: Known) -> Iterator[tuple[str, str]]:
    """Yield, for each unit whose texts would act, the line that a tool writes that does not escape."""
    for file, want in known.wanted.items():
        if as_title(want.title) != want.title or as_hook(want.hook) != want.hook:
            yield f"- [{want.title}]({file}) — {want.hook}", file
