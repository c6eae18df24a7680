"""Proving that no word of a person's goes: what stood in the index files and would stand there no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from atomic_agents.index.entries import Entry
from atomic_agents.index.lines import Kind
from atomic_agents.index.match import Known, match
from atomic_agents.index.sections import HEADINGS, heading_key
from atomic_agents.index.sheet import Row, Sheet, read_sheet

_GENERATED_HEADINGS = frozenset(map(heading_key, HEADINGS.values()))


def authored_lost(before: Mapping[str, bytes], after: Mapping[str, bytes], known: Known) -> tuple[str, ...]:
    """Return the lines that a person wrote, in whole or in part, and whose words are in no index file after.

    The entry of a unit that is gone may go. Of an entry that stays, the title and the hook count where they
    are not as they were generated.

    Args:
        before: the bytes of each index file, by name; UTF-8.
        after: the same, as they are to stand.
        known: what is known of the units.

    """
    old, new = _sheets(before), _sheets(after)
    match(old, known)
    match(new, known)
    entries = {row.owner: row.line.entry for sheet in new for row in sheet.rows if row.owner is not None}
    left = Counter(row.line.text for sheet in new for row in sheet.rows)
    lost = []
    for row in (row for sheet in old for row in sheet.rows if row.line.kind is not Kind.BLANK):
        if left[row.line.text]:
            left[row.line.text] -= 1
        elif not _is_kept(row, entries, known):
            lost.append(row.line.text)
    return tuple(lost)


def _is_kept(row: Row, entries: Mapping[str, Entry | None], known: Known) -> bool:
    """Whether the words of a line that is not there any more still are, or were nobody's."""
    line = row.line
    if line.kind is Kind.HEADING:
        return heading_key(line.title) in _GENERATED_HEADINGS
    if row.is_pointer or row.owner is None or line.entry is None:
        return row.is_pointer
    now = entries.get(row.owner)
    if now is None:
        return row.owner not in known.wanted and row.owner not in known.present
    return all(part in now.text for part in _authored_parts(line.entry, row.owner, known))


def _authored_parts(entry: Entry, file: str, known: Known) -> Iterator[str]:
    base = known.remembered.get(file)
    if base is not None and entry.hook != base.hook:
        yield entry.hook.removesuffix(f" ({base.hook})")
    if base is not None and entry.title != base.title:
        yield entry.title


def _sheets(files: Mapping[str, bytes]) -> Sequence[Sheet]:
    names = sorted(files, key=lambda name: (name != "INDEX.md", name))
    return [read_sheet(name, files[name]) for name in names]
