"""Files that are named by their day: journal entries and logs of runs (contract section 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from atomic_agents.lint.outline import Section
from atomic_agents.model import Kind, Place
from atomic_agents.schemas.found import shorten
from atomic_agents.schemas.table import is_date
from atomic_agents.units.codes import Fault
from atomic_agents.vault.kinds import LAYERS

_FORMS: Final = {Kind.JOURNAL: "journal/YYYY-MM/YYYY-MM-DD.md", Kind.LOG: "log/YYYY-MM/YYYY-MM-DD.jsonl"}
_CAPTURED: Final = "captured to memory"
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(.*)")
_NAMED: Final = re.compile(r"\]\(([^()\s]+)\)|(?<!!)\[\[([^\[\]|#]+)|([^\s`'\"()<>\[\],;]+\.md)\b")
_MOST: Final = 50


def judge_day(place: Place) -> Iterator[Fault]:
    """Yield what is wrong with the name or the folder of a file that is named by its day.

    Args:
        place: where it lies; a journal entry or a log.

    """
    name = place.inner.rpartition("/")[2]
    day = name.rpartition(".")[0]
    if not is_date(day):
        fix = "Name the file by its day, or move it elsewhere."
        yield Fault("day-file", f"`{shorten(name)}`", f"{_FORMS[place.kind]}, a real day", fix)
    elif place.inner != f"{day[:7]}/{name}":
        fix = f"Move it to {place.kind}/{day[:7]}/."
        yield Fault("day-file", f"`{shorten(place.inner)}`", f"{day[:7]}/{name}", fix)


def judge_journal(
    place: Place, sections: Sequence[Section], exists: Callable[[str], bool]
) -> Iterator[Fault]:
    """Yield what is doubtful about a journal entry's text.

    Args:
        place: where it lies.
        sections: its outline.
        exists: whether a file lies at a path of the vault.

    """
    day = place.inner.rpartition("/")[2].removesuffix(".md")
    first = next((section for section in sections if section.level), None)
    if is_date(day) and (first is None or first.level != 1 or day not in first.title):
        found = f"`{shorten(first.title, 60)}`" if first is not None and first.level == 1 else "no title"
        fix = f"Begin the file with `# {day} — ` and the agent's name."
        line = first.line if first is not None else 1
        yield Fault("title-line", found, f"a title with {day}", fix, line=line)
    captured = (section for section in sections if section.key.startswith(_CAPTURED))
    for section in captured:
        yield from _judge_captured(place, section, exists)


def _judge_captured(place: Place, section: Section, exists: Callable[[str], bool]) -> Iterator[Fault]:
    told = 0
    for number, line in section.lines:
        item = _ITEM.match(line)
        name = _named(item[1]) if item is not None else None
        if name is not None and not _is_there(place, name, exists) and told < _MOST:
            told += 1
            fix = "Correct the name, or write the note."
            yield Fault("journal-capture", f"`{shorten(name, 70)}`", "a note of this agent", fix, line=number)


def _named(text: str) -> str | None:
    """Return the first file that an item names, with `.md`."""
    match = _NAMED.search(text)
    if match is None:
        return None
    name = (match[1] or match[2] or match[3]).strip().partition("#")[0]
    if match[2] is None or name.endswith(".md"):
        return name if name.endswith(".md") and "://" not in name else None
    return f"{name}.md"


def _is_there(place: Place, name: str, exists: Callable[[str], bool]) -> bool:
    """Whether a name means a file of the agent: from its root, in one of its layers, or from the entry."""
    agent = f"{place.agent}/" if place.agent else ""
    bare = name.lstrip("./")
    folder = place.path.rpartition("/")[0]
    paths = [f"{agent}{bare}", *(f"{agent}{layer}/{bare}" for layer in LAYERS), f"{folder}/{name}", bare]
    return any(exists(path) for path in paths)
