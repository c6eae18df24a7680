"""A vault on a file system that fills up; run in a mount namespace of its own. Exit 77: not possible here."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fakes.notes import note, put
from fakes.process import Daemon, eventually


def fill(path: Path) -> None:
    """Write until the file system is full."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(handle, b"x" * 4096)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    finally:
        os.close(handle)


def main() -> int:
    place = Path(tempfile.mkdtemp())
    vault = place / "vault"
    vault.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(vault)], check=False)
    if mounted.returncode:
        sys.stdout.write("no tmpfs to be had\n")
        return 77
    path = "alpha/memory/feedback_first_rule.md"
    put(vault, path, note("First"))
    daemon = Daemon(vault, place / "home").start()
    try:
        before = (vault / "alpha/memory/INDEX.md").read_bytes()
        second = put(vault, "alpha/memory/feedback_second_rule.md", "")
        ballast = vault / "ballast"
        fill(ballast)
        second.write_bytes(b"")
        os.truncate(ballast, ballast.stat().st_size // 4096 * 4096 - 4096)
        second.write_text(note("Second"))
        paused = daemon.wait_for("daemon.paused", patience=20)
        assert "ENOSPC" in paused["reason"], paused
        assert (vault / "alpha/memory/INDEX.md").read_bytes() == before
        assert not list(vault.rglob("*.tmp"))
        ballast.unlink()
        daemon.wait_for("unit.indexed", path="alpha/memory/feedback_second_rule.md", patience=20)
        eventually(lambda: b"[Second]" in (vault / "alpha/memory/INDEX.md").read_bytes())
        assert len([line for line in daemon.drain() if line["event"] == "daemon.paused"]) == 1
        assert daemon.stop() == 0
    finally:
        daemon.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
