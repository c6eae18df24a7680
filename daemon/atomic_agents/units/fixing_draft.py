"""A unit's lines while they are mended, and which of the former lines are touched (contract [WRITE-1])."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from atomic_agents.units.decoding import BOM


class LineEdit(NamedTuple):
    """Put `lines` in the place of lines `first` to `last` of the present text, which count from 1.

    Args:
        first: the first line that goes.
        last: the last one; `first - 1` inserts before `first`.
        lines: what comes, with line ends.
        code: the fault that this mends.
        done: what it does, in a few words.
        field: the field concerned.

    """

    first: int
    last: int
    lines: tuple[str, ...]
    code: str
    done: str
    field: str | None = None

    def below(self, lines: int) -> LineEdit:
        """Return it as it counts when so many lines stand above."""
        return self._replace(first=self.first + lines, last=self.last + lines)


@dataclass(frozen=True, slots=True)
class Mend:
    """What was done to lines `first` to `last` of the former text; an insertion names the line behind it."""

    code: str
    first: int
    last: int
    done: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A text on its way: its lines with their ends, and for each which line of the former text it was."""

    lines: tuple[str, ...]
    origins: tuple[int, ...]
    bom: bytes = b""
    mends: tuple[Mend, ...] = ()

    @classmethod
    def of(cls, data: bytes) -> Draft:
        """Begin with a unit's bytes.

        Args:
            data: UTF-8, with or without BOM.

        """
        bom = BOM if data.startswith(BOM) else b""
        lines = tuple(split_lines(data[len(bom) :].decode("utf-8")))
        return cls(lines, tuple(range(1, len(lines) + 1)), bom)

    @property
    def text(self) -> str:
        """The text without BOM."""
        return "".join(self.lines)

    @property
    def data(self) -> bytes:
        """The bytes."""
        return self.bom + self.text.encode("utf-8")

    def without_bom(self) -> Draft:
        """Return it without the BOM, which is a part of line 1."""
        mend = Mend("bom", 1, 1, "removed the byte order mark")
        return replace(self, bom=b"", mends=(*self.mends, mend))

    def edited(self, edits: Iterable[LineEdit]) -> Draft:
        """Return it with edits made that do not overlap.

        Args:
            edits: in the numbering of the present text.

        """
        lines, origins = list(self.lines), list(self.origins)
        ordered = sorted(edits, key=lambda edit: edit.first)
        mends = [self._mend(edit) for edit in ordered]
        for edit in reversed(ordered):
            span = slice(edit.first - 1, edit.last)
            origins[span] = self._origins_of(edit)
            lines[span] = edit.lines
        return replace(self, lines=tuple(lines), origins=tuple(origins), mends=(*self.mends, *mends))

    def _mend(self, edit: LineEdit) -> Mend:
        first = self._origin(edit.first)
        last = self._origin(edit.last) if edit.last >= edit.first else first
        return Mend(edit.code, first, last, edit.done, edit.field)

    def _origin(self, line: int) -> int:
        return self.origins[line - 1] if line <= len(self.origins) else (self.origins or (0,))[-1] + 1

    def _origins_of(self, edit: LineEdit) -> list[int]:
        former = list(self.origins[edit.first - 1 : edit.last]) or [self._origin(edit.first)]
        return (former + former[-1:] * len(edit.lines))[: len(edit.lines)]


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; only LF ends a line."""
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return whole + lines[-1:] if lines[-1] else whole


def line_end_of(line: str) -> str:
    """Return the line end of a line, LF if it has none."""
    return "\r\n" if line.endswith("\r\n") else "\n"
