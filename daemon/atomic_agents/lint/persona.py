"""Persona and operation files: their title line, their sections, their token budgets (contract section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from atomic_agents.lint.outline import Section, key_of
from atomic_agents.model import Kind, Place
from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault

SECTIONS: Final = {
    "IDENTITY": ("Who I am", "Mission", "Scope", "Operating doctrine", "Autonomy ladder", "What I'm NOT"),
    "SOUL": ("Voice", "Posture", "Evolution discipline", "Things I've learned"),
    "USER": (
        "Role and context",
        "Communication preferences",
        "Domain-specific preferences",
        "Things to avoid",
    ),
    "TOOLS": ("Read paths", "Write paths", "External APIs", "Hard NOs"),
    "MODEL": ("Default model", "Fallback", "Token budget", "Prompt caching", "Cost guardrail"),
}
"""The section headings of the seed's skeletons, by the word that the title line begins with."""

_OTHER_WORDS: Final = {
    "things ive learned": ("things i have learned",),
    "what im not": ("what i am not",),
    "domain-specific preferences": ("specific preferences", "preferences by domain"),
}
"""What a heading may say instead."""

_BUDGET: Final = "token budget"
_ITEM: Final = re.compile(r"[ \t]*[-*+][ \t]+(?P<what>[^:|]+):(?P<value>.*)")
_ROW: Final = re.compile(r"[ \t]*\|(?P<what>[^|]+)\|(?P<value>[^|]*)\|")
_RULE: Final = re.compile(r"[\s:|-]*")
_LIMIT: Final = re.compile(r"\b(?:max\w*|cap|limit|budget|tokens?)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[0-9]")


def judge_persona(place: Place, sections: Sequence[Section]) -> Iterator[Fault]:
    """Yield what is doubtful about a persona, tools or model file.

    Args:
        place: where it lies.
        sections: its outline.

    """
    stem = place.path.rpartition("/")[2].removesuffix(".md")
    if place.kind is Kind.PERSONA and stem != stem.upper():
        fix = f"Rename it to {stem.upper()}.md."
        yield Fault("persona-name", f"`{shorten(stem)}.md`", "a name in capitals", fix)
    wanted = SECTIONS.get(stem.upper())
    if wanted is None:
        return
    yield from _judge_title(stem.upper(), sections)
    yield from _judge_sections(wanted, sections)
    if place.kind is Kind.MODEL:
        yield from _judge_budget(sections)


def _judge_title(word: str, sections: Sequence[Section]) -> Iterator[Fault]:
    first = next((section for section in sections if section.level), None)
    title = first.title if first is not None and first.level == 1 else ""
    if re.split(r"[\s:]", title, maxsplit=1)[0].upper() != word:
        found = f"`{shorten(title, 60)}`" if title else "no title"
        fix = f"Begin the file with `# {word} — ` and the name."
        line = first.line if first is not None and title else 1
        yield Fault("title-line", found, f"a first line `# {word} — …`", fix, line=line)


def _judge_sections(wanted: Sequence[str], sections: Sequence[Section]) -> Iterator[Fault]:
    keys = [section.key for section in sections if section.level]
    missing = [title for title in wanted if not any(_is_called(key, key_of(title)) for key in keys)]
    if missing:
        found = shorten(f"no {', '.join(f'`## {title}`' for title in missing)}")
        fix = "Add the section, or say in it why there is nothing to say."
        yield Fault("sections-missing", found, f"the {len(wanted)} sections of its kind", fix)


def _is_called(key: str, wanted: str) -> bool:
    if key.startswith(wanted):
        return True
    return any(words in key for words in _OTHER_WORDS.get(wanted, ()))


def _judge_budget(sections: Sequence[Section]) -> Iterator[Fault]:
    """Yield each limit of the token budget that names no number."""
    budget = next((section for section in sections if section.key.startswith(_BUDGET)), None)
    if budget is None:
        return
    for number, what, value in _limits(budget):
        if not _NUMBER.search(value):
            found = f"{shorten(what, 40)}: {shorten(value, 30) or 'nothing'}"
            fix = "Write the limit as a number of tokens."
            yield Fault("budget-number", found, "a number of tokens", fix, line=number)


def _limits(budget: Section) -> Iterator[tuple[int, str, str]]:
    """Yield the limits of a list or table: line, name and value; the head of a table is none."""
    before_rule = True
    for number, line in budget.lines:
        row = _ROW.match(line)
        if row is not None and _RULE.fullmatch(line):
            before_rule = False
        elif row is not None and not before_rule:
            yield number, row["what"].strip(), row["value"].strip()
        elif row is None:
            before_rule = True
            item = _ITEM.match(line)
            if item is not None and _LIMIT.search(item["what"]):
                yield number, item["what"].strip(" *_`"), item["value"].strip()
