"""Journal entries and logs: their days, their titles, what was captured."""

from __future__ import annotations

import pytest

from atomic_agents.lint.days import judge_day, judge_journal
from atomic_agents.lint.outline import read_outline
from atomic_agents.units.codes import Fault
from atomic_agents.vault.kinds import Layout

PATH = "alpha/journal/2026-11/2026-11-29.md"
TITLE = "# 2026-11-29 — Alpha journal\n"


def day_faults(path: str) -> list[Fault]:
    return list(judge_day(Layout().place(path)))


def journal(text: str, *files: str, path: str = PATH) -> list[Fault]:
    return list(judge_journal(Layout().place(path), read_outline(text), set(files).__contains__))


@pytest.mark.parametrize(
    "path", [PATH, "alpha/log/2026-11/2026-11-29.jsonl", "a/b/journal/2024-02/2024-02-29.md"]
)
def test_a_file_named_by_a_real_day_in_its_month_is_fine(path: str) -> None:
    assert day_faults(path) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("alpha/journal/2026-11/2026-11-31.md", "journal/YYYY-MM/YYYY-MM-DD.md, a real day"),
        ("alpha/journal/2026-11/notes.md", "journal/YYYY-MM/YYYY-MM-DD.md, a real day"),
        ("alpha/log/2026-11/2026-11-29_x.jsonl", "log/YYYY-MM/YYYY-MM-DD.jsonl, a real day"),
        ("alpha/journal/2026-10/2026-11-29.md", "2026-11/2026-11-29.md"),
        ("alpha/log/2026-11-29.jsonl", "2026-11/2026-11-29.jsonl"),
        ("alpha/journal/old/2026-11/2026-11-29.md", "2026-11/2026-11-29.md"),
    ],
)
def test_another_name_or_folder_is_told(path: str, expected: str) -> None:
    (fault,) = day_faults(path)
    assert (fault.code, fault.expected) == ("day-file", expected)


def test_the_title_holds_the_day() -> None:
    assert journal(TITLE) == []
    assert journal("# Journal of 2026-11-29\n") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("", "no title"), ("## 2026-11-29\n", "no title"), ("# 2026-11-28 — Alpha\n", "`2026-11-28 — Alpha`")],
)
def test_another_title_is_told(text: str, found: str) -> None:
    (fault,) = journal(text)
    assert (fault.code, fault.found, fault.line) == ("title-line", found, 1)


def test_a_file_without_a_day_in_its_name_needs_no_title_with_one() -> None:
    assert journal("anything", path="alpha/journal/2026-11/notes.md") == []


@pytest.mark.parametrize(
    ("item", "file"),
    [
        ("feedback_a_rule.md — the rule", "alpha/memory/feedback_a_rule.md"),
        ("`feedback_a_rule.md`", "alpha/memory/feedback_a_rule.md"),
        ("[Rule](../../memory/feedback_a_rule.md) — it", "alpha/memory/feedback_a_rule.md"),
        ("[[feedback_a_rule]]", "alpha/memory/feedback_a_rule.md"),
        ("[[feedback_a_rule.md|Rule]]", "alpha/memory/feedback_a_rule.md"),
        ("memory/feedback_a_rule.md", "alpha/memory/feedback_a_rule.md"),
        ("./wiki/debt_methods.md: updated", "alpha/wiki/debt_methods.md"),
        ("alpha/memory/feedback_a_rule.md", "alpha/memory/feedback_a_rule.md"),
        ("a note.md in memory/sub/feedback_a_rule.md", "alpha/memory/note.md"),
    ],
)
def test_what_is_captured_is_found_however_it_is_named(item: str, file: str) -> None:
    text = f"{TITLE}## Captured to memory\n\n- {item}\n"
    assert journal(text, file) == []
    (fault,) = journal(text)
    assert (fault.code, fault.line) == ("journal-capture", 4)


@pytest.mark.parametrize(
    "item", ["nothing", "the rule about dates", "https://example.org/x.md", "![[image.png]]"]
)
def test_an_item_that_names_no_note_is_no_capture(item: str) -> None:
    assert journal(f"{TITLE}## Captured to memory\n\n- {item}\n") == []


def test_only_the_section_of_captures_is_read() -> None:
    text = f"{TITLE}## What happened\n\n- read gone.md\n\n## Captured to memory\n\nprose gone.md\n\n## Open\n\n- gone.md\n"
    assert journal(text) == []


def test_many_missing_captures_of_one_entry_are_told_up_to_fifty() -> None:
    items = "".join(f"- feedback_{number}_rule.md\n" for number in range(80))
    assert len(journal(f"{TITLE}## Captured to memory\n\n{items}")) == 50
