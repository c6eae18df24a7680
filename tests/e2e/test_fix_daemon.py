"""`atomicd fix` beside the running daemon: both know the lock, and entries follow once."""

from __future__ import annotations

from fakes.notes import note, put
from fakes.process import Daemon

OLD = "alpha/memory/answer-first.md"
NEW = "alpha/memory/feedback_answer_first.md"


def test_a_mended_and_renamed_note_is_indexed_with_the_hook_that_a_person_wrote(tmp_path):
    vault = tmp_path / "vault"
    put(vault, OLD, note(name="Answer first", description="Rule: answer first"))
    index = put(vault, "alpha/memory/INDEX.md", "# Alpha\n\n- [Answer](answer-first.md) — my own words\n")
    daemon = Daemon(vault, tmp_path / "home").start()
    try:
        daemon.sync()
        daemon.command("fix", str(vault), "--write", "--rename")
        daemon.sync()
        assert (vault / NEW).read_text() == note(name="Answer first", description='"Rule: answer first"')
        assert index.read_text() == "# Alpha\n\n- [Answer](feedback_answer_first.md) — my own words\n"
        daemon.command("fix", str(vault), "--write", "--rename")
    finally:
        daemon.stop()


def test_a_valid_note_that_is_renamed_keeps_its_entry_and_no_version_is_lost(tmp_path):
    vault = tmp_path / "vault"
    put(
        vault,
        "alpha/wiki/debt-methods.md",
        note(kind="wiki_page", provenance="distilled", sources="[raw/a.md]"),
    )
    put(vault, "alpha/raw/a.md", "source")
    daemon = Daemon(vault, tmp_path / "home").start()
    try:
        daemon.sync()
        daemon.command("fix", str(vault), "--write", "--rename")
        daemon.sync()
        text = (vault / "alpha/wiki/INDEX.md").read_text()
        assert text.count("debt_methods.md") == 1
        assert "debt-methods" not in text
        assert not list((vault / "_quarantine").glob("*"))
    finally:
        daemon.stop()
