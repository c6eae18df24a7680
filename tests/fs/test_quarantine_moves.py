"""Moving aside and putting back on a real disk (contract [Q-1], [Q-2], [D-5])."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace

import pytest

from atomic_agents import _io
from atomic_agents.exceptions import AtomicAgentsError, FileChangedError
from atomic_agents.model import Kind, Place, Problem, Verdict
from atomic_agents.quarantine import Good, Incidents, recover, take
from atomic_agents.quarantine.incidents import REPORT

NOW = 1_780_000_000.0
GOOD = Good(b"good\n", hashlib.sha256(b"good\n").hexdigest())
PATH = "alpha/memory/feedback_x_rule.md"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "alpha/memory").mkdir(parents=True)
    return tmp_path


def put(root, data=b"bad\n", path=PATH):
    (root / path).write_bytes(data)
    return verdict(data, path)


def verdict(data=b"bad\n", path=PATH):
    problem = Problem(path, "field-missing", "error", "nothing", "a type", "Add it.", field="type", line=2)
    place = Place(path, Kind.NOTE, "alpha", "memory", path.removeprefix("alpha/memory/"))
    return Verdict(place, hashlib.sha256(data).hexdigest(), (problem,))


def everything(root):
    return {p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != REPORT}


def test_the_bytes_lie_in_a_folder_of_their_own_with_a_report(root):
    found = put(root, b"bad\xff\x00")
    os.chmod(root / PATH, 0o640)
    os.utime(root / PATH, ns=(1, 1_500_000_000_000_000_000))
    incidents = Incidents(root)
    taken = take(incidents, root, found, None, NOW)
    folder = root / "_quarantine" / taken.incident.id
    assert sorted(p.name for p in folder.iterdir()) == ["feedback_x_rule.md", REPORT]
    assert (folder / "feedback_x_rule.md").read_bytes() == b"bad\xff\x00"
    report = json.loads((folder / REPORT).read_text())
    assert taken.incident.id == f"20260528T202640Z_alpha_feedback_x_rule_{found.sha256[:8]}"
    assert report == {
        "format": 1,
        "id": taken.incident.id,
        "path": PATH,
        "sha256": found.sha256,
        "size": 5,
        "mtime": "2017-07-14T02:40:00.000+00:00",
        "mode": "0640",
        "problems": [found.problems[0].as_json()],
        "first_seen": "2026-05-28T20:26:40.000+00:00",
        "last_seen": "2026-05-28T20:26:40.000+00:00",
        "restored": None,
        "occurrences": 1,
        "state": "open",
        "step": "done",
        "released": False,
    }
    assert not (root / PATH).exists()


def test_the_last_good_version_is_back_with_the_mode_of_the_file(root):
    found = put(root)
    os.chmod(root / PATH, 0o640)
    taken = take(Incidents(root), root, found, GOOD, NOW)
    assert (root / PATH).read_bytes() == GOOD.data
    assert (root / PATH).stat().st_mode & 0o777 == 0o640
    assert taken.incident.restored == GOOD.sha256


def test_a_file_that_appeared_meanwhile_is_not_overwritten(root, monkeypatch):
    found = put(root)
    real = _io.create_file

    def appear_first(path, *args, **kwargs):
        path.write_bytes(b"newer\n")
        return real(path, *args, **kwargs)

    monkeypatch.setattr("atomic_agents.quarantine.taking.create_file", appear_first)
    taken = take(Incidents(root), root, found, GOOD, NOW)
    assert (root / PATH).read_bytes() == b"newer\n"
    assert taken.incident.restored is None


def test_bytes_that_changed_since_they_were_judged_stay(root):
    found = put(root)
    (root / PATH).write_bytes(b"mended\n")
    with pytest.raises(FileChangedError, match="changed since it was judged"):
        take(Incidents(root), root, found, GOOD, NOW)
    assert (root / PATH).read_bytes() == b"mended\n"
    assert not (root / "_quarantine").exists()


def test_bytes_that_change_during_the_move_go_back(root, monkeypatch):
    found = put(root)
    real = _io.move_file

    def change_first(source, target, **kwargs):
        if source == root / PATH:
            source.write_bytes(b"mended\n")
        return real(source, target, **kwargs)

    monkeypatch.setattr("atomic_agents.quarantine.taking.move_file", change_first)
    with pytest.raises(FileChangedError):
        take(Incidents(root), root, found, GOOD, NOW)
    assert (root / PATH).read_bytes() == b"mended\n"
    assert list((root / "_quarantine").iterdir()) == []


def test_the_same_bytes_again_are_one_incident_with_more_occurrences(root):
    incidents = Incidents(root)
    first = take(incidents, root, put(root), GOOD, NOW)
    again = take(incidents, root, put(root), GOOD, NOW + 60)
    assert again.repeated and not first.repeated
    assert [(i.id, i.occurrences) for i in incidents.all()] == [(first.incident.id, 2)]
    assert again.incident.last_seen > again.incident.first_seen
    assert (root / PATH).read_bytes() == GOOD.data
    assert len(list((root / "_quarantine" / first.incident.id).iterdir())) == 2


def test_repeated_bytes_whose_copy_was_altered_are_a_new_incident(root):
    incidents = Incidents(root)
    first = take(incidents, root, put(root), None, NOW)
    incidents.file_of(first.incident).write_bytes(b"edited by hand\n")
    second = take(incidents, root, put(root), None, NOW)
    assert second.incident.id != first.incident.id
    assert {b"edited by hand\n", b"bad\n"} <= everything(root)


def test_three_bad_versions_of_one_note_are_three_incidents(root):
    incidents = Incidents(root)
    for data in (b"bad one\n", b"bad two\n", b"bad three\n"):
        take(incidents, root, put(root, data), None, NOW)
    assert {b"bad one\n", b"bad two\n", b"bad three\n"} <= everything(root)
    assert len(incidents.all()) == 3


@pytest.mark.parametrize(
    "name",
    [
        "x.md",
        "a b.md",
        "new\nline.md",
        "만조.md",
        "e\u0301.md",
        "caf\udce9.md",
        "." * 20 + ".md",
        "-x.md",
        f"{'n' * 251}.md",
    ],
)
def test_any_name_and_any_bytes_are_kept(root, name):
    path = f"alpha/memory/{name}"
    incidents = Incidents(root)
    found = put(root, b"", path)
    taken = take(incidents, root, found, None, NOW)
    assert incidents.all() == [taken.incident]
    assert incidents.file_of(taken.incident).read_bytes() == b""
    assert taken.incident.path == path
    assert take(incidents, root, put(root, b"", path), None, NOW).repeated


def test_a_large_file_is_moved_and_not_read_into_memory(root):
    with (root / PATH).open("wb") as file:
        file.truncate(100_000_000)
    digest, _ = _io.hash_file(root / PATH)
    found = Verdict(verdict().place, digest, verdict().problems)
    taken = take(Incidents(root), root, found, None, NOW)
    assert Incidents(root).file_of(taken.incident).stat().st_size == 100_000_000


def test_incidents_are_found_by_the_beginning_or_a_part_of_their_id(root):
    incidents = Incidents(root)
    one = take(incidents, root, put(root), None, NOW).incident
    take(incidents, root, put(root, b"other\n"), None, NOW + 86400)
    assert incidents.find(one.id) == one
    assert incidents.find("20260528") == one
    assert incidents.find(one.sha256[:8]) == one
    with pytest.raises(AtomicAgentsError, match="2 incidents"):
        incidents.find("2026")
    with pytest.raises(AtomicAgentsError, match="no incident"):
        incidents.find("nope")
    with pytest.raises(AtomicAgentsError, match="no incident"):
        incidents.find("")


def test_folders_without_a_readable_report_are_named_and_left(root):
    incidents = Incidents(root)
    for name, text in (("empty", None), ("broken", "{"), ("list", "[]"), ("foreign", '{"id": "foreign"}')):
        (root / "_quarantine" / name).mkdir(parents=True)
        if text is not None:
            (root / "_quarantine" / name / REPORT).write_text(text)
    assert incidents.all() == []
    assert incidents.unreadable() == ["broken", "empty", "foreign", "list"]
    assert recover(incidents, root, lambda _: None, NOW) == []
    assert len(list((root / "_quarantine").iterdir())) == 4


@pytest.mark.parametrize("path", ["../outside.md", "/etc/passwd", "a/../../b.md", "", "a//b.md", "./a.md"])
def test_a_report_whose_path_leads_out_of_the_vault_is_not_believed(root, path):
    incidents = Incidents(root)
    taken = take(incidents, root, put(root), None, NOW)
    report = root / "_quarantine" / taken.incident.id / REPORT
    report.write_text(
        report.read_text().replace(f'"path": "{PATH}",\n  "sha256"', f'"path": "{path}",\n  "sha256"')
    )
    assert incidents.all() == []


def test_a_second_recovery_changes_nothing(root):
    incidents = Incidents(root)
    take(incidents, root, put(root), GOOD, NOW)
    before = {p: p.stat().st_mtime_ns for p in root.rglob("*")}
    assert recover(incidents, root, lambda _: GOOD, NOW) == []
    assert {p: p.stat().st_mtime_ns for p in root.rglob("*")} == before


def test_a_mended_path_solves_its_incidents_but_the_version_put_back_does_not(root):
    incidents = Incidents(root)
    incident = take(incidents, root, put(root), GOOD, NOW).incident
    assert incidents.solve({PATH: GOOD.sha256, "alpha/memory/other.md": "1"}) == []
    assert [i.id for i in incidents.solve({PATH: "2"})] == [incident.id]
    assert incidents.all()[0].state == "solved"
    assert incidents.solve({PATH: "3"}) == []


def test_the_same_bytes_after_a_solved_incident_are_a_new_one(root):
    incidents = Incidents(root)
    take(incidents, root, put(root), None, NOW)
    incidents.solve({PATH: "2"})
    assert not take(incidents, root, put(root), None, NOW).repeated


def test_a_report_changed_by_another_process_is_read_again(root):
    incidents = Incidents(root)
    incident = take(incidents, root, put(root), None, NOW).incident
    assert not incidents.is_released(PATH, incident.sha256)
    other = Incidents(root)
    other.write(replace(incident, released=True))
    assert incidents.is_released(PATH, incident.sha256)
