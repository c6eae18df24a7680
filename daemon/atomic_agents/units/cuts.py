"""Text that YAML drops from an unquoted value: what follows ` #`, and a leading `&word` or `!`.

Source: contract [READ-1], `yaml-comment-cut`.
"""

from __future__ import annotations

import re
from typing import Final

from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.marks import Cut

_COMMENT: Final = re.compile(r"([ \t]+)(#[^\r\n\x85\u2028\u2029]*)")
_EVIDENT: Final = re.compile(r"#(?:[ \t]|\Z)")
_QUARTER: Final = 20


def find_cut(block: str, end: int) -> str | None:
    """Return the comment behind a plain text value that may have been meant as text.

    It is evidently a comment, and None is returned, where two or more blanks stand before `#` and one after.

    Args:
        block: the lines between the fences.
        end: where the value ends.

    """
    if block[end : end + 1] not in {" ", "\t"}:
        return None
    comment = _COMMENT.match(block, end)
    if comment is None or (len(comment[1]) > 1 and _EVIDENT.match(comment[2])):
        return None
    return comment[2].rstrip()


def comment_behind(block: str, end: int) -> str | None:
    """Return the comment that follows on the same line, with the blanks before it.

    Args:
        block: the lines between the fences.
        end: where what stands before it ends.

    """
    comment = _COMMENT.match(block, end)
    return comment[0].rstrip() if comment else None


def cut_fault(cut: Cut, line: int) -> Fault:
    """Return the warning for a value of which a part was dropped.

    Args:
        cut: the value.
        line: where it stands in the file.

    """
    value, lost = shorten(cut.value, 2 * _QUARTER), shorten(cut.lost, _QUARTER)
    return Fault(
        "yaml-comment-cut",
        f"`{value}`, without `{lost}`",
        "the whole text",
        "Put the whole value in quotes if what YAML dropped belongs to it.",
        cut.field,
        line,
    )
