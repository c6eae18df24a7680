"""A client of another implementation writes 200 notes beside the real daemon; `make interop` runs it."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from fakes.process import Daemon
from interop import findings
from interop.findings import Finding
from interop.peer import PACKAGE, ROOT, SHARED, VERSION, Peer

CALLS = 200
INTERVAL_SECONDS = 0.05
QUIET_SECONDS = 5.0
OWN_WORDS = "said in my own words"


class Meeting:
    """The daemon and the client on one vault.

    Args:
        folder: an empty folder for all of it.

    """

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.agent = _copy_vault(self.vault)
        self.memory = self.vault / self.agent / "memory"
        self.before = findings.files(self.vault)
        self.peer = Peer(self.vault)
        self.note = ""
        self.answer: dict[str, Any] = {}
        self.daemon = Daemon(self.vault, folder / "home", grace=5.0, quiet_ms=500)

    def look(self) -> Iterator[Finding]:
        """Let both write and yield what is found after each step."""
        self.daemon.start()
        try:
            yield from self._look_at_hand_edit()
            yield from self._look_at_many()
            yield self._look_at_quiet()
        finally:
            status = self.daemon.stop()
        yield Finding("exit status of the daemon", "0", str(status), status == 0)

    def _look_at_hand_edit(self) -> Iterator[Finding]:
        """A person words one hook anew; then the client writes other notes, and then that note again."""
        self.note = self._write(count=5, seed=8)[0]["file"]
        self._edit()
        self._write(count=10, seed=9)
        yield self._look_at_hook("a hook edited by hand, after the client wrote other notes")
        self._write(count=5, seed=8)
        stays = OWN_WORDS in self._line()
        yield Finding("the same, after the client wrote that very line", "", _said(stays), None)
        self._edit()

    def _look_at_many(self) -> Iterator[Finding]:
        before = len(self._index_writes())
        reports = self._write(count=CALLS, seed=7, interval=INTERVAL_SECONDS)
        notes = findings.last_written(reports)
        yield findings.look_at_calls(reports)
        yield findings.look_at_entries(self.memory, notes)
        yield findings.look_at_bytes(self.memory, notes)
        yield findings.look_at_quarantine(self.answer, self.vault)
        yield findings.look_at_leftovers(self.before, self.vault)
        yield self._look_at_hook("a hook edited by hand, after 200 calls and a split")
        writes = len(self._index_writes()) - before
        yield Finding(f"INDEX.md written for {len(notes)} notes", "fewer", str(writes), writes < len(notes))

    def _look_at_quiet(self) -> Finding:
        before = len(self.daemon.events("index.written"))
        time.sleep(QUIET_SECONDS)
        writes = len(self.daemon.events("index.written")) - before
        return Finding(
            f"index files written in {QUIET_SECONDS:.0f} s of quiet", "0", str(writes), writes == 0
        )

    def _look_at_hook(self, what: str) -> Finding:
        stays = OWN_WORDS in self._line()
        return Finding(what, "stays", _said(stays), stays)

    def _write(self, *, count: int, seed: int, interval: float = 0.0) -> list[dict[str, Any]]:
        """Let the client write and the daemon do all that follows from it."""
        reports = self.peer.write(self.agent, count=count, seed=seed, interval=interval)
        self.answer = self.daemon.sync()
        return reports

    def _index_writes(self) -> list[dict[str, Any]]:
        return [line for line in self.daemon.events("index.written") if line["path"].endswith("/INDEX.md")]

    def _edit(self) -> None:
        """Word the hook of the note anew, as a person does."""
        for file in self.memory.glob("INDEX*.md"):
            lines = file.read_text("utf-8").splitlines(keepends=True)
            changed = [
                f"{line.split(' — ')[0]} — {OWN_WORDS}\n" if f"]({self.note})" in line else line
                for line in lines
            ]
            if changed != lines:
                file.write_text("".join(changed), "utf-8")
        self.answer = self.daemon.sync()

    def _line(self) -> str:
        texts = [file.read_text("utf-8") for file in self.memory.glob("INDEX*.md")]
        return "\n".join(line for text in texts for line in text.splitlines() if f"]({self.note})" in line)


def main() -> int:
    """Print what was found and return 1 if something is not as expected."""
    with tempfile.TemporaryDirectory(prefix="atomicd-interop-") as folder:
        meeting = Meeting(Path(folder).resolve())
        found = list(meeting.look())
    table = Table("what", "expected", "found", "", title=f"atomicd and {PACKAGE} {VERSION} on one vault")
    for finding in found:
        mark = {True: "ok", False: "WRONG", None: ""}[finding.ok]
        table.add_row(finding.what, finding.expected, finding.found, mark)
    Console().print(table)
    return int(any(finding.ok is False for finding in found))


def _copy_vault(vault: Path) -> str:
    """Copy a vault that the client made if there is one, else the example, and return an agent of it."""
    made = SHARED / "vaults" / "reference-init"
    shutil.copytree(made if made.is_dir() else ROOT / "examples" / "vault", vault)
    for path in (vault, *vault.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
    return "field-researcher" if made.is_dir() else "fern"


def _said(stays: bool) -> str:
    return "stays" if stays else "the client's words"


if __name__ == "__main__":
    sys.exit(main())
