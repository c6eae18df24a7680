"""Persona, tools and model files: title, sections, budgets."""

from __future__ import annotations

import pytest

from atomic_agents.lint.outline import read_outline
from atomic_agents.lint.persona import SECTIONS, judge_persona
from atomic_agents.units.codes import Fault
from atomic_agents.vault.kinds import Layout

PATHS = {
    "IDENTITY": "alpha/persona/IDENTITY.md",
    "SOUL": "alpha/persona/SOUL.md",
    "USER": "alpha/persona/USER.md",
    "TOOLS": "alpha/tools.md",
    "MODEL": "alpha/model.md",
}


def judge(path: str, text: str) -> list[Fault]:
    return list(judge_persona(Layout().place(path), read_outline(text)))


def skeleton(word: str) -> str:
    return f"# {word} — Alpha\n\n" + "\n".join(f"## {title}\n\ntext\n" for title in SECTIONS[word])


@pytest.mark.parametrize("word", SECTIONS)
def test_the_skeleton_of_the_seed_is_as_it_should_be(word: str) -> None:
    assert judge(PATHS[word], skeleton(word)) == []


@pytest.mark.parametrize("word", SECTIONS)
def test_each_missing_section_is_named(word: str) -> None:
    for title in SECTIONS[word]:
        (fault,) = judge(PATHS[word], skeleton(word).replace(f"## {title}\n", ""))
        assert fault.code == "sections-missing"
        assert fault.found == f"no `## {title}`"


@pytest.mark.parametrize(
    "heading",
    [
        "## What I'm NOT (the bright lines)",
        "## what i’m not",
        "### What I am not ###",
        "What I'm NOT",
    ],
)
def test_a_heading_may_go_on_and_be_written_otherwise(heading: str) -> None:
    faults = judge(PATHS["IDENTITY"], skeleton("IDENTITY").replace("## What I'm NOT", heading))
    assert [fault.code for fault in faults] == ([] if heading.startswith("#") else ["sections-missing"])


def test_a_domain_may_have_its_own_name() -> None:
    text = skeleton("USER").replace("Domain-specific", "Money-specific")
    assert judge(PATHS["USER"], text) == []


def test_a_heading_in_a_fence_or_a_comment_is_none() -> None:
    text = (
        skeleton("SOUL")
        .replace("## Voice", "```\n## Voice\n```")
        .replace("## Posture", "<!-- ## Posture -->")
    )
    (fault,) = judge(PATHS["SOUL"], text)
    assert fault.found == "no `## Voice`, `## Posture`"


@pytest.mark.parametrize("title", ["# SOUL: Alpha", "# Soul", "#  SOUL — the agent  #"])
def test_a_title_begins_with_the_word(title: str) -> None:
    assert judge(PATHS["SOUL"], skeleton("SOUL").replace("# SOUL — Alpha", title)) == []


@pytest.mark.parametrize(
    ("title", "found", "line"),
    [
        ("# Alpha", "`Alpha`", 1),
        ("\n# SOULFUL", "`SOULFUL`", 2),
        ("SOUL", "no title", 1),
        ("## SOUL", "no title", 1),
    ],
)
def test_another_title_is_told_with_its_line(title: str, found: str, line: int) -> None:
    (fault,) = judge(PATHS["SOUL"], skeleton("SOUL").replace("# SOUL — Alpha", title))
    assert (fault.code, fault.found, fault.line) == ("title-line", found, line)


def test_a_persona_file_has_a_name_in_capitals() -> None:
    (fault,) = judge("alpha/persona/notes.md", "anything")
    assert (fault.code, fault.found) == ("persona-name", "`notes.md`")
    assert judge("alpha/persona/NOTES.md", "anything") == []
    codes = [fault.code for fault in judge("alpha/persona/soul.md", skeleton("SOUL"))]
    assert codes == ["persona-name"]


BUDGET = "## Token budget\n\ntext\n"


@pytest.mark.parametrize(
    "text",
    [
        "- Max system prompt: 6000 tokens\n- Max output per turn: 4,000 tokens\n- Daily token cap: ~60k",
        "| Limit | Value |\n|---|---|\n| Max system prompt | 12,000 tokens |",
        "- Cron runs that day: SKIP the call",
        "**Max output**: see above",
        "",
    ],
)
def test_limits_with_numbers_and_other_lines_are_fine(text: str) -> None:
    assert judge(PATHS["MODEL"], skeleton("MODEL").replace(BUDGET, f"## Token budget\n\n{text}\n")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- Daily token cap: plenty", "Daily token cap: plenty"),
        ("- **Max output per turn**:", "Max output per turn: nothing"),
        ("| Limit | Value |\n|:--|--:|\n| Daily cap | none |", "Daily cap: none"),
    ],
)
def test_a_limit_without_a_number_is_told_with_its_line(text: str, found: str) -> None:
    whole = skeleton("MODEL").replace(BUDGET, f"## Token budget\n\n{text}\n")
    (fault,) = judge(PATHS["MODEL"], whole)
    assert (fault.code, fault.found) == ("budget-number", found)
    assert whole.split("\n")[fault.line - 1] == text.rsplit("\n", maxsplit=1)[-1]
