"""INDEX.md as lines: every byte kept, each line told for what it is where it stands (contract [INDEX-3])."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from atomic_agents.index.lines import Kind, Line, read_line
from atomic_agents.index.reader import read_lines

BOM: Final = "\ufeff"
_REMEMBERED: Final = 1 << 16
"""Characters; what is longer is read anew each time."""


@dataclass(slots=True)
class Row:
    r"""A line in its place.

    Args:
        line: what it says.
        end: its line end: `\n`, `\r\n`, or "" for a last line without one.
        owner: the unit whose entry it is, as far as that is known.

    """

    line: Line
    end: str
    owner: str | None = None

    @property
    def is_entry(self) -> bool:
        """Whether it is some unit's entry, or looks like one of a unit that is not there."""
        if self.owner is not None:
            return True
        entry = self.line.entry
        if entry is None or self.line.points:
            return False
        return entry.is_wiki or entry.target.endswith(".md")

    @property
    def is_pointer(self) -> bool:
        """Whether it leads to another index file."""
        return self.line.points


@dataclass(slots=True)
class Sheet:
    """An index file as a working copy.

    Args:
        name: relative to the layer's folder, `INDEX.md`.
        rows: its lines.
        has_bom: whether a byte order mark precedes them.
        is_open: whether it ends within a fence or comment that nothing closes.

    """

    name: str
    rows: list[Row]
    has_bom: bool = False
    is_open: bool = False

    @property
    def folder(self) -> str:
        """The folder that its links start from, relative to the layer; "" is the layer's own."""
        return self.name.rpartition("/")[0]

    @property
    def line_end(self) -> str:
        """The line end that most lines have."""
        with_return = sum(row.end == "\r\n" for row in self.rows)
        with_end = sum(row.end != "" for row in self.rows)
        return "\r\n" if with_return * 2 > with_end else "\n"

    def set_rows(self, rows: list[Row]) -> None:
        """Take other rows; a file without a final newline stays without, new rows get the usual line end.

        Args:
            rows: all of them, in order; the line end of a new one is "".

        """
        line_end = self.line_end
        had_final_newline = not self.rows or self.rows[-1].end != ""
        for row in rows:
            row.end = row.end or line_end
        if rows and not had_final_newline:
            rows[-1].end = ""
        self.rows = rows

    def put_in(self, at: int, rows: Sequence[Row]) -> None:
        """Put rows in before a row.

        Args:
            at: the row's number.
            rows: the new ones.

        """
        self.set_rows([*self.rows[:at], *rows, *self.rows[at:]])

    def take_out(self, rows: Iterable[Row]) -> None:
        """Take rows out, with the blank lines that would then be doubled.

        Args:
            rows: those that go.

        """
        gone = {id(row) for row in rows}
        kept: list[Row] = []
        is_seam = False
        for row in self.rows:
            is_blank = row.line.kind is Kind.BLANK
            if id(row) in gone:
                is_seam = True
            elif not (is_seam and is_blank and (not kept or kept[-1].line.kind is Kind.BLANK)):
                kept.append(row)
                is_seam = is_seam and is_blank
        if is_seam and kept and kept[-1].line.kind is Kind.BLANK:
            kept.pop()
        self.set_rows(kept)

    def data(self) -> bytes:
        """Return the file's bytes."""
        text = "".join([part for row in self.rows for part in (row.line.text, row.end)])
        return ((BOM if self.has_bom else "") + text).encode("utf-8")


def new_row(text: str) -> Row:
    """Return a row for a line of the daemon's own.

    Args:
        text: the line, without its line end.

    """
    return Row(read_line(text), "")


def read_sheet(name: str, data: bytes) -> Sheet:
    """Return an index file's lines; `Sheet.data` of them gives the same bytes.

    Args:
        name: relative to the layer's folder.
        data: the file's bytes, UTF-8.

    Raises:
        UnicodeDecodeError: they are not.

    """
    text = data.decode("utf-8")
    body = text.removeprefix(BOM)
    parse = _parse if len(body) <= _REMEMBERED else _parse.__wrapped__
    lines, ends, is_open = parse(body)
    return Sheet(name, list(map(Row, lines, ends)), len(body) < len(text), is_open)


@lru_cache(maxsize=128)
def _parse(text: str) -> tuple[list[Line], list[str], bool]:
    """Return a file's lines, their line ends, and whether it ends within something that nothing closes.

    Remembered, since most sub-indexes are the same from one merge to the next.
    """
    pieces = text.split("\n")
    last = pieces.pop()
    ends = ["\r\n" if piece.endswith("\r") else "\n" for piece in pieces]
    texts = [piece[:-1] if end == "\r\n" else piece for piece, end in zip(pieces, ends, strict=True)]
    if last:
        texts.append(last)
        ends.append("")
    reading = read_lines(texts)
    return reading.lines, ends, reading.is_open
