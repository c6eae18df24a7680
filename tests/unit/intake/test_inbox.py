"""The queue between the watching thread and the worker."""

import threading

from atomic_agents.intake.events import Wake
from atomic_agents.intake.inbox import Inbox, Spilled


def test_what_is_put_comes_out_in_order_and_once() -> None:
    inbox: Inbox[str] = Inbox()
    for item in "abc":
        inbox.put(item)
    assert inbox.drain(0) == ["a", "b", "c"]
    assert inbox.drain(0) == []


def test_waiting_ends_after_the_time() -> None:
    assert Inbox[str]().drain(0.01) == []


def test_waiting_ends_with_the_first_item_from_another_thread() -> None:
    inbox: Inbox[str] = Inbox()
    thread = threading.Thread(target=inbox.put, args=("a",))
    thread.start()
    assert inbox.drain(10) == ["a"]
    thread.join()


def test_a_full_queue_says_once_that_events_were_lost() -> None:
    inbox: Inbox[str] = Inbox(cap=2)
    for item in "abcde":
        inbox.put(item)
    items = inbox.drain(0) + inbox.drain(0)
    assert items[:2] == ["a", "b"]
    assert len(items) == 3
    assert isinstance(items[2], Spilled)
    inbox.put("f")
    assert inbox.drain(0) == []
    inbox.reset()
    inbox.put("g")
    assert inbox.drain(0) == ["g"]


def test_an_overflow_of_the_kernel_is_told_behind_what_came_before() -> None:
    inbox: Inbox[str] = Inbox()
    inbox.put("a")
    inbox.spill()
    inbox.put("b")
    first, second = inbox.drain(0)
    assert first == "a"
    assert isinstance(second, Spilled)


def test_waking_ends_the_wait_and_does_not_pile_up() -> None:
    inbox: Inbox[str] = Inbox()
    for _ in range(1000):
        inbox.wake()
    assert inbox.drain(10) == [Wake()]


def test_waking_adds_nothing_to_what_ends_the_wait_anyway() -> None:
    inbox: Inbox[str] = Inbox()
    inbox.put("a")
    inbox.wake()
    assert inbox.drain(0) == ["a"]
