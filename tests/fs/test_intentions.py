"""A kill between the write of an INDEX and the note of it, or between the intention and the write ([D-5])."""

from __future__ import annotations

from dataclasses import replace

import pytest

from atomic_agents.index import writer
from fakes.bench import Workshop
from fakes.notes import note, put

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"


class KilledError(BaseException):
    """The process is gone."""


@pytest.fixture
def killed(tmp_path, monkeypatch):
    """Return a function that works in a vault and dies at the INDEX, and one that begins anew."""

    def work(paths, *, written):
        real = writer.replace_file

        def die(*args, **kwargs):
            if written:
                real(*args, **kwargs)
            raise KilledError

        shop = Workshop(tmp_path).adopted()
        shop.pipeline.resume()
        with monkeypatch.context() as patch:
            patch.setattr(writer, "replace_file", die)
            with pytest.raises(KilledError):
                shop.take(*paths)
        shop.close()

    return work


@pytest.fixture
def shop(tmp_path):
    made = []

    def begin():
        made.append(Workshop(tmp_path).adopted())
        made[-1].pipeline.resume()
        return made[-1]

    yield begin
    for one in made:
        one.close()


def begun(shop):
    first = shop()
    for path, name in ((RULE, "First"), (OTHER, "Other")):
        put(first.root, path, note(name, "generated"))
    first.take(RULE, OTHER)
    return first.root


@pytest.mark.parametrize("written", [True, False], ids=["after-the-write", "before-the-write"])
def test_a_removed_unit_loses_its_entry_whenever_the_kill_came(shop, killed, written):
    root = begun(shop)
    (root / RULE).unlink()
    killed([RULE], written=written)
    again = shop()
    again.take()
    assert "feedback_first_rule.md" not in again.index()
    assert "feedback_other_rule.md" in again.index()


@pytest.mark.parametrize("written", [True, False], ids=["after-the-write", "before-the-write"])
def test_a_changed_hook_is_not_taken_for_a_hand_edit_whenever_the_kill_came(shop, killed, written):
    root = begun(shop)
    put(root, RULE, note("First", "second text"))
    killed([RULE], written=written)
    again = shop()
    again.take()
    assert "— second text" in again.index()
    put(root, RULE, note("First", "third text"))
    again.take(RULE)
    assert "— third text" in again.index()
    assert again.kept.events("index.hook_differs") == []


@pytest.mark.parametrize("written", [True, False], ids=["after-the-write", "before-the-write"])
def test_a_new_unit_that_vanishes_after_the_kill_leaves_no_entry(shop, killed, written):
    root = begun(shop)
    path = "alpha/memory/feedback_third_rule.md"
    put(root, path, note("Third"))
    killed([path], written=written)
    (root / path).unlink()
    again = shop()
    again.take(path)
    assert "feedback_third_rule.md" not in again.index()


def test_an_edit_by_hand_after_the_kill_is_a_hand_edit(shop, killed):
    root = begun(shop)
    put(root, RULE, note("First", "second text"))
    killed([RULE], written=True)
    index = root / "alpha/memory/INDEX.md"
    index.write_text(index.read_text().replace("second text", "mine"))
    again = shop()
    again.take("alpha/memory/INDEX.md")
    put(root, RULE, note("First", "third text"))
    again.take(RULE)
    assert "— mine" in again.index()


def test_nothing_is_intended_once_it_is_saved(shop):
    root = begun(shop)
    again = shop()
    assert again.store.entries.intended() == {}
    one = next(iter(again.store.entries.of_layer("alpha/memory").values()))
    assert replace(one, gone=False) == one
    assert (root / RULE).exists()
