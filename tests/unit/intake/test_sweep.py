"""What a sweep has to look at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.intake.sweep import compare, has_changed, is_hot
from atomic_agents.model import Stamp
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Found, Survey

LAYOUT = Layout()
LONG_AGO = 1_000_000_000
READ_AT = LONG_AGO + 1000.0
STAMP = Stamp(5, LONG_AGO * 10**9, LONG_AGO * 10**9, 7, 1)


def found(path: str, stamp: Stamp = STAMP) -> Found:
    return Found(LAYOUT.place(path), stamp)


def test_a_file_that_looks_as_it_did_is_not_looked_at() -> None:
    difference = compare([found("a/memory/x.md")], {"a/memory/x.md": (STAMP, READ_AT)}, Survey())
    assert difference == compare([], {}, Survey())


def test_a_file_that_is_not_known_is_changed() -> None:
    item = found("a/memory/x.md")
    assert compare([item], {}, Survey()).changed == (item,)


@pytest.mark.parametrize("part", ["size", "mtime_ns", "ctime_ns", "inode", "device"])
def test_each_part_of_the_stamp_counts(part: str) -> None:
    values = {name: getattr(STAMP, name) for name in ("size", "mtime_ns", "ctime_ns", "inode", "device")}
    other = Stamp(**{**values, part: values[part] - 1})
    assert compare([found("a/memory/x.md", other)], {"a/memory/x.md": (STAMP, READ_AT)}, Survey()).changed


def test_files_of_other_kinds_are_left_out_and_indexes_are_not() -> None:
    walked = [found("a/memory/INDEX.md"), found("a/raw/x.pdf"), found("a/tools.md"), found("a/memory/x.txt")]
    assert [item.place.path for item in compare(walked, {}, Survey()).changed] == ["a/memory/INDEX.md"]


@pytest.mark.parametrize(
    ("seconds", "again"), [(0, True), (1.9, True), (-1.9, True), (2.1, False), (-2.1, False)]
)
@pytest.mark.parametrize("clock", ["mtime_ns", "ctime_ns"])
def test_a_file_that_was_read_in_the_tick_of_its_change_is_read_again(
    seconds: float, again: bool, clock: str
) -> None:
    old = {"mtime_ns": LONG_AGO * 10**9, "ctime_ns": LONG_AGO * 10**9}
    stamp = Stamp(5, **{**old, clock: int((READ_AT - seconds) * 1e9)}, inode=7, device=1)
    assert has_changed(stamp, stamp, READ_AT) is again


def test_a_time_far_in_the_future_does_not_make_a_file_read_for_ever() -> None:
    stamp = Stamp(5, 4 * LONG_AGO * 10**9, LONG_AGO * 10**9, 7, 1)
    assert not has_changed(stamp, stamp, READ_AT)


def test_a_known_file_that_is_not_found_has_vanished() -> None:
    assert compare([], {"a/memory/x.md": (STAMP, READ_AT)}, Survey()).vanished == ("a/memory/x.md",)


def test_a_known_file_that_is_no_content_any_more_has_vanished() -> None:
    known = {"a/memory/x.md": (STAMP, READ_AT)}
    survey = Survey(odd={"a/memory/x.md": "FIFO"})
    assert compare([], known, survey).vanished == ("a/memory/x.md",)


@pytest.mark.parametrize("unreadable", ["", "a", "a/memory", "a/memory/x.md"])
def test_a_known_file_that_could_not_be_seen_is_unknown(unreadable: str) -> None:
    survey = Survey(unreadable={unreadable: PermissionError()})
    difference = compare([], {"a/memory/x.md": (STAMP, READ_AT), "b/memory/y.md": (STAMP, READ_AT)}, survey)
    assert "a/memory/x.md" in difference.unknown
    assert ("b/memory/y.md" in difference.vanished) is bool(unreadable)


def test_a_known_file_in_the_cloud_is_present() -> None:
    difference = compare([], {"a/memory/x.md": (STAMP, READ_AT)}, Survey(away={"a/memory/x.md"}))
    assert difference.away == ("a/memory/x.md",)
    assert difference.vanished == ()


def test_a_placeholder_beside_the_file_itself_changes_nothing() -> None:
    known = {"a/memory/x.md": (STAMP, READ_AT)}
    difference = compare([found("a/memory/x.md")], known, Survey(away={"a/memory/x.md"}))
    assert difference == compare([], {}, Survey())


def test_temporary_files_of_a_killed_daemon_are_named() -> None:
    left = "a/memory/.x.md.0a1b2c3d.atomicd.tmp"
    difference = compare([found(left), found("a/memory/.x.md.tmp")], {}, Survey())
    assert difference.leftovers == (left,)


def test_the_survey_is_asked_only_when_the_walk_is_over() -> None:
    survey = Survey()

    def walk():
        yield from ()
        survey.unreadable[""] = OSError()

    assert compare(walk(), {"a/memory/x.md": (STAMP, READ_AT)}, survey).unknown == ("a/memory/x.md",)


@pytest.mark.parametrize(
    ("age", "hot"), [(0.0, True), (0.4, True), (0.6, False), (3600.0, False), (-5.0, False)]
)
def test_a_file_written_just_now_is_hot(age: float, hot: bool) -> None:
    stamp = Stamp(5, LONG_AGO * 10**9, LONG_AGO * 10**9, 7, 1)
    assert is_hot(stamp, LONG_AGO + age, 0.5) is hot


def test_the_younger_of_the_two_times_decides_what_is_hot() -> None:
    assert is_hot(Stamp(5, 0, LONG_AGO * 10**9, 7, 1), LONG_AGO + 0.1, 0.5)


NAMES = st.sampled_from(["a", "b", "c", "d"])
STAMPS = st.integers(1, 2).map(lambda size: Stamp(size, LONG_AGO * 10**9, LONG_AGO * 10**9, 7, 1))


@given(st.dictionaries(NAMES, STAMPS), st.dictionaries(NAMES, STAMPS), st.sets(NAMES), st.sets(NAMES))
def test_every_path_is_told_exactly_as_it_must_be(now, then, away, unreadable) -> None:
    def path(name: str) -> str:
        return f"{name}/memory/x.md"

    walked = {name: stamp for name, stamp in now.items() if name not in away | unreadable}
    survey = Survey(away=set(map(path, away)), unreadable={name: OSError() for name in unreadable})
    known = {path(name): (stamp, READ_AT) for name, stamp in then.items()}
    result = compare([found(path(name), stamp) for name, stamp in walked.items()], known, survey)
    told = [item.place.path for item in result.changed]
    told += [*result.vanished, *result.unknown, *result.away]
    assert len(told) == len(set(told))
    same = {path(name) for name in walked if then.get(name) == walked[name]}
    assert set(told) | same == {path(name) for name in walked} | set(known)
    assert not set(told) & same
    assert not set(result.vanished) & {path(name) for name in away | unreadable}
