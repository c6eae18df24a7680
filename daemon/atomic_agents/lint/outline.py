"""The headings of a Markdown text and what stands below each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from atomic_agents.units.mentions import numbered_lines

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")
_SIGNS: Final = re.compile(r"[^\w\s-]+")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the lines below it, up to the next heading of its level or above.

    `level` is 0 for what stands before the first heading; `lines` are numbered from 1 in the file.
    """

    level: int
    title: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The title as titles are compared: in lower case, without signs and with single blanks."""
        return key_of(self.title)


def key_of(title: str) -> str:
    """Return a title as titles are compared."""
    return " ".join(_SIGNS.sub("", title).casefold().split())


def read_outline(text: str) -> list[Section]:
    """Return the sections of a text in their order; code and comments are left out.

    Args:
        text: Markdown, without BOM.

    """
    sections = [Section(0, "", 1)]
    within = sections[:]
    for number, line in numbered_lines(text):
        heading = _HEADING.match(line) if "#" in line else None
        if heading is None:
            for section in within:
                section.lines.append((number, line))
            continue
        level = len(heading[1])
        sections.append(Section(level, (heading[2] or "").strip(), number))
        within = [*(section for section in within if 0 < section.level < level), sections[-1]]
    return sections
