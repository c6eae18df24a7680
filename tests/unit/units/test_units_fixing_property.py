"""`fix` on notes with any faults: what it names is all that changes, and what it means stays what it was."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents._schema import SchemaSet
from atomic_agents.units import Limits
from atomic_agents.units.decoding import BOM
from atomic_agents.units.fixing import MENDED_WARNINGS, Fix, fix
from atomic_agents.units.fixing_draft import split_lines
from atomic_agents.units.frontmatter import read
from atomic_agents.vault.kinds import Layout
from unit.units.samples import NOTE, NOTE_PATH, TODAY, note

SIGNS = "abc :#-'\"[]{}&*!|>%@`,?\\\t.~éあ"
LINES = st.one_of(
    st.text(SIGNS, max_size=12),
    st.sampled_from(
        [
            "---", "----", "...", " ---", "", "# Title", "Body.", "- item", "name: again", "Note: so", "  text: a: b",
            "\t- tab", "tags: [a, b] c", "description: |", "metadata:", "  type: feedback", "captured: 2026-5-6",
            "last_seen: 2026-05-06T10:00:00Z", 'schema_version: "1"', "expires_at: 2026-02-30", "x: &a b", "y: *a",
            "description: Rule: X", "name: use #tag", "sources:", "  - @sam", 'q: "open', "z: 'a' b # c",
        ]
    ),
)  # fmt: skip
VALUES = st.text(SIGNS + "defgh 0123456789", min_size=1, max_size=30)


def mended(data: bytes) -> Fix:
    limits = Limits(stale_days=9999)
    place = Layout().place(NOTE_PATH)
    return fix(place, data, schemas=SchemaSet.packaged(), today=TODAY, limits=limits)


@st.composite
def notes(draw: st.DrawFn) -> bytes:
    """A note of which some lines went, came, or were written otherwise."""
    changes = draw(st.dictionaries(st.sampled_from(sorted(NOTE)), st.one_of(st.none(), VALUES), max_size=3))
    lines = note(**changes).decode().split("\n")
    for _ in range(draw(st.integers(0, 4))):
        position = draw(st.integers(0, len(lines)))
        length = draw(st.integers(0, 1))
        lines[position : position + length] = draw(st.lists(LINES, max_size=2))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from([b"", b"", BOM])) + newline.join(lines).encode()


def runs_of_unnamed_lines(lines: list[str], result: Fix) -> list[list[str]]:
    """Return the former lines that no mend names, run by run."""
    named = {line for mend in result.mends for line in range(mend.first, mend.last + 1)}
    numbered = list(enumerate(lines, 1))
    grouped = itertools.groupby(numbered, key=lambda pair: pair[0] in named)
    return [[line for _, line in group] for is_named, group in grouped if not is_named]


def holds_in_order(lines: list[str], runs: list[list[str]]) -> bool:
    position = 0
    for run in runs:
        starts = range(position, len(lines) - len(run) + 1)
        start = next((start for start in starts if lines[start : start + len(run)] == run), None)
        if start is None:
            return False
        position = start + len(run)
    return True


@given(notes())
def test_lines_that_no_mend_names_stay_byte_for_byte_and_in_order(data: bytes) -> None:
    result = mended(data)
    before = split_lines(data.decode())
    after = split_lines(result.data.decode())
    runs = runs_of_unnamed_lines(before, result)
    assert holds_in_order(after, runs)
    named = {line for mend in result.mends for line in range(mend.first, mend.last + 1)}
    if before and 1 not in named:
        assert after[: len(runs[0])] == runs[0]
    if before and len(before) not in named and len(before) + 1 not in named:
        assert after[-len(runs[-1]) :] == runs[-1]


@given(notes())
def test_a_file_without_faults_that_are_mended_is_left_as_it_is(data: bytes) -> None:
    result = mended(data)
    if result.before.is_valid and not MENDED_WARNINGS & {each.code for each in result.before.problems}:
        assert result.data == data
    assert bool(result.mends) == (result.data != data)


@given(notes())
def test_a_valid_file_stays_valid_and_fields_that_were_not_mended_say_the_same(data: bytes) -> None:
    result = mended(data)
    was, now = read(data), read(result.data)
    if was.meta is None:
        return
    touched = {mend.field for mend in result.mends}
    assert now.meta is not None
    assert now.body == was.body
    assert {key: now.meta[key] for key in was.meta if key not in touched} == {
        key: value for key, value in was.meta.items() if key not in touched
    }
    assert not (result.before.is_valid and not result.after.is_valid)


@given(notes())
def test_mending_twice_is_mending_once(data: bytes) -> None:
    once = mended(data)
    twice = mended(once.data)
    assert twice.data == once.data
    assert not twice.mends


@given(notes())
def test_what_is_said_to_be_mended_is_gone(data: bytes) -> None:
    result = mended(data)
    for mend in result.mends:
        if mend.code in {"yaml-syntax", "frontmatter-missing", "frontmatter-unclosed", "bom"}:
            assert mend.code not in {each.code for each in result.after.problems}
        elif mend.code != "yaml-comment-cut":
            assert (mend.code, mend.field) not in {(each.code, each.field) for each in result.after.problems}


@given(VALUES)
def test_a_value_that_was_put_in_quotes_reads_as_it_stood(value: str) -> None:
    data = note(description=value)
    result = mended(data)
    if result.mends:
        text = str(read(result.data).values["description"])
        line = data.decode().split("\n")[3].removeprefix("description: ").strip()
        assert line.startswith(text)
        assert line.removeprefix(text).lstrip()[:1] in {"", "#"}


@given(st.text())
def test_any_text_is_taken_without_failing(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert mended(data).data == data.removeprefix(BOM)
