"""Edits of frontmatter that is one mapping in braces (contract [WRITE-1])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from atomic_agents.units.edits import Change, Edit
from atomic_agents.units.emit import emit_flow
from atomic_agents.units.marks import Entry, Marks

_COLON: Final = re.compile(r"\s*:")


def edit_flow(block: str, marks: Marks, changes: Sequence[Change]) -> list[Edit]:
    """Return the edits that make the changes.

    Args:
        block: the lines between the fences.
        marks: where its values lie.
        changes: the fields that change.

    Raises:
        EmitError: a value has no YAML form.

    """
    removed = {change.entry for change in changes if change.entry is not None and change.is_removed}
    replaced = [change for change in changes if change.entry is not None and not change.is_removed]
    edits = [_replace(block, change.entry, change) for change in replaced if change.entry is not None]
    edits += _remove(marks, removed)
    added = [f"{_inside(change.key)}: {_inside(change.value)}" for change in changes if change.entry is None]
    if added:
        edits.append(_add(block, marks, removed, added))
    return edits


def _replace(block: str, entry: Entry, change: Change) -> Edit:
    text = _inside(change.value)
    if entry.start == entry.end and _COLON.match(block, entry.key_end) is None:
        return Edit(entry.key_end, entry.key_end, f": {text}")
    gap = " " if block[entry.start - 1] == ":" else ""
    return Edit(entry.start, entry.end, f"{gap}{text}")


def _remove(marks: Marks, removed: set[Entry]) -> list[Edit]:
    """Delete each entry up to the next one, and the last ones back to the end of the last that stays."""
    entries = sorted(marks.entries.values(), key=lambda entry: entry.key_start)
    edits, kept = [], None
    for entry, following in zip(entries, (*entries[1:], None), strict=True):
        if entry not in removed:
            kept = entry
        elif following is not None:
            edits.append(Edit(entry.key_start, following.key_start, ""))
        else:
            edits.append(Edit(entry.key_start if kept is None else kept.end, entry.end, ""))
    return edits


def _add(block: str, marks: Marks, removed: set[Entry], added: list[str]) -> Edit:
    kept = [entry for entry in marks.entries.values() if entry not in removed]
    if kept:
        last = max(kept, key=lambda entry: entry.key_start)
        return Edit(last.end, last.end, "".join(f", {text}" for text in added))
    opening = block.index("{") + 1
    return Edit(opening, opening, ", ".join(added))


def _inside(value: object) -> str:
    return emit_flow([value])[1:-1]
