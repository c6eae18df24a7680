"""Edits of frontmatter in the usual form, one key a line (contract [WRITE-1])."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from atomic_agents.units.cuts import comment_behind
from atomic_agents.units.edits import Change, Edit, after_line, line_end, line_start
from atomic_agents.units.edits_list import edit_items
from atomic_agents.units.emit import emit_block, emit_flow, emit_scalar, is_block
from atomic_agents.units.marks import Entry, Marks

_COLON: Final = re.compile(r"[ \t]*:")
_COMMENT: Final = re.compile(r"[ \t]#")
_INLINE: Final = frozenset({"", "'", '"', "*", "["})


def edit_block(block: str, marks: Marks, changes: Iterable[Change], newline: str) -> list[Edit]:
    """Return the edits that make the changes.

    Args:
        block: the lines between the fences.
        marks: where its values lie.
        changes: the fields that change.
        newline: the line end of new lines.

    Raises:
        EmitError: a value has no YAML form.

    """
    editor = _Editor(block, marks, newline)
    return [editor.edit(change) for change in changes]


class _Editor:
    def __init__(self, block: str, marks: Marks, newline: str) -> None:
        self._block = block
        self._marks = marks
        self._newline = newline

    def edit(self, change: Change) -> Edit:
        entry = change.entry
        if entry is None:
            return Edit(self._marks.end, self._marks.end, self._new_lines(change))
        start = line_start(self._block, entry.key_start)
        if change.is_removed:
            return Edit(start, after_line(self._block, entry.end), "")
        if self._block[start : entry.key_start].strip():
            return Edit(start, after_line(self._block, entry.end), self._new_lines(change))
        if is_block(change.value) and entry.style != "[":
            items = edit_items(self._block, change, entry, self._newline)
            return self._to_lines(change, entry) if items is None else items
        return self._to_inline(change, entry)

    def _new_lines(self, change: Change) -> str:
        indent = self._root_indent()
        head = f"{indent}{emit_scalar(change.key)}:"
        if is_block(change.value):
            return self._newline.join((head, *self._body(change, None))) + self._newline
        return f"{head} {emit_flow(change.value)}{self._newline}"

    def _to_inline(self, change: Change, entry: Entry) -> Edit:
        """Write the value behind its key, or in the place of the old one."""
        quote = entry.style if entry.style in {"'", '"'} else ""
        text = (
            emit_scalar(change.value, quote=quote)
            if isinstance(change.value, str)
            else emit_flow(change.value)
        )
        if entry.style in _INLINE and entry.start < entry.end:
            return Edit(entry.start, entry.end, text)
        colon = self._after_colon(entry)
        if entry.style in _INLINE:
            return Edit(colon, colon, f" {text}")
        return Edit(colon, line_end(self._block, entry.end), f" {text}{self._head_comment(colon)}")

    def _to_lines(self, change: Change, entry: Entry) -> Edit:
        """Write the value on lines of its own below the key."""
        colon, end = self._after_colon(entry), line_end(self._block, entry.end)
        if entry.style in _INLINE:
            comment = comment_behind(self._block, entry.end) or ""
        else:
            comment = self._head_comment(colon)
        return Edit(colon, end, self._newline.join((comment, *self._body(change, entry))))

    def _body(self, change: Change, entry: Entry | None) -> list[str]:
        is_list = isinstance(change.value, list | tuple)
        indent = self._root_indent() + (self._list_indent(entry) if is_list else "  ")
        return [f"{indent}{line}" for line in emit_block(change.value)]

    def _head_comment(self, colon: int) -> str:
        """Return the comment on the line of the key, behind `|`, an anchor, or nothing."""
        head = self._block[colon : line_end(self._block, colon)]
        comment = _COMMENT.search(head)
        return f"  {head[comment.start() + 1 :].rstrip()}" if comment is not None else ""

    def _after_colon(self, entry: Entry) -> int:
        colon = _COLON.match(self._block, entry.key_end)
        return entry.key_end if colon is None else colon.end()

    def _root_indent(self) -> str:
        first = min((entry.key_start for entry in self._marks.entries.values()), default=0)
        indent = self._block[line_start(self._block, first) : first]
        return indent if not indent.strip() else ""

    def _list_indent(self, entry: Entry | None) -> str:
        """Return how far the lists of this file stand behind their keys: as the old one, or as the first."""
        own = [entry] if entry is not None else []
        for each in (*own, *self._marks.entries.values()):
            if each.style == "-" and self._block.startswith("-", each.start):
                indent = self._block[line_start(self._block, each.start) : each.start]
                return indent.removeprefix(self._root_indent())
        return "  "
