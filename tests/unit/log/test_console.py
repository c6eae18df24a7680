"""Lines for people: what happened first, what to do about it below, in any width (contract section 10)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import atomic_agents
from atomic_agents.log import Event, console_line
from atomic_agents.log.live import Live
from atomic_agents.log.words import SAYINGS
from atomic_agents.log.wrapping import cells, wrap

PROBLEM = {
    "code": "field-enum", "field": "confidence", "line": 10, "severity": "error", "found": '"sure"',
    "expected": "one of high, medium, low", "fix": "Write high, medium or low.",
}  # fmt: skip
HELD = {
    "ts": "2026-12-01T10:00:00+00:00", "level": "warning", "event": "unit.held", "vault": "v",
    "path": "fern/memory/feedback_one_task_first.md", "problems": [PROBLEM], "seconds": 9.5,
}  # fmt: skip


def record(event, level="info", **facts):
    return {"ts": "2026-12-01T10:00:00+00:00", "level": level, "event": event, "vault": "v", **facts}


def text(one, **options):
    return console_line(one, **({"colour": False} | options))


def test_a_line_says_what_happened_where_and_the_problem_with_its_line_and_fix_below():
    first, problem, fix = text(HELD).split("\n")
    assert first[8:] == (
        "  ! waiting     fern/memory/feedback_one_task_first.md"
        "  invalid; moved to quarantine in 9.5 s unless it is mended"
    )
    assert (
        problem.strip() == 'line 10  confidence: found "sure", expected one of high, medium, low (field-enum)'
    )
    assert fix.strip() == "fix: Write high, medium or low."


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_terminal_and_no_path_is_broken(width):
    lines = text(HELD, width=width).split("\n")
    assert all(cells(line) <= width for line in lines)
    assert any(HELD["path"] in line for line in lines)


def test_what_does_not_fit_beside_the_path_stands_below_it():
    first, said, *_ = text(HELD, width=80).split("\n")
    assert first.endswith("feedback_one_task_first.md")
    assert said.strip().startswith("invalid; moved")


def test_only_so_many_problems_are_shown_as_asked_for():
    shown = text(HELD | {"problems": [PROBLEM] * 5}, most=2)
    assert shown.count("fix: ") == 2
    assert shown.split("\n")[-1].strip() == "and 3 more: atomicd check"


def test_colours_touch_the_mark_and_the_word_alone():
    plain, coloured = text(HELD), text(HELD, colour=True)
    assert "\x1b[33m! waiting" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain


def test_a_changed_note_is_updated_and_a_new_one_indexed():
    assert "✓ indexed " in text(record("unit.indexed", path="a/x.md", change="new"))
    assert "✓ updated " in text(record("unit.indexed", path="a/x.md", change="changed"))


def test_the_end_of_an_incident_id_is_enough_for_the_command():
    blocked = record("unit.quarantined", "error", path="a/x.md", incident="20261201T100000Z_a_x_0123abcd")
    assert "kept: atomicd quarantine show 0123abcd" in text(blocked)


def test_a_reason_is_told_before_what_is_usual():
    mass = record(
        "unit.held", "warning", path="a/memory", reason="12 of 14 units are gone at once", seconds=30
    )
    assert "12 of 14 units are gone at once" in text(mass)
    assert "quarantine" not in text(mass)


def test_an_unknown_event_is_shown_with_all_that_it_says():
    shown = text(record("future.event", path="a/x.md", count=3, deep={"a": 1}))
    assert "future.event" in shown
    assert 'count=3  deep={"a": 1}' in shown


def test_an_event_without_its_facts_is_still_a_line():
    assert text(record("unit.renamed")).strip().endswith("renamed")


@given(
    st.sampled_from(list(Event)),
    st.dictionaries(
        st.sampled_from(["path", "reason", "problems", "ts", "incident", "seconds", "to", "level", "change"]),
        st.none() | st.text() | st.integers() | st.lists(st.text() | st.dictionaries(st.text(), st.text())),
    ),
    st.integers(min_value=0, max_value=120),
)
def test_any_record_gives_lines_that_cannot_steer_a_terminal(event, facts, width):
    shown = console_line({"event": event.value} | facts, colour=False, width=width)
    assert shown
    assert all(line.isprintable() for line in shown.replace("\u00a0", " ").replace("\u3000", " ").split("\n"))


def test_every_event_has_its_words():
    assert set(SAYINGS) == {event.value for event in Event}
    assert all(len(saying.word) <= 12 and saying.meaning.endswith(".") for saying in SAYINGS.values())


def test_the_templates_use_documented_facts_alone():
    for name, saying in SAYINGS.items():
        used = set(re.findall(r"\{(\w+)\}", "".join(saying.texts))) - {"short", "reason"}
        assert used <= set(saying.facts), name


def logged_facts():
    """Yield each event that the package logs with the keys that are written beside it."""
    for file in sorted(Path(atomic_agents.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _is_event(node.args[0]):
                keys = {keyword.arg for keyword in node.keywords if keyword.arg}
                facts = next((k.value for k in node.keywords if k.arg == "facts"), None)
                if isinstance(facts, ast.Dict):
                    keys = {key.value for key in facts.keys} | {"path"}
                yield Event[node.args[0].attr].value, keys - {"facts", "level"}, file.name


def _is_event(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Event"


def test_every_key_that_is_logged_with_an_event_is_documented():
    found = list(logged_facts())
    assert len({event for event, _, _ in found}) > 30
    for event, keys, file in found:
        undocumented = keys - set(SAYINGS[event].facts)
        assert not undocumented, f"{event} in {file}: {undocumented}; add them to log/words.py"


@given(st.text(alphabet="ab 漢é\u0301", max_size=60), st.integers(min_value=8, max_value=40))
def test_wrapping_keeps_every_word_and_the_width(words, width):
    lines = wrap(words, width, first="> ", rest="  ")
    assert " ".join(line[2:] for line in lines) == words
    assert all(cells(line) <= width or " " not in line[2:] for line in lines)


def test_wide_letters_take_two_columns_and_combining_marks_none():
    assert cells("漢字") == 4
    assert cells("e\u0301") == 1


def at_start(*records, colour=False):
    live = Live(colour=colour)
    return [live.show(one) for one in (record("daemon.started", root="/v", log="/l"), *records)]


def indexed(number, **facts):
    return record("unit.indexed", path=f"a/memory/{number}.md", change="new", **facts)


def test_the_first_lines_tell_what_is_watched_and_where_the_log_is():
    (first,) = at_start()
    assert "watching    /v" in first
    assert "log: /l" in first
    assert "Ctrl-C stops" in first


def test_a_first_sweep_over_many_notes_does_not_flood_the_screen():
    shown = at_start(*(indexed(number) for number in range(500)), record("daemon.ready", units=500))
    assert sum(bool(one) for one in shown) == 1 + 8 + 1
    assert "… and 492 more indexed" in shown[-1]
    assert "500 notes and pages" in shown[-1]


def test_what_is_adopted_is_named_without_its_problems_and_summed_up_before_the_vault_is_told():
    adopted = [
        record("unit.adopted", "warning", path=f"a/memory/{n}.md", problems=[PROBLEM]) for n in range(12)
    ]
    vault = record("vault.adopted", units=12, adopted=12, hint="`atomicd lint` lists what is invalid")
    shown = at_start(*adopted, vault)
    assert "field-enum" not in "".join(shown)
    assert shown[1].split()[1:] == ["!", "adopted", "a/memory/0.md"]
    assert shown[-1].index("4 more adopted") < shown[-1].index("12 of 12 notes and pages are invalid")


def test_warnings_of_the_start_are_counted_and_the_command_that_shows_them_is_named():
    shown = at_start(indexed(1, problems=[PROBLEM, PROBLEM]), record("daemon.ready", units=1))
    assert "field-enum" not in "".join(shown)
    assert "2 warnings; atomicd lint shows them" in shown[-1]


def test_after_the_start_every_note_is_shown_with_its_problems():
    shown = at_start(record("daemon.ready", units=0), *(indexed(n, problems=[PROBLEM]) for n in range(20)))
    assert all("field-enum" in one for one in shown[2:])


@pytest.mark.parametrize("reason", ["interval", "start; sync"])
def test_a_routine_sweep_is_not_shown(reason):
    assert Live(colour=False).show(record("sweep.finished", reason=reason, changed=0, vanished=0)) == ""


def test_a_sweep_after_lost_events_is_shown():
    shown = Live(colour=False).show(
        record("sweep.finished", reason="events were lost", changed=3, vanished=1)
    )
    assert "· looked over events were lost: 3 changed, 1 gone" in shown


def test_the_end_is_told_once_unless_changes_are_left():
    live = Live(colour=False)
    assert live.show(record("daemon.stopping", queue=0)) == ""
    assert "2 changes are left" in live.show(record("daemon.stopping", queue=2))
    assert "stopped" in live.show(record("daemon.stopped"))
