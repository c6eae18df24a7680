"""A broken INDEX.md is told from a changed one ([INDEX-4], cases ED11 and IX17)."""

from __future__ import annotations

import pytest

from atomic_agents.index.damage import Damage, damaged, has_conflict, is_good, salvage

GOOD = "# M\n\n- [A](feedback_a.md) — a\n".encode()


@pytest.mark.parametrize(
    ("data", "damage"),
    [
        (GOOD, None),
        (GOOD + b"more\n", None),
        (b"\0" * len(GOOD), Damage.NUL_BYTES),
        (GOOD[:9] + b"\0" * 9, Damage.NUL_BYTES),
        ("# M\n".encode("utf-16"), Damage.NUL_BYTES),
        (b"# caf\xe9\n", Damage.NOT_UTF8),
        (GOOD[:-2], Damage.TRUNCATED),
        (b"# M\n\n- [A](feed", Damage.TRUNCATED),
        (b"# M\n", None),
        (b"# M\n\n", None),
        (GOOD[:-1], None),
        (b"# N\n\n- [A](feed", None),
        (b"", Damage.EMPTIED),
        (b"\xef\xbb\xbf \r\n\n", Damage.EMPTIED),
    ],
)
def test_damage_is_told_by_the_bytes_and_the_last_good_version(data, damage):
    assert damaged(data, GOOD) == damage


@pytest.mark.parametrize("data", [b"", GOOD, GOOD[:-2]])
@pytest.mark.parametrize("last_good", [None, b"", b"\xef\xbb\xbf\n"])
def test_without_a_last_good_version_only_the_bytes_tell(data, last_good):
    assert damaged(data, last_good) is None


def test_an_older_encoding_is_read_line_by_line():
    data = b"# caf\xe9 index\r\n- [x](feedback_seed_rule.md) \x97 y\n" + "é\n".encode()
    assert salvage(data) == "# café index\r\n- [x](feedback_seed_rule.md) — y\né\n".encode()


@pytest.mark.parametrize("data", [b"\0\0\0", b"a\x01b", bytes(range(256))])
def test_what_is_no_text_is_not_salvaged(data):
    assert salvage(data) is None


MARKERS = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("data", "conflict"),
    [
        (MARKERS, True),
        (b"# M\n\n" + MARKERS, True),
        (b"```\n" + MARKERS + b"```\n", False),
        (b"<<<<<<< HEAD\na\n=======\n", False),
        (b"a <<<<<<< b\n", False),
    ],
)
def test_conflict_markers_count_when_all_three_are_there_outside_of_code(data, conflict):
    assert has_conflict(data) == conflict
    assert is_good(data) != conflict


@pytest.mark.parametrize("data", [b"\0", b"\xff"])
def test_broken_bytes_are_no_good_version(data):
    assert not is_good(data)
