"""A kill between any two steps is finished at the next start, and no byte is lost (contract [Q-1], [D-5])."""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from atomic_agents import _io
from atomic_agents._files import move
from atomic_agents.exceptions import FileChangedError
from atomic_agents.model import Kind, Place, Problem, Verdict
from atomic_agents.quarantine import Good, Incidents, is_unfinished, recover, take
from atomic_agents.quarantine.dropping import drop
from atomic_agents.quarantine.incidents import REPORT
from atomic_agents.quarantine.noticing import settle_notice
from atomic_agents.quarantine.returning import give_back, put_mended
from fakes.faults import KilledError, death

NOW = 1_780_000_000.0
PATH = "alpha/memory/feedback_x_rule.md"
BAD, GOOD_BYTES, NEWER = b"bad\n", b"good\n", b"newer\n"
GOOD = Good(GOOD_BYTES, hashlib.sha256(GOOD_BYTES).hexdigest())


def verdict(data=BAD):
    problem = Problem(PATH, "field-missing", "error", "nothing", "a type", "Add it.", field="type", line=2)
    place = Place(PATH, Kind.NOTE, "alpha", "memory", "feedback_x_rule.md")
    return Verdict(place, hashlib.sha256(data).hexdigest(), (problem,))


def put(root, data=BAD):
    (root / PATH).parent.mkdir(parents=True, exist_ok=True)
    (root / PATH).write_bytes(data)


def take_it(root, good=GOOD):
    return take(Incidents(root), root, verdict(), good, NOW).incident


def contents(root):
    return {path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != REPORT}


def start(root):
    """Do what a start does: finish what is half done, then sweep."""
    incidents = Incidents(root)
    recover(incidents, root, lambda _: GOOD, NOW)
    assert not is_unfinished(incidents, NOW)
    for path in list((root / "alpha").rglob("*")):
        _io.remove_leftover(path, NOW)
    left = [path for path in root.rglob("*") if _io.TEMPORARY.match(path.name)]
    assert left == []
    return incidents


def kill_everywhere(tmp_path, monkeypatch, prepare, act, *, least):
    """Yield a vault for each step at which `act` can be killed, after the next start."""
    counting = tmp_path / "count"
    prepare(counting)
    with death(monkeypatch, None) as fate:
        act(counting)
    assert fate.steps >= least
    for at in range(1, fate.steps + 1):
        root = tmp_path / f"kill{at}"
        prepare(root)
        with death(monkeypatch, at), pytest.raises(KilledError):
            act(root)
        yield at, root, start(root)


@pytest.fixture(params=["one file system", "two file systems", "no exclusive rename", "no hard links"])
def disk(request, monkeypatch):
    """Let the move go the ways that different disks need."""

    def other_disk(*_args):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    def no_links(*_args, **_options):
        raise OSError(errno.EPERM, "Operation not permitted")

    if request.param == "two file systems":
        monkeypatch.setattr(move, "rename_exclusively", other_disk)
    elif request.param == "no exclusive rename":
        monkeypatch.setattr(move, "rename_exclusively", lambda *_: False)
    elif request.param == "no hard links":
        monkeypatch.setattr(os, "link", no_links)
    return request.param


@pytest.mark.parametrize("again", [False, True], ids=["first", "repeated"])
def test_a_killed_move_is_finished(tmp_path, monkeypatch, disk, again):
    def prepare(root):
        put(root)
        if again:
            take_it(root)
            put(root)

    for at, root, incidents in kill_everywhere(tmp_path, monkeypatch, prepare, take_it, least=9):
        assert BAD in contents(root), f"step {at}: bytes lost"
        if disk == "no hard links" and (root / PATH).exists() and not (root / PATH).read_bytes():
            (root / PATH).unlink()  # the name was taken, the content not there yet: an invalid file as any
            continue
        if (root / PATH).exists() and (root / PATH).read_bytes() == BAD:
            take(incidents, root, verdict(), GOOD, NOW)
        assert (root / PATH).read_bytes() == GOOD_BYTES, f"step {at}: not put back"
        (incident,) = incidents.all()
        assert incident.step == "done"
        assert again or incident.occurrences == 1, f"step {at}: one write is told as two"
        assert incidents.file_of(incident).read_bytes() == BAD, f"step {at}"
        assert (root / PATH).stat().st_nlink == 1
        assert sorted(path.name for path in (incidents.folder / incident.id).iterdir()) == [
            "feedback_x_rule.md", REPORT,
        ]  # fmt: skip


def test_a_write_that_comes_between_a_kill_and_the_next_start_is_kept(tmp_path, monkeypatch):
    def prepare(root):
        put(root)

    counting = tmp_path / "count"
    prepare(counting)
    with death(monkeypatch, None) as fate:
        take_it(counting)
    for at in range(1, fate.steps + 1):
        root = tmp_path / f"kill{at}"
        prepare(root)
        with death(monkeypatch, at), pytest.raises(KilledError):
            take_it(root)
        (root / PATH).unlink(missing_ok=True)
        put(root, NEWER)
        start(root)
        assert (root / PATH).read_bytes() == NEWER, f"step {at}"


def test_other_bytes_that_a_kill_left_aside_return_or_are_kept_beside(tmp_path, monkeypatch):
    """Between the look and the move of a repetition the writer wrote anew; then came the kill."""
    for number, taken in enumerate((False, True)):
        root = tmp_path / f"{number}"
        put(root)
        incident = take_it(root)
        folder = root / "_quarantine" / incident.id
        (folder / ".again").write_bytes(NEWER)
        if not taken:
            (root / PATH).unlink()
        incidents = Incidents(root)
        incidents.write(replace(incident, step="moving"))
        start(root)
        assert NEWER in contents(root)
        assert ((root / PATH).read_bytes() == NEWER) is not taken
        assert not (folder / ".again").exists()


def test_a_killed_restore_can_be_given_again_and_loses_nothing(tmp_path, monkeypatch):
    def prepare(root):
        put(root)
        take_it(root)
        put(root, NEWER)

    def act(root):
        incidents = Incidents(root)
        give_back(incidents, root, incidents.all()[0], force=True)

    for at, root, incidents in kill_everywhere(tmp_path, monkeypatch, prepare, act, least=8):
        assert {BAD, NEWER} <= contents(root), f"step {at}"
        if not (root / PATH).exists() or (root / PATH).read_bytes() != BAD:
            act(root)
        assert (root / PATH).read_bytes() == BAD
        assert {BAD, NEWER} <= contents(root)
        (incident,) = incidents.all()
        assert (incident.state, incident.released) == ("solved", True)


def test_a_killed_retry_leaves_the_old_version_or_the_mended_one(tmp_path, monkeypatch):
    def prepare(root):
        put(root)
        take_it(root)

    def act(root):
        incidents = Incidents(root)
        put_mended(incidents, root, incidents.all()[0], b"mended\n")

    for at, root, incidents in kill_everywhere(tmp_path, monkeypatch, prepare, act, least=6):
        assert (root / PATH).read_bytes() in {GOOD_BYTES, b"mended\n"}, f"step {at}"
        assert incidents.file_of(incidents.all()[0]).read_bytes() == BAD


def test_a_killed_drop_is_done_or_not_begun(tmp_path, monkeypatch):
    def prepare(root):
        put(root)
        take_it(root)

    def act(root):
        incidents = Incidents(root)
        drop(incidents, incidents.all()[0])

    seen = set()
    for _at, root, incidents in kill_everywhere(tmp_path, monkeypatch, prepare, act, least=4):
        seen.add(len(list((root / "_quarantine").iterdir())))
        assert len(incidents.all()) == len(list((root / "_quarantine").iterdir()))
    assert seen == {0, 1}


def test_a_killed_page_for_the_agent_is_the_old_one_or_the_new_one(tmp_path, monkeypatch):
    def prepare(root):
        put(root)
        take_it(root)
        act(root)
        (root / PATH).write_bytes(b"worse\n")
        take(Incidents(root), root, verdict(b"worse\n"), GOOD, NOW + 1)

    def act(root):
        incidents = Incidents(root).open_by_agent().get("alpha", [])
        settle_notice(root, "alpha", incidents, lambda *_: None)

    for at, root, _incidents in kill_everywhere(tmp_path, monkeypatch, prepare, act, least=4):
        text = (root / "alpha/QUARANTINED.md").read_text()
        assert text.startswith("<!-- atomicd "), f"step {at}"
        assert text.count("## ") in {1, 2}


def test_a_move_to_another_disk_that_came_out_wrong_leaves_the_original(tmp_path, monkeypatch):
    def other_disk(*_args):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    real = os.read

    def flip(handle, size):
        data = real(handle, size)
        if "atomicd.tmp" in str(Path(f"/proc/self/fd/{handle}").readlink()):
            data = data.replace(b"a", b"A")
        return data

    root = tmp_path / "vault"
    put(root)
    monkeypatch.setattr(move, "rename_exclusively", other_disk)
    with monkeypatch.context() as patch:
        patch.setattr(os, "read", flip)
        with pytest.raises(FileChangedError):
            take_it(root)
    assert (root / PATH).read_bytes() == BAD
    assert list((root / "_quarantine").iterdir()) == []


def test_a_file_that_is_written_to_while_it_is_copied_stays_and_the_copy_is_an_incident(
    tmp_path, monkeypatch
):
    def other_disk(*_args):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    root = tmp_path / "vault"
    put(root)
    monkeypatch.setattr(move, "rename_exclusively", other_disk)
    real = move.link_in

    def write_meanwhile(source, target):
        (root / PATH).write_bytes(NEWER)
        return real(source, target)

    monkeypatch.setattr(move, "link_in", write_meanwhile)
    with pytest.raises(FileChangedError):
        take_it(root)
    assert (root / PATH).read_bytes() == NEWER
    (incident,) = Incidents(root).all()
    assert incident.step == "done"
    assert BAD in contents(root)


def test_a_full_disk_leaves_no_empty_folder(tmp_path, monkeypatch):
    root = tmp_path / "vault"
    put(root)

    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("atomic_agents.quarantine.incidents.atomic_write", full)
    for _ in range(3):
        with pytest.raises(OSError, match="No space"):
            take_it(root)
    assert list((root / "_quarantine").iterdir()) == []
    assert (root / PATH).read_bytes() == BAD


def test_the_folders_of_others_are_left_alone_by_a_start(tmp_path):
    root = tmp_path / "vault"
    put(root)
    take_it(root)
    for name in ("notes", ".hidden", "20260528T202640Z"):
        (root / "_quarantine" / name).mkdir()
    (root / "_quarantine" / "loose.txt").write_text("mine")
    (root / "_quarantine" / "link").symlink_to(tmp_path)
    start(root)
    assert {path.name for path in (root / "_quarantine").iterdir()} >= {
        "notes", ".hidden", "20260528T202640Z", "loose.txt", "link",
    }  # fmt: skip
