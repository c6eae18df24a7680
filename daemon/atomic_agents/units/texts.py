"""The rules about a unit's text as a whole: conflict markers and a second frontmatter (contract [RULE-E])."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from atomic_agents.units.codes import Fault
from atomic_agents.units.fences import FENCE
from atomic_agents.units.frontmatter import Reading

_MARKER: Final = re.compile(r"^(<{7}|={7}|>{7})(?=[ \t\r\n]|\Z)", re.MULTILINE)
_STEPS: Final = ("<<<<<<<", "=======", ">>>>>>>")
_CODE_FENCE: Final = re.compile(r"^[ ]{0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
_SECOND: Final = re.compile(
    r"---[ \t]*\r?\n[ \t]*(?:#[^\n]*\n[ \t]*)*[\"']?[A-Za-z_][\w .-]*[\"']?:(?=[ \t\r\n])"
)


def find_conflict(reading: Reading) -> int | None:
    """Return the offset of the first of git's three markers, if all three stand in order outside code fences.

    Args:
        reading: the unit.

    """
    text = reading.text
    if "\n>>>>>>>" not in text:
        return None
    code = list(_code_blocks(text, reading.fences.body if reading.fences else 0))
    step, first = 0, 0
    for marker in _MARKER.finditer(text):
        if any(start <= marker.start() < end for start, end in code):
            continue
        if marker[1] == _STEPS[0]:
            step, first = 1, marker.start()
        elif step and marker[1] == _STEPS[step]:
            step += 1
        if step == len(_STEPS):
            return first
    return None


def judge_text(reading: Reading, conflict: int | None) -> Iterator[Fault]:
    """Yield what is wrong with the text as a whole.

    Args:
        reading: the unit.
        conflict: what `find_conflict` returned.

    """
    if conflict is not None:
        line = reading.text.count("\n", 0, conflict) + 1
        fix = "Keep one side and delete the three marker lines."
        yield Fault(
            "conflict-markers", "`<<<<<<<`, `=======` and `>>>>>>>`", "a settled text", fix, line=line
        )
    second = _second_frontmatter(reading)
    if second is not None:
        line = reading.text.count("\n", 0, second) + 1
        fix = "Merge the fields of the two blocks into the first and delete the second."
        yield Fault("double-frontmatter", "a second block between `---`", "one frontmatter", fix, line=line)


def _second_frontmatter(reading: Reading) -> int | None:
    """Return the offset of a block at the start of the body that looks like frontmatter again."""
    if reading.fences is None:
        return None
    text, start = reading.text, reading.fences.body
    while start < len(text) and text[start] in "\ufeff \t\r\n":
        start += 1
    opening = _SECOND.match(text, start)
    return start if opening is not None and FENCE.search(text, opening.end()) else None


def _code_blocks(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of fenced code blocks, as CommonMark draws them."""
    opened: re.Match[str] | None = None
    for fence in _CODE_FENCE.finditer(text, start):
        if opened is None:
            opened = fence
        elif fence[1][0] == opened[1][0] and len(fence[1]) >= len(opened[1]) and not fence[2].strip():
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)
