"""What is remembered after a merge: the base of the next one ([INDEX-3], [INDEX-4])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from atomic_agents.index.lines import Kind
from atomic_agents.index.match import Known
from atomic_agents.index.saying import Revision
from atomic_agents.index.sections import heading_key
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered


def remember(
    sheets: Sequence[Sheet], known: Known, revisions: Mapping[str, Revision], removed: Mapping[str, str]
) -> dict[str, Remembered]:
    """Return what is to be remembered of each unit of a layer, by file.

    Args:
        sheets: the index files as they are to stand, with the rows' owners set.
        known: what was known of the units.
        revisions: the entries that were written or looked at anew, by file.
        removed: the lines of entries that went because their unit did, by file.

    """
    result = dict(known.remembered)
    for sheet in sheets:
        heading, after = "", ""
        for number, row in enumerate(sheet.rows):
            if row.line.kind is Kind.HEADING:
                heading, after = heading_key(row.line.title), ""
            elif row.owner is not None:
                old = result.get(row.owner)
                below = _below(sheet.rows, number)
                if (  # most entries stand as they were remembered, and no more than this is asked of them
                    old is None
                    or old.line != row.line.text
                    or old.after != after
                    or old.heading != heading
                    or old.below != below
                    or old.gone
                    or row.owner in revisions
                ):
                    _note(result, known, revisions.get(row.owner), row, (heading, after, below))
                after = row.owner
    for file, base in known.remembered.items():
        if not base.gone and is_gone(file, known):
            result[file] = replace(base, line=removed.get(file, base.line), gone=True)
    return result


def is_gone(file: str, known: Known) -> bool:
    """Whether a unit that was known is not there any more.

    Args:
        file: relative to the layer's folder.
        known: what is known of the units now.

    """
    return file not in known.wanted and file not in known.present


def _note(
    result: dict[str, Remembered],
    known: Known,
    revision: Revision | None,
    row: Row,
    place: tuple[str, str, str],
) -> None:
    file = row.owner
    assert file is not None
    old = result.get(file)
    base = _base(old, known.wanted.get(file), revision)
    if base is not None:
        new = Remembered(file, *base, row.line.text, *place)
        if new != old:
            result[file] = new


def _base(
    old: Remembered | None, want: Wanted | None, revision: Revision | None
) -> tuple[str, str, str] | None:
    """Return what counts as generated: title, hook and role; None for a unit that is none of the daemon's."""
    if want is not None and revision is not None:
        return revision.title, revision.hook, want.role.value
    if old is None or (want is None and old.gone):
        return None
    return old.title, old.hook, old.role


def _below(rows: Sequence[Row], number: int) -> str:
    """Return the operator's own line that hangs directly below an entry, or ""."""
    if number + 1 >= len(rows):
        return ""
    below = rows[number + 1]
    is_hung = below.line.indent > rows[number].line.indent and below.owner is None
    return below.line.text if is_hung else ""
