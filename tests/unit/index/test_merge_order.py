"""The order of events does not change what an INDEX holds, and two hosts write the same ([INDEX-7])."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.index.merge import INDEX, Scope, merge
from atomic_agents.index.wanted import wanted_of
from unit.index.desk import SECTIONS, Desk

FILES = [f"{kind}_{name}.md" for kind in ("feedback", "decision", "user") for name in "abcd"]
EVENTS = st.permutations(
    [("note", file) for file in FILES]
    + [
        ("supersede", FILES[0]),
        ("supersede", FILES[5]),
        ("promote", FILES[9]),
        ("drop", FILES[2]),
        ("type", FILES[7]),
    ]
)


def happen(desk, event, file):
    desk.note(file, f"Name of {file}") if file not in desk.units and event != "drop" else None
    if event == "supersede":
        desk.change(file, superseded_by="gone.md")
    if event == "promote":
        desk.change(file, superseded_by="persona/USER.md")
    if event == "type":
        desk.change(file, type="reference")
    if event == "drop":
        desk.dropped.add(file)


def settle(desk):
    for file in desk.dropped:
        desk.drop(file)
    desk.sync()


@given(EVENTS, st.sets(st.integers(0, 16)), st.sampled_from([150, 20]))
def test_events_in_any_order_and_in_any_batches_give_the_same_lines(events, batches, most):
    desks = []
    for cuts in (set(), batches):
        desk = Desk(SECTIONS, max_lines=most)
        desk.dropped = set()
        for number, (event, file) in enumerate(events):
            happen(desk, event, file)
            if number in cuts:
                desk.sync()
        settle(desk)
        desks.append(desk)
    one, other = (
        {line for data in desk.files.values() for line in data.decode().split("\n")} for desk in desks
    )
    counts = {
        line
        for line in one ^ other
        if "entries)" in line or "entry)" in line or line.startswith("## ") or not line
    }
    assert one ^ other == counts


@given(st.permutations(FILES), st.permutations(FILES))
def test_two_hosts_that_see_the_same_files_write_the_same_bytes(here, there):
    hosts = []
    for order in (here, there):
        desk = Desk(SECTIONS)
        for file in order:
            desk.note(file, f"Name of {file}")
        desk.sync()
        hosts.append(desk)
    assert hosts[0].files == hosts[1].files


@given(st.permutations(FILES))
def test_a_host_that_gets_the_index_of_another_writes_nothing(order):
    desk = Desk(SECTIONS, max_lines=20)
    for file in order:
        desk.note(file, f"Name of {file}").sync()
    scope = Scope("alpha/memory", "memory", "Alpha", desk.settings)
    assert merge(desk.files, wanted_of(desk.units.values(), "alpha/memory"), {}, scope).files == {}
    assert INDEX in desk.files
