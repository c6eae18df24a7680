"""What happens between two steps: somebody writes, removes or puts something there (contract [Q-1], [Q-2])."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest

from atomic_agents.exceptions import AtomicAgentsError, FileChangedError
from atomic_agents.model import Kind, Place, Problem, Verdict
from atomic_agents.pipeline import traces
from atomic_agents.pipeline.traces import trace_beside
from atomic_agents.quarantine import Good, Incidents, recover, repeating, returning, take, taking
from atomic_agents.quarantine.placing import displaced_name
from atomic_agents.quarantine.returning import give_back, put_mended

NOW = 1_780_000_000.0
PATH = "alpha/memory/feedback_x_rule.md"
BAD, NEWER = b"bad\n", b"newer\n"
GOOD = Good(b"good\n", hashlib.sha256(b"good\n").hexdigest())


def verdict(data=BAD):
    problem = Problem(PATH, "field-missing", "error", "nothing", "a type", "Add it.", field="type", line=2)
    place = Place(PATH, Kind.NOTE, "alpha", "memory", "feedback_x_rule.md")
    return Verdict(place, hashlib.sha256(data).hexdigest(), (problem,))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "alpha/memory").mkdir(parents=True)
    (tmp_path / PATH).write_bytes(BAD)
    return tmp_path


@pytest.fixture
def incidents(root):
    return Incidents(root)


def before(monkeypatch, module, name, act):
    """Do something right before a function of a module runs, once."""
    real = getattr(module, name)
    done = []

    def wrapped(*args, **options):
        if not done:
            done.append(act())
        return real(*args, **options)

    monkeypatch.setattr(module, name, wrapped)


def contents(root):
    return {path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != "report.json"}


def again(root, incidents):
    """Block the file once, and let its writer write the same bytes again."""
    incident = take(incidents, root, verdict(), None, NOW).incident
    (root / PATH).write_bytes(BAD)
    return incident


def test_a_repetition_that_was_mended_before_it_moved_is_none(root, incidents, monkeypatch):
    again(root, incidents)
    before(monkeypatch, repeating, "move_file", lambda: (root / PATH).write_bytes(NEWER))
    with pytest.raises(FileChangedError):
        take(incidents, root, verdict(), GOOD, NOW)
    assert (root / PATH).read_bytes() == NEWER
    (incident,) = incidents.all()
    assert (incident.occurrences, incident.step) == (1, "done")
    assert [one.id for one in incidents.solve({PATH: "2"})] == [incident.id]


def test_a_repetition_that_was_removed_before_it_moved_is_none(root, incidents, monkeypatch):
    again(root, incidents)
    before(monkeypatch, repeating, "move_file", (root / PATH).unlink)
    with pytest.raises(FileNotFoundError):
        take(incidents, root, verdict(), GOOD, NOW)
    assert incidents.all()[0].occurrences == 1


def test_when_two_writes_meet_a_move_both_are_kept(root, incidents, monkeypatch):
    """The bytes changed before the move, and something new appeared before they could go back."""
    again(root, incidents)
    real = repeating.move_file

    def move(source, target, **options):
        if source == root / PATH:
            source.write_bytes(NEWER)
            real(source, target, **options)
            source.write_bytes(b"newest\n")
            return
        real(source, target, **options)

    monkeypatch.setattr(repeating, "move_file", move)
    with pytest.raises(FileChangedError, match="the former bytes are"):
        take(incidents, root, verdict(), GOOD, NOW)
    assert {BAD, NEWER, b"newest\n"} <= contents(root)
    incidents.write(replace(incidents.all()[0], step="moving"))
    recover(incidents, root, lambda _: GOOD, NOW)
    assert {BAD, NEWER, b"newest\n"} <= contents(root)
    assert (root / PATH).read_bytes() == b"newest\n"


def test_a_first_move_that_meets_two_writes_keeps_both(root, incidents, monkeypatch):
    real = taking.move_file

    def move(source, target, **options):
        source.write_bytes(NEWER)
        real(source, target, **options)
        source.write_bytes(b"newest\n")

    monkeypatch.setattr(taking, "move_file", move)
    with pytest.raises(FileChangedError, match="the former bytes are"):
        take(incidents, root, verdict(), GOOD, NOW)
    assert {NEWER, b"newest\n"} <= contents(root)


def test_an_incident_whose_copy_became_a_folder_does_not_count_as_known(root, incidents):
    incident = again(root, incidents)
    incidents.file_of(incident).unlink()
    incidents.file_of(incident).mkdir()
    assert not take(incidents, root, verdict(), None, NOW).repeated


def test_a_folder_that_is_gone_gets_nothing_put_back(root, incidents, monkeypatch):
    real = taking.move_file

    def move(source, target, **options):
        real(source, target, **options)
        source.parent.rmdir()

    monkeypatch.setattr(taking, "move_file", move)
    taken = take(incidents, root, verdict(), GOOD, NOW)
    assert not taken.is_back
    assert not (root / PATH).parent.exists()


def restore(incidents, root, incident):
    give_back(incidents, root, incident, force=False)


def retry(incidents, root, incident):
    put_mended(incidents, root, incident, b"mended\n")


@pytest.mark.parametrize("act", [restore, retry])
def test_what_appears_just_before_bytes_go_back_stays(root, incidents, monkeypatch, act):
    incident = take(incidents, root, verdict(), None, NOW).incident
    before(monkeypatch, returning, "create_file", lambda: (root / PATH).write_bytes(NEWER))
    with pytest.raises(AtomicAgentsError, match="appeared there just now"):
        act(incidents, root, incident)
    assert (root / PATH).read_bytes() == NEWER
    assert BAD in contents(root)


def test_mended_bytes_go_back_though_the_quarantined_file_is_gone(root, incidents):
    incident = take(incidents, root, verdict(), None, NOW).incident
    incidents.file_of(incident).unlink()
    put_mended(incidents, root, incident, b"mended\n")
    assert (root / PATH).read_bytes() == b"mended\n"


def test_what_stood_in_the_way_keeps_a_name_of_its_own_each_time(root, incidents):
    incident = take(incidents, root, verdict(), None, NOW).incident
    for _ in range(3):
        (root / PATH).write_bytes(NEWER)
        give_back(incidents, root, incident, force=True)
    names = sorted(path.name for path in (root / "_quarantine" / incident.id).glob("displaced_*"))
    digest = hashlib.sha256(NEWER).hexdigest()[:8]
    assert names == [f"displaced_{digest}-2.md", f"displaced_{digest}-3.md", f"displaced_{digest}.md"]


def test_an_ending_as_long_as_a_name_is_cut(tmp_path):
    name = displaced_name(tmp_path, "ab" * 32, "x." + "y" * 250)
    assert name.name == "displaced_abababab." + "y" * 15


def test_a_move_that_never_began_leaves_what_others_put_into_its_folder(root, incidents):
    incident = take(incidents, root, verdict(), None, NOW).incident
    folder = root / "_quarantine" / incident.id
    incidents.file_of(incident).rename(folder / "notes.txt")
    incidents.write(replace(incident, step="moving"))
    assert recover(incidents, root, lambda _: GOOD, NOW) == []
    assert (folder / "notes.txt").read_bytes() == BAD


def test_a_swap_file_that_goes_while_it_is_looked_at_is_none(root):
    assert trace_beside(root, "gone/memory/x.md", NOW) is None
    swap = root / "alpha/memory/.feedback_x_rule.md.swp"
    swap.touch()
    assert trace_beside(root, PATH, NOW) == swap.name
    with os.scandir(swap.parent) as entries:
        entry = next(one for one in entries if one.name == swap.name)
    swap.unlink()
    assert not traces._is_fresh(entry, NOW)
