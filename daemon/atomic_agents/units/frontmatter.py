"""Bytes of a unit → what its frontmatter says, where it says it, and what keeps it from being read.

Source: contract [READ-1]. The reading goes through python-frontmatter's `parse` with a handler of our own,
since its own splitter and loader take a missing fence, a list and a duplicate key for nothing at all.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import frontmatter
from frontmatter.default_handlers import YAMLHandler

from atomic_agents.units import faults
from atomic_agents.units.codes import Fault
from atomic_agents.units.decoding import BOM, decode
from atomic_agents.units.fences import Fences, find_fences
from atomic_agents.units.loader import Loaded, load
from atomic_agents.units.marks import Marks

_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_KEY: Final = re.compile(r"([^\s:#'\"-][^:\n]*):")
_MOST_FAULTS: Final = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """A unit's bytes, understood as far as they can be.

    Args:
        data: the bytes.
        text: the text without BOM; U+FFFD for bytes that are no UTF-8; "" where there is none.
        has_bom: whether the bytes begin with one.
        fences: where the frontmatter lies; None if there is none.
        values: the frontmatter, for judging only: it is there although something is wrong with the file, and
            values that YAML cannot build are `atomic_agents.units.marks.Unbuilt`. None if there is none.
        marks: where the values lie.
        faults: what is wrong with bytes, fences and YAML; lines count from 1 in the file.

    """

    data: bytes
    text: str
    has_bom: bool = False
    fences: Fences | None = None
    values: Mapping[str, Any] | None = None
    marks: Marks = field(default_factory=Marks)
    faults: tuple[Fault, ...] = ()

    @property
    def meta(self) -> Mapping[str, Any] | None:
        """The frontmatter as python-frontmatter gives it, or None if the file could not be read faultlessly.

        Shared, not a copy: whoever hands it on copies it.
        """
        return None if any(fault.is_error for fault in self.faults) else self.values

    @property
    def block(self) -> str:
        """The lines between the fences."""
        return self.text[self.fences.start : self.fences.end] if self.fences else ""

    @property
    def body(self) -> str:
        """Everything behind the closing fence line, or the whole text if there is no frontmatter."""
        return self.text[self.fences.body :] if self.fences else self.text

    @property
    def body_bytes(self) -> int:
        """How many bytes the body has."""
        if self.fences is None:
            return len(self.data)
        return len(self.data) - len(BOM) * self.has_bom - len(self.text[: self.fences.body].encode())

    def line_at(self, offset: int) -> int:
        """Return the line, from 1 in the file, of an offset into the block."""
        return faults.line_at(self.block, offset) + 1


class StrictHandler(YAMLHandler):
    """python-frontmatter's YAML handler with our fences and our loader.

    Args:
        text: the text without BOM, line ends as they are; `frontmatter.parse` normalises its own copy.
        fences: where the frontmatter lies in it.

    """

    def __init__(self, text: str, fences: Fences) -> None:
        super().__init__()
        self._text = text
        self._fences = fences
        self.loaded = Loaded(None, Marks(), ())

    def split(self, text: str) -> tuple[str, str]:  # noqa: ARG002 - the interface's own
        """Return the lines between the fences, and what follows."""
        return self._text[self._fences.start : self._fences.end], self._text[self._fences.body :]

    def load(self, fm: str, **kwargs: object) -> dict[str, Any]:  # noqa: ARG002 - the interface's own
        """Return the mapping; what is wrong with it stands in `loaded`."""
        self.loaded = load(fm)
        return self.loaded.values or {}


def read(data: bytes) -> Reading:
    """Read a unit's bytes; whatever they are, this returns and takes time in proportion to their number.

    Args:
        data: the file's content.

    """
    text, has_bom, found = decode(data)
    if text is None:
        return Reading(data, "", has_bom, faults=found)
    fences = find_fences(text)
    if isinstance(fences, Fault):
        return Reading(data, text, has_bom, faults=(*found, fences))
    hidden, readable = _without_controls(text, fences)
    handler = StrictHandler(readable, fences)
    frontmatter.parse(readable, handler=handler)
    loaded = handler.loaded
    found = (*found, *hidden, *map(_in_file, loaded.faults))
    return Reading(data, text, has_bom, fences, loaded.values, loaded.marks, found)


def _in_file(fault: Fault) -> Fault:
    return fault if fault.line is None else fault._replace(line=fault.line + 1)


def _without_controls(text: str, fences: Fences) -> tuple[tuple[Fault, ...], str]:
    """Return a fault a line for characters that YAML forbids, and the text with blanks in their place."""
    hits = _FORBIDDEN.finditer(text, fences.start, fences.end)
    told = {text.count("\n", 0, hit.start()) + 1: hit for hit in itertools.islice(hits, _MOST_FAULTS)}
    if not told:
        return (), text
    block = _FORBIDDEN.sub(" ", text[fences.start : fences.end])
    found = tuple(_control(text, line, hit) for line, hit in told.items())
    return found, text[: fences.start] + block + text[fences.end :]


def _control(text: str, line: int, hit: re.Match[str]) -> Fault:
    start = text.rfind("\n", 0, hit.start()) + 1
    key = _KEY.match(text, start)
    name = key[1].strip() if key is not None and key.end() <= hit.start() else None
    return faults.control(hit[0])._replace(field=name, line=line, fix="Delete the character.")
