"""Watches and folders, one to one, whatever comes."""

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.intake.tree import WatchTree


def test_a_watch_stands_for_a_folder() -> None:
    tree = WatchTree()
    assert tree.put(1, "a") is None
    assert tree.folder(1) == "a"
    assert "a" in tree
    assert tree.folder(2) is None


def test_a_watch_that_was_moved_no_longer_stands_for_the_old_folder() -> None:
    tree = WatchTree()
    tree.put(1, "a")
    assert tree.put(1, "b") is None
    assert "a" not in tree
    assert tree.folder(1) == "b"


def test_a_folder_with_a_new_watch_gives_the_old_one_back() -> None:
    tree = WatchTree()
    tree.put(1, "a")
    assert tree.put(2, "a") == 1
    assert tree.folder(1) is None
    assert len(tree) == 1


def test_putting_the_same_again_changes_nothing() -> None:
    tree = WatchTree()
    tree.put(1, "a")
    assert tree.put(1, "a") is None
    assert tree.folder(1) == "a"


def test_a_folder_is_dropped_with_all_below_and_nothing_beside() -> None:
    tree = WatchTree()
    for watch, folder in enumerate(("a", "a/b", "a/b/c", "ab", "b"), start=1):
        tree.put(watch, folder)
    assert sorted(tree.drop_below("a")) == [1, 2, 3]
    assert [folder in tree for folder in ("a", "a/b", "ab", "b")] == [False, False, True, True]


def test_a_watch_that_ended_is_dropped_once() -> None:
    tree = WatchTree()
    tree.put(1, "a")
    assert tree.drop(1) == "a"
    assert tree.drop(1) is None
    assert "a" not in tree


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(1, 5), st.sampled_from(["a", "a/b", "a/b/c", "b", "b/c"])),
        st.tuples(st.just("drop"), st.integers(1, 5), st.just("")),
        st.tuples(st.just("below"), st.just(0), st.sampled_from(["a", "a/b", "b"])),
    ),
    max_size=30,
)


@given(STEPS)
def test_the_two_sides_always_agree(steps: list[tuple[str, int, str]]) -> None:
    tree = WatchTree()
    for step, watch, folder in steps:
        match step:
            case "put":
                replaced = tree.put(watch, folder)
                assert replaced != watch
                assert tree.folder(watch) == folder
            case "drop":
                tree.drop(watch)
            case "below":
                list(tree.drop_below(folder))
                assert folder not in tree
        standing = [tree.folder(number) for number in range(1, 6) if tree.folder(number) is not None]
        assert len(standing) == len(set(standing)) == len(tree)
        assert all(name in tree for name in standing)
