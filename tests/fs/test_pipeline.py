"""What becomes of each path, step by step on a temporary vault with a clock that goes when told."""

from __future__ import annotations

import os

import pytest

from atomic_agents.model import FileState
from fakes.bench import Workshop
from fakes.notes import bad_note, note, put

RULE = "alpha/memory/feedback_first_rule.md"
OTHER = "alpha/memory/feedback_other_rule.md"


@pytest.fixture
def shop(tmp_path):
    workshop = Workshop(tmp_path).adopted()
    yield workshop
    workshop.close()


def rules(shop, number):
    paths = [f"alpha/memory/feedback_rule_{n}.md" for n in range(number)]
    for path in paths:
        put(shop.root, path, note(path))
    shop.take(*paths)
    return paths


def test_a_valid_note_is_remembered_kept_in_the_history_and_indexed(shop):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    record = shop.store.files.get(RULE)
    assert (record.state, record.unit.name) == (FileState.VALID, "First")
    assert shop.store.versions.content(shop.store.versions.last(RULE).sha256) == note("First").encode()
    assert "[First](feedback_first_rule.md)" in shop.index()


def test_taking_it_again_writes_nothing(shop):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    before = (shop.root / "alpha/memory/INDEX.md").stat().st_mtime_ns
    shop.take(RULE, "alpha/memory/INDEX.md")
    assert (shop.root / "alpha/memory/INDEX.md").stat().st_mtime_ns == before
    assert len(shop.kept.events("index.written")) == 1


def test_while_changes_wait_an_index_is_written_after_two_seconds_only(shop):
    put(shop.root, RULE, note("First"))
    shop.pipeline.take(RULE)
    shop.pipeline.finish(settled=False)
    assert not (shop.root / "alpha/memory/INDEX.md").exists()
    shop.clock.advance(2.1)
    shop.pipeline.finish(settled=False)
    assert "First" in shop.index()


def test_an_invalid_note_is_held_for_the_grace_time_from_its_last_change(shop):
    path = put(shop.root, RULE, bad_note())
    os.utime(path, (2_000_000_000, 2_000_000_000))
    shop.clock.jump(path.stat().st_ctime + 4 - shop.clock.wall())
    shop.take(RULE)
    (held,) = shop.kept.events("unit.held")
    assert held["seconds"] == pytest.approx(6.0, abs=0.2)
    shop.clock.advance(5)
    shop.take()
    assert path.exists()
    shop.clock.advance(2)
    shop.take()
    assert not path.exists()
    assert len(shop.kept.events("unit.quarantined")) == 1


def test_a_clock_that_is_wrong_about_the_past_or_the_future_keeps_the_grace_time_within_bounds(shop):
    put(shop.root, RULE, bad_note())
    shop.clock.jump(-10 * 86400)
    shop.take(RULE)
    (held,) = shop.kept.events("unit.held")
    assert held["seconds"] == 10.0


def test_a_note_removed_within_its_grace_time_is_forgotten(shop):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    put(shop.root, RULE, bad_note())
    shop.take(RULE)
    (shop.root / RULE).unlink()
    shop.take(RULE)
    assert len(shop.pipeline.blocking.holds) == 0
    assert "feedback_first_rule.md" not in shop.index()


def test_after_a_removal_an_invalid_write_brings_nothing_back(shop):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    (shop.root / RULE).unlink()
    shop.take(RULE)
    put(shop.root, RULE, bad_note())
    shop.take(RULE)
    shop.clock.advance(4000)
    shop.take()
    assert not (shop.root / RULE).exists()
    assert len(shop.kept.events("unit.quarantined")) == 1


def test_a_version_that_is_not_valid_any_more_is_not_put_back(shop, monkeypatch):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    put(shop.root, RULE, bad_note())
    shop.take(RULE)
    monkeypatch.setattr(type(shop.pipeline._judging), "is_valid", lambda *_: False)
    shop.clock.advance(4000)
    shop.take()
    assert not (shop.root / RULE).exists()


def test_a_rename_keeps_the_entry_with_its_hand_edited_hook(shop):
    put(shop.root, RULE, note("First", "generated"))
    shop.take(RULE)
    path = shop.root / "alpha/memory/INDEX.md"
    path.write_text(shop.index().replace("generated", "mine"))
    shop.take("alpha/memory/INDEX.md")
    (shop.root / RULE).rename(shop.root / OTHER)
    shop.take(RULE, OTHER)
    assert "- [First](feedback_other_rule.md) — mine" in shop.index()
    assert [record["to"] for record in shop.kept.events("unit.renamed")] == [OTHER]


@pytest.mark.parametrize("order", [(RULE, OTHER), (OTHER, RULE)])
def test_a_copy_and_a_removal_are_a_rename_whatever_comes_first(shop, order):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    put(shop.root, OTHER, note("First"))
    (shop.root / RULE).unlink()
    shop.take(*order)
    assert len(shop.kept.events("unit.renamed")) == 1
    assert shop.index().count("](feedback_") == 1


def test_a_removal_beside_an_old_copy_is_no_rename(shop):
    put(shop.root, RULE, note("First"))
    put(shop.root, OTHER, note("First"))
    shop.take(RULE, OTHER)
    (shop.root / RULE).unlink()
    shop.take(RULE)
    assert shop.kept.events("unit.renamed") == []
    assert len(shop.kept.events("unit.removed")) == 1


def test_a_note_that_is_renamed_and_edited_is_still_a_rename(shop):
    put(shop.root, RULE, note("First", "generated"))
    shop.take(RULE)
    (shop.root / RULE).rename(shop.root / OTHER)
    (shop.root / OTHER).write_text(note("First", "edited after the rename"))
    shop.take(RULE, OTHER)
    assert len(shop.kept.events("unit.renamed")) == 1


def test_another_note_that_got_the_inode_of_a_removed_one_is_no_rename(shop):
    put(shop.root, RULE, note("First"))
    shop.take(RULE)
    (shop.root / RULE).rename(shop.root / OTHER)
    (shop.root / OTHER).write_text(note("Another note"))
    os.utime(shop.root / OTHER, ns=(5, 5))
    shop.take(RULE, OTHER)
    assert shop.kept.events("unit.renamed") == []
    assert "- [Another note](feedback_other_rule.md)" in shop.index()
    assert "feedback_first_rule.md" not in shop.index()


def test_a_few_absences_are_believed_at_once(shop):
    paths = rules(shop, 12)
    for path in paths[:10]:
        (shop.root / path).unlink()
    shop.take(*paths)
    assert shop.index().count("](feedback_") == 2


def test_many_absences_wait_for_a_second_look_and_are_believed_then(shop):
    paths = rules(shop, 12)
    for path in paths[:11]:
        (shop.root / path).unlink()
    shop.take(*paths)
    assert shop.index().count("](feedback_") == 12
    assert shop.pipeline.absences.waiting() == 11
    shop.clock.advance(29)
    shop.take()
    assert shop.index().count("](feedback_") == 12
    shop.clock.advance(2)
    shop.take()
    assert shop.index().count("](feedback_") == 1


def test_files_that_come_back_before_the_second_look_never_left_the_index(shop):
    paths = rules(shop, 12)
    contents = {path: (shop.root / path).read_bytes() for path in paths}
    before = shop.index()
    for path in paths:
        (shop.root / path).unlink()
    shop.take(*paths)
    for path in paths[:-1]:
        (shop.root / path).write_bytes(contents[path])
    shop.clock.advance(31)
    shop.take(*paths)
    assert shop.index().count("](feedback_") == 11
    assert all(line in before for line in shop.index().splitlines())


def test_a_great_renaming_is_no_mass_disappearance(shop):
    paths = rules(shop, 12)
    renamed = [path.replace("rule_", "renamed_") for path in paths]
    for old, new in zip(paths, renamed, strict=True):
        (shop.root / old).rename(shop.root / new)
    shop.take(*paths, *renamed)
    assert shop.pipeline.absences.waiting() == 0
    assert shop.index().count("](feedback_renamed_") == 12


def test_a_layer_whose_folder_is_gone_is_not_made_again(shop):
    rules(shop, 3)
    (shop.root / "alpha").rename(shop.root / "gamma")
    shop.take(*[record.path for record in shop.store.files.below("alpha")])
    assert not (shop.root / "alpha").exists()


def test_the_entries_of_a_renamed_agent_still_follow_their_units(shop):
    put(shop.root, RULE, note("First", "generated"))
    put(shop.root, OTHER, note("Other", "generated too"))
    shop.take(RULE, OTHER)
    path = shop.root / "alpha/memory/INDEX.md"
    path.write_text(shop.index().replace("generated too", "mine"))
    shop.take("alpha/memory/INDEX.md")
    (shop.root / "alpha").rename(shop.root / "gamma")
    moved = [record.path.replace("alpha", "gamma") for record in shop.store.files.below("alpha")]
    shop.take(*[path.replace("gamma", "alpha") for path in moved], *moved)
    for path in moved:
        if not path.endswith("INDEX.md"):
            put(shop.root, path, (shop.root / path).read_text().replace("generated", "changed"))
    shop.take(*moved)
    assert "- [First](feedback_first_rule.md) — changed\n" in shop.index("gamma/memory")
    assert "- [Other](feedback_other_rule.md) — mine\n" in shop.index("gamma/memory")


def test_what_is_written_before_the_vault_was_adopted_and_seen_later_is_adopted_too(shop):
    path = put(shop.root, RULE, bad_note())
    with shop.store.transaction():
        shop.store.facts.put("adopted_at", path.stat().st_ctime + 1)
    shop.take(RULE)
    assert shop.store.files.get(RULE).state is FileState.ADOPTED


def test_an_adopted_file_that_is_renamed_stays_adopted(shop):
    with shop.store.transaction():
        shop.store.facts.put("adopted_at", None)
    put(shop.root, RULE, bad_note())
    shop.take(RULE)
    with shop.store.transaction():
        shop.store.facts.put("adopted_at", 1.0)
    (shop.root / RULE).rename(shop.root / OTHER)
    shop.take(OTHER, RULE)
    assert shop.store.files.get(OTHER).state is FileState.ADOPTED


def test_an_editors_file_beside_it_keeps_a_note_in_place_and_an_old_one_does_not(shop):
    put(shop.root, RULE, bad_note())
    swap = put(shop.root, "alpha/memory/.feedback_first_rule.md.swp", "vim")
    shop.clock.jump(swap.stat().st_mtime - shop.clock.wall())
    shop.take(RULE)
    shop.clock.advance(60)
    shop.take()
    assert (shop.root / RULE).exists()
    (hold,) = shop.pipeline.blocking.holds
    assert "open in an editor" in hold.reason
    shop.clock.advance(25 * 3600)
    shop.take()
    assert not (shop.root / RULE).exists()
    assert swap.exists()


def test_an_emptied_index_is_rebuilt_with_what_a_person_had_written(shop):
    put(shop.root, RULE, note("First", "generated"))
    shop.take(RULE)
    path = shop.root / "alpha/memory/INDEX.md"
    path.write_text("Prose of mine.\n\n" + shop.index().replace("generated", "mine"))
    shop.take("alpha/memory/INDEX.md")
    path.write_bytes(b"")
    shop.take("alpha/memory/INDEX.md")
    assert shop.index().startswith("Prose of mine.\n")
    assert "— mine" in shop.index()
    (rebuilt,) = shop.kept.events("index.rebuilt")
    assert (shop.root / "_quarantine" / rebuilt["incident"] / "INDEX.md").read_bytes() == b""


def test_a_hook_that_a_person_changed_is_told_once_when_the_note_says_something_new(shop):
    put(shop.root, RULE, note("First", "generated"))
    shop.take(RULE)
    path = shop.root / "alpha/memory/INDEX.md"
    path.write_text(shop.index().replace("generated", "mine"))
    for text in ("new", "newer"):
        put(shop.root, RULE, note("First", text))
        shop.take(RULE)
        shop.take("alpha/memory/INDEX.md")
    told = shop.kept.events("index.hook_differs")
    assert [(one["stands"], one["unit"]) for one in told] == [("mine", "new"), ("mine", "newer")]


def test_layers_that_a_former_run_left_behind_are_written_after_the_next_start(tmp_path):
    first = Workshop(tmp_path).adopted()
    put(first.root, RULE, note("First"))
    first.pipeline.take(RULE)
    first.close()
    second = Workshop(tmp_path).adopted()
    second.pipeline.resume()
    second.take()
    assert "First" in second.index()
    second.close()


def test_files_in_their_grace_time_are_held_again_after_a_restart(tmp_path):
    first = Workshop(tmp_path).adopted()
    put(first.root, RULE, bad_note())
    first.take(RULE)
    first.close()
    second = Workshop(tmp_path).adopted()
    assert second.pipeline.resume() == [RULE]
    second.take(RULE)
    assert len(second.pipeline.blocking.holds) == 1
    second.close()
