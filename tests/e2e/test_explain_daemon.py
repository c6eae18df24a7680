"""`atomicd explain` beside the running daemon: what waits is told."""

from __future__ import annotations

import json

from fakes.notes import bad_note, note, put
from fakes.process import Daemon

PATH = "alpha/memory/feedback_answer_first.md"


def test_a_note_that_is_about_to_be_moved_is_told_as_held(tmp_path):
    vault = tmp_path / "vault"
    put(vault, PATH, note())
    daemon = Daemon(vault, tmp_path / "home", grace=600).start()
    try:
        put(vault, PATH, bad_note())
        daemon.wait_for("unit.held", path=PATH)
        daemon.sync(wait=False)
        told = json.loads(daemon.command("explain", str(vault / PATH), "--json", check=False).stdout)
        assert told["state"] == "held"
        assert told["daemon"] == "running"
        assert len(told["pending"]) == 1
        assert told["pending"][0].startswith("held back: ")
    finally:
        daemon.stop()
