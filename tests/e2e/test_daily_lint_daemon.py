"""The daily look at the whole vault by a real daemon and its real child."""

from __future__ import annotations

import json
import subprocess
import sys

from fakes.notes import bad_note, note, put
from fakes.process import Daemon

HASTY = (
    "import atomic_agents.daemon.linting as linting\n"
    "linting.DELAY_SECONDS = 0.0\n"
    "from atomic_agents.cli import main\n"
    "main(['run'])\n"
)


def test_the_look_is_told_in_the_log_and_by_status_and_changes_nothing(tmp_path):
    vault = tmp_path / "vault"
    put(vault, "alpha/memory/feedback_a_rule.md", note())
    put(vault, "alpha/memory/feedback_bad_rule.md", bad_note())
    put(vault, "alpha/log/2026-11/2026-11-29.jsonl", "{}\n")
    daemon = Daemon(vault, tmp_path / "home")
    process = subprocess.Popen(
        [sys.executable, "-c", HASTY],
        env=daemon.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = next(line for line in map(json.loads, process.stdout) if line["event"].startswith("lint."))
        assert line["event"] == "lint.finished"
        assert (line["files"], line["errors"]) == (4, 1)
        assert line["codes"] == {"log-line": 7, "field-enum": 1}
        told = json.loads(daemon.command("status", "--json").stdout)["lint"]
        assert told["warnings"] == 7
        assert "1 errors, 7 warnings" in daemon.command("status").stdout
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert errors == ""
