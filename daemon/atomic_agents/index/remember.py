"""What is remembered after a merge: the base of the next one ([INDEX-3], [INDEX-4])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

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
        for row, below in zip_longest(sheet.rows, sheet.rows[1:]):
            if row.line.kind is Kind.HEADING:
                heading, after = heading_key(row.line.title), ""
            elif row.owner is not None:
                old = result.get(row.owner)
                hung = below.line.text if below is not None and _hangs(below, row) else ""
                if (  # most entries stand as they were remembered, and no more than this is asked of them
                    old is None
                    or old.line != row.line.text
                    or old.after != after
                    or old.heading != heading
                    or old.below != hung
                    or old.gone
                    or row.owner in revisions
                ):
                    _note(result, known, revisions.get(row.owner), row, (heading, after, hung))
                after = row.owner
    for file in known.remembered.keys() - known.wanted.keys() - known.present:
        base = known.remembered[file]
        if not base.gone:
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


def _hangs(below: Row, row: Row) -> bool:
    """Whether a line of the operator's own hangs directly below an entry."""
    return below.line.indent > row.line.indent and below.owner is None
