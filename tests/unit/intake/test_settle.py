"""When a path has settled: quiet time, longest wait, cap."""

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.intake.settle import Due, Settle


def settle(*, quiet_ms: int = 500, max_wait_ms: int = 5000, max_paths: int = 5) -> Settle:
    return Settle(quiet_ms=quiet_ms, max_wait_ms=max_wait_ms, max_paths=max_paths)


def test_nothing_is_due_at_first() -> None:
    fresh = settle()
    assert fresh.due(0.0) == Due()
    assert fresh.next_due() is None
    assert len(fresh) == 0


def test_a_path_is_due_after_the_quiet_time_and_once() -> None:
    one = settle()
    one.add("a", 10.0)
    assert one.next_due() == 10.5
    assert one.due(10.49) == Due()
    assert one.due(10.5) == Due(("a",))
    assert one.due(11.0) == Due()
    assert one.next_due() is None


def test_a_path_is_pending_by_itself_or_within_a_sweep() -> None:
    some = settle(max_paths=1)
    some.add("a", 1.0)
    assert "a" in some
    assert "b" not in some
    some.add("b", 1.0)
    assert "a" in some
    assert some.due(9.0).sweep
    assert "a" not in some


def test_each_event_starts_the_quiet_time_again() -> None:
    one = settle()
    for moment in (10.0, 10.4, 10.8):
        one.add("a", moment)
        assert one.due(moment) == Due()
    assert one.due(11.2) == Due()
    assert one.due(11.3) == Due(("a",))


def test_a_path_that_never_gets_quiet_is_due_after_the_longest_wait() -> None:
    one = settle(max_wait_ms=1000)
    for step in range(10):
        one.add("a", 10.0 + step * 0.1)
        assert one.due(10.0 + step * 0.1) == Due()
    assert one.next_due() == 11.0
    assert one.due(11.0) == Due(("a",))


def test_paths_come_out_in_the_order_in_which_they_first_came() -> None:
    some = settle()
    for path, moment in (("b", 1.0), ("a", 1.1), ("b", 1.2)):
        some.add(path, moment)
    assert some.due(9.0).paths == ("b", "a")


def test_as_many_paths_as_the_cap_stay_paths() -> None:
    some = settle(max_paths=3)
    for path in ("a", "b", "c", "a"):
        some.add(path, 1.0)
    assert len(some) == 3
    assert some.due(2.0) == Due(("a", "b", "c"))


def test_more_paths_than_the_cap_become_one_sweep_when_it_is_quiet() -> None:
    some = settle(max_paths=3)
    for step in range(10):
        some.add(f"p{step}", 1.0 + step * 0.1)
        assert some.due(1.0 + step * 0.1) == Due()
    assert len(some) == 0
    assert some.next_due() == 1.9 + 0.5
    assert some.due(2.4) == Due(sweep=True)
    assert some.due(9.0) == Due()


def test_a_sweep_waits_no_longer_than_the_longest_wait_of_its_first_path() -> None:
    some = settle(max_paths=1, max_wait_ms=2000)
    some.add("a", 1.0)
    moment = 1.0
    while some.due(moment) == Due():
        moment = round(moment + 0.1, 1)
        some.add(f"p{moment}", moment)
    assert moment == 3.0


def test_paths_that_come_after_the_sweep_are_pending_again() -> None:
    some = settle(max_paths=1)
    some.add("a", 1.0)
    some.add("b", 1.0)
    assert some.due(1.5).sweep
    some.add("c", 2.0)
    assert some.due(2.5) == Due(("c",))


def test_a_sweep_that_is_asked_for_replaces_the_paths() -> None:
    some = settle()
    some.add("a", 1.0)
    some.add_sweep(1.2)
    some.add_sweep(1.4)
    assert some.next_due() == 1.9
    assert some.due(1.9) == Due(sweep=True)


EVENTS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 40)), min_size=1, max_size=60)


@given(EVENTS, st.integers(1, 10), st.integers(0, 800), st.integers(1, 4000))
def test_every_path_comes_out_in_time_or_a_sweep_does(
    events: list[tuple[str, int]], cap: int, quiet_ms: int, max_wait_ms: int
) -> None:
    pending: dict[str, float] = {}
    subject = Settle(quiet_ms=quiet_ms, max_wait_ms=max_wait_ms, max_paths=cap)
    now = 0.0
    for path, pause in [*events, *[("", 400)] * 4]:
        now += pause / 100
        due = subject.due(now)
        for settled in due.paths:
            assert pending.pop(settled, None) is not None, "came out without an event, or twice"
        if due.sweep:
            pending.clear()
        late = [name for name, first in pending.items() if now - first > max_wait_ms / 1000 + 1e-9]
        assert not late, "waited longer than the longest wait"
        if path:
            subject.add(path, now)
            pending.setdefault(path, now)
    end = subject.due(now + max_wait_ms / 1000 + quiet_ms / 1000)
    assert end.sweep or set(end.paths) == set(pending)
    assert subject.next_due() is None


@given(EVENTS)
def test_something_is_due_exactly_at_the_time_that_is_foretold(events: list[tuple[str, int]]) -> None:
    subject = settle()
    now = 0.0
    for path, pause in events:
        now += pause / 100
        subject.due(now)
        subject.add(path, now)
    due_at = subject.next_due()
    assert due_at is not None
    if due_at > now:
        assert subject.due(due_at - 1e-6) == Due()
    assert subject.due(due_at) != Due()
