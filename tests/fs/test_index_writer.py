"""Index files are written only over what was read, and broken ones are set aside ([INDEX-4], case IX13)."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from functools import partial

import pytest

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index import writer
from atomic_agents.index.damage import Damage
from atomic_agents.index.merge import Scope
from atomic_agents.index.plan import plan_layer
from atomic_agents.index.wanted import Role, Wanted
from atomic_agents.index.writer import index_names, update_layer

A = Wanted("feedback_a.md", "A", "text a", Role.FEEDBACK, Role.FEEDBACK)
B = Wanted("feedback_b.md", "B", "text b", Role.FEEDBACK, Role.FEEDBACK)
SCOPE = Scope("alpha/memory", "memory", "Alpha")
TEXT = "# Mine\n\n## Critical Feedback\n\n- [A](feedback_a.md) — by hand\n"


@pytest.fixture
def layer(tmp_path):
    folder = tmp_path / "alpha" / "memory"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def update(tmp_path):
    aside = tmp_path / "aside"

    def set_aside(broken):
        (tmp_path / broken.path).rename(aside)

    def run(*wanted, remembered=None, last_good=None, scope=SCOPE, repairs=False):
        return update_layer(
            tmp_path,
            scope,
            wanted,
            remembered or {},
            last_good=last_good or {},
            set_aside=set_aside,
            repairs=repairs,
            intend=lambda after: run.intended.append((after, (tmp_path / "alpha/memory/INDEX.md").exists())),
        )

    run.aside, run.intended = aside, []
    return run


def index(layer):
    return (layer / "INDEX.md").read_text("utf-8")


def test_a_missing_index_is_made(layer, update):
    updated = update(A)
    assert "- [A](feedback_a.md) — text a\n" in index(layer)
    assert [one.path for one in updated.written] == ["alpha/memory/INDEX.md"]
    assert updated.written[0].data == index(layer).encode()
    assert updated.written[0].status.st_ino == (layer / "INDEX.md").stat().st_ino
    assert set(updated.remembered) == {"feedback_a.md"}
    assert update.intended == [(updated.remembered, False)]


def test_an_index_that_needs_nothing_is_not_written(layer, update):
    (layer / "INDEX.md").write_text(TEXT)
    before = (layer / "INDEX.md").stat()
    updated = update(A)
    assert updated.written == ()
    assert updated.read == {"alpha/memory/INDEX.md": TEXT.encode()}
    assert (layer / "INDEX.md").stat() == before
    assert update.intended == []


def test_mode_survives_a_write(layer, update):
    (layer / "INDEX.md").write_text(TEXT)
    (layer / "INDEX.md").chmod(0o640)
    update(A, B)
    assert (layer / "INDEX.md").stat().st_mode & 0o777 == 0o640


def test_a_line_that_came_between_reading_and_writing_is_kept(layer, update, monkeypatch):
    (layer / "INDEX.md").write_text(TEXT)
    lines = iter(["one", "two"])
    merge = writer.merge_step

    def merge_while_somebody_writes(*arguments):
        merged = merge(*arguments)
        for line in list(lines)[:1] if merged.files else ():
            (layer / "new").write_text(f"{index(layer)}{line}\n")
            os.replace(layer / "new", layer / "INDEX.md")
        return merged

    monkeypatch.setattr(writer, "merge_step", merge_while_somebody_writes)
    updated = update(A, B)
    assert not updated.gave_up
    assert index(layer) == TEXT + "one\n- [B](feedback_b.md) — text b\n"


def test_a_file_that_is_written_again_and_again_is_left_for_later(layer, update, monkeypatch):
    (layer / "INDEX.md").write_text(TEXT)
    merge = writer.merge_step
    tries = []

    def merge_while_somebody_writes(*arguments):
        tries.append(1)
        (layer / "INDEX.md").write_text(f"{index(layer)}line {len(tries)}\n")
        return merge(*arguments)

    monkeypatch.setattr(writer, "merge_step", merge_while_somebody_writes)
    updated = update(A, B)
    assert updated.gave_up
    assert updated.written == ()
    assert updated.remembered == {}
    assert len(tries) == writer.TRIES
    assert index(layer) == TEXT + "".join(f"line {number}\n" for number in range(1, writer.TRIES + 1))


def test_an_index_that_appears_while_it_is_made_is_merged_into(layer, update, monkeypatch):
    merge = writer.merge_step

    def merge_while_somebody_writes(*arguments):
        merged = merge(*arguments)
        if not (layer / "INDEX.md").exists():
            (layer / "INDEX.md").write_text(TEXT)
        return merged

    monkeypatch.setattr(writer, "merge_step", merge_while_somebody_writes)
    update(A, B)
    assert index(layer) == TEXT + "- [B](feedback_b.md) — text b\n"


@pytest.mark.parametrize(
    ("data", "damage"),
    [(b"\0" * 50, Damage.NUL_BYTES), (b"\n", Damage.EMPTIED), (TEXT.encode()[:40], Damage.TRUNCATED)],
)
def test_a_broken_index_is_set_aside_and_rebuilt_from_its_last_good_version(layer, update, data, damage):
    (layer / "INDEX.md").write_bytes(data)
    updated = update(A, B, last_good={"alpha/memory/INDEX.md": TEXT.encode()})
    assert index(layer) == TEXT + "- [B](feedback_b.md) — text b\n"
    assert update.aside.read_bytes() == data
    assert [(one.path, one.damage, one.reading.data) for one in updated.broken] == [
        ("alpha/memory/INDEX.md", damage, data)
    ]


def test_a_deleted_index_comes_back_with_its_prose_and_hand_edits(layer, update):
    update(A, last_good={"alpha/memory/INDEX.md": TEXT.encode()})
    assert index(layer) == TEXT


def test_a_deleted_index_of_a_layer_without_units_stays_deleted(layer, update):
    assert update(last_good={"alpha/memory/INDEX.md": TEXT.encode()}).written == ()
    assert list(layer.iterdir()) == []


def test_an_index_in_an_older_encoding_is_set_aside_and_kept_as_utf8(layer, update):
    data = b"# caf\xe9 index\n- [x](feedback_a.md) \x97 y\n"
    (layer / "INDEX.md").write_bytes(data)
    update(A)
    assert index(layer) == "# café index\n- [x](feedback_a.md) — y\n"
    assert update.aside.read_bytes() == data


def test_an_index_that_is_no_text_and_has_no_history_is_made_anew(layer, update):
    (layer / "INDEX.md").write_bytes(b"\0\1\2")
    update(A)
    assert index(layer).startswith("# Alpha — Memory Index\n")
    assert update.aside.read_bytes() == b"\0\1\2"


@pytest.mark.parametrize(
    "make", [os.mkdir, os.mkfifo, partial(os.symlink, "/etc/hostname")], ids=["folder", "fifo", "link out"]
)
def test_an_index_that_is_no_regular_file_of_the_vault_is_left_alone(layer, update, make):
    make(layer / "INDEX.md")
    updated = update(A)
    assert updated.written == ()
    assert [notice.what for notice in updated.notices] == ["unreadable"]


def test_a_link_inside_the_vault_is_followed(layer, update):
    real = layer.parent / "index-kept-here.md"
    real.write_text(TEXT)
    (layer / "INDEX.md").symlink_to("../index-kept-here.md")
    update(A, B)
    assert (layer / "INDEX.md").is_symlink()
    assert real.read_text() == TEXT + "- [B](feedback_b.md) — text b\n"


def test_a_layer_whose_folder_is_gone_is_not_made_again(tmp_path, update):
    assert update(A).written == ()
    assert list(tmp_path.iterdir()) == []


def test_units_linked_from_a_sub_index_are_indexed(layer, update):
    (layer / "INDEX.md").write_text(TEXT)
    (layer / "INDEX_own.md").write_text("- [B](feedback_b.md) — text b\n")
    assert update(A, B).written == ()


def test_the_index_files_of_a_layer_are_found_at_any_depth(tmp_path, layer):
    for name in (
        "INDEX.md",
        "INDEX_a.md",
        "sub/INDEX.md",
        "_x/INDEX.md",
        ".git/INDEX.md",
        "x.md",
        "INDEX.md~",
    ):
        (layer / name).parent.mkdir(exist_ok=True)
        (layer / name).touch()
    assert sorted(index_names(tmp_path, "alpha/memory")) == ["INDEX.md", "INDEX_a.md", "sub/INDEX.md"]


CONFLICT = TEXT + "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> theirs\n"


def test_conflict_markers_are_left_alone_and_told(layer, update):
    (layer / "INDEX.md").write_text(CONFLICT)
    updated = update(A, B, last_good={"alpha/memory/INDEX.md": TEXT.encode()})
    assert index(layer) == CONFLICT.replace("by hand\n", "by hand\n- [B](feedback_b.md) — text b\n")
    assert [notice.what for notice in updated.notices] == ["conflict"]
    assert updated.conflicted == {"alpha/memory/INDEX.md"}


def test_a_repair_puts_the_last_good_version_in_the_place_of_conflict_markers(layer, update):
    (layer / "INDEX.md").write_text(CONFLICT)
    updated = update(A, B, last_good={"alpha/memory/INDEX.md": TEXT.encode()}, repairs=True)
    assert index(layer) == TEXT + "- [B](feedback_b.md) — text b\n"
    assert update.aside.read_text() == CONFLICT
    assert [one.damage for one in updated.broken] == [Damage.CONFLICT]


def many(count):
    return [
        Wanted(f"feedback_{number:03}.md", f"N{number}", "text", Role.FEEDBACK, Role.FEEDBACK)
        for number in range(count)
    ]


def test_a_long_index_is_split_and_the_sub_index_is_written_first(layer, update):
    updated = update(*many(130))
    assert [one.path for one in updated.written] == ["alpha/memory/INDEX.md"]
    updated = update(*many(140), remembered=updated.remembered)
    assert [one.path for one in updated.written] == [
        "alpha/memory/INDEX_feedback.md",
        "alpha/memory/INDEX.md",
    ]
    assert updated.split == ("alpha/memory/INDEX_feedback.md",)


def test_a_lost_sub_index_comes_back_with_its_prose(layer, update):
    remembered = update(*many(140)).remembered
    sub = layer / "INDEX_feedback.md"
    sub.write_text(sub.read_text() + "\nProse of mine.\n")
    last_good = {f"alpha/memory/{path.name}": path.read_bytes() for path in layer.iterdir()}
    sub.unlink()
    update(*many(140), remembered=remembered, last_good=last_good)
    assert sub.read_bytes() == last_good["alpha/memory/INDEX_feedback.md"]


def test_a_sub_index_that_is_no_file_holds_nothing_up(layer, update):
    (layer / "INDEX.md").write_text(TEXT)
    (layer / "INDEX_x.md").mkdir()
    updated = update(A, B)
    assert index(layer) == TEXT + "- [B](feedback_b.md) — text b\n"
    assert [(notice.what, notice.file) for notice in updated.notices] == [("unreadable", "INDEX_x.md")]


def test_a_plan_tells_what_would_be_written_and_touches_nothing(tmp_path, layer, update):
    (layer / "INDEX.md").write_text(CONFLICT)
    plan = plan_layer(tmp_path, SCOPE, [A, B], {}, last_good={"alpha/memory/INDEX.md": TEXT.encode()})
    assert plan.before == {"alpha/memory/INDEX.md": CONFLICT.encode()}
    assert plan.after == {"alpha/memory/INDEX.md": (TEXT + "- [B](feedback_b.md) — text b\n").encode()}
    assert plan.lost == ()
    assert [one.damage for one in plan.broken] == [Damage.CONFLICT]
    assert index(layer) == CONFLICT
    update(A, B, last_good={"alpha/memory/INDEX.md": TEXT.encode()}, repairs=True)
    assert index(layer).encode() == plan.after["alpha/memory/INDEX.md"]
    assert plan_layer(tmp_path, SCOPE, [A, B], {}, last_good={}).after == {}


def test_a_plan_for_an_index_that_cannot_be_read_says_so(tmp_path, layer):
    (layer / "INDEX.md").mkdir()
    plan = plan_layer(tmp_path, SCOPE, [A], {}, last_good={})
    assert plan.after == {}
    assert list(plan.unreadable) == ["alpha/memory/INDEX.md"]


class Killed(BaseException):
    """The process ends between two writes."""


@pytest.fixture
def kill_after(monkeypatch):
    """Let only so many writes happen, then end."""
    replace_file, create_file = writer.replace_file, writer.create_file
    left = [0]

    def count(write):
        def counted(*arguments, **options):
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return write(*arguments, **options)

        return counted

    def arm(number):
        left[0] = number
        monkeypatch.setattr(writer, "replace_file", count(replace_file))
        monkeypatch.setattr(writer, "create_file", count(create_file))

    def disarm():
        monkeypatch.setattr(writer, "replace_file", replace_file)
        monkeypatch.setattr(writer, "create_file", create_file)

    arm.disarm = disarm
    return arm


def files_of(layer):
    return {path.name: path.read_text("utf-8") for path in sorted(layer.glob("INDEX*.md"))}


def targets(layer):
    return sorted(re.findall(r"\]\((feedback_[^)]*)\)", "".join(files_of(layer).values())))


@pytest.mark.parametrize("writes", range(9))
def test_a_kill_between_any_two_writes_of_a_split_leaves_every_unit_once(layer, update, kill_after, writes):
    scope = dataclasses.replace(SCOPE, settings=Settings(max_lines=30))
    (layer / "INDEX.md").write_text(TEXT + "\nProse of mine.\n")
    remembered = update(A, scope=dataclasses.replace(SCOPE, settings=Settings(split="never"))).remembered
    wanted = [
        A._replace(title="Changed"),
        *(one._replace(file=f"feedback_{chr(97 + n % 26)}_{n}.md") for n, one in enumerate(many(60))),
    ]
    kill_after(writes)
    with contextlib.suppress(Killed):
        update(*wanted, remembered=remembered, scope=scope)
    kill_after.disarm()
    lines = {line for text in files_of(layer).values() for line in text.split("\n")}
    intended = update.intended[-1][0]
    remembered = {**remembered, **{file: one for file, one in intended.items() if one.line in lines}}
    wanted[5] = wanted[5]._replace(hook="changed meanwhile")
    remembered = update(*wanted, remembered=remembered, scope=scope).remembered
    assert targets(layer) == sorted(want.file for want in wanted)
    text = "".join(files_of(layer).values())
    assert text.count("by hand") == 1
    assert text.count("Prose of mine.") == 1
    assert text.count("changed meanwhile") == 1
    assert "[Changed](feedback_a.md)" in text
    assert update(*wanted, remembered=remembered, scope=scope).written == ()
