"""Killed at any time, the next start leaves everything consistent (contract [D-5])."""

from __future__ import annotations

import random
import re
import signal
import threading

import pytest

from fakes.notes import bad_note, note, put

HOOK = "kept by hand"


class Writer(threading.Thread):
    """Writes, changes, breaks and removes notes, and edits hooks, until told to stop; remembers every content."""

    def __init__(self, vault, seed):
        super().__init__()
        self.vault = vault
        self.rng = random.Random(seed)
        self.stopping = threading.Event()
        self.contents = set()
        self.number = 0

    def run(self):
        while not self.stopping.wait(self.rng.random() * 0.02):
            self.step()

    def step(self):
        self.number += 1
        path = f"alpha/memory/feedback_rule_{self.rng.randrange(30)}.md"
        choice = self.rng.random()
        if choice < 0.6:
            self.write(path, note(f"Rule {self.number}", f"version {self.number}"))
        elif choice < 0.8:
            self.write(path, bad_note().replace("A rule", f"Broken {self.number}"))
        elif choice < 0.9:
            (self.vault / path).unlink(missing_ok=True)
        else:
            self.write(f"alpha/memory/feedback_new_rule_{self.number}.md", note(f"New {self.number}"))

    def write(self, path, text):
        self.contents.add((path, text))
        target = self.vault / path
        temporary = target.with_name(f".{target.name}.tmp")
        temporary.write_text(text)
        temporary.replace(target)


def rounds(daemon, vault, number, seed):
    rng = random.Random(seed)
    memory = vault / "alpha/memory"
    put(vault, "alpha/memory/feedback_edited_by_hand.md", note("Edited", "as generated"))
    daemon.start()
    daemon.sync()
    index = memory / "INDEX.md"
    index.write_text(index.read_text().replace("as generated", HOOK))
    daemon.sync()
    daemon.kill()
    for turn in range(number):
        daemon.start(ready=False)
        writer = Writer(vault, seed * 1000 + turn)
        writer.start()
        writer.stopping.wait(0.2 + rng.random() * 1.2)
        daemon.send(signal.SIGKILL)
        writer.stopping.set()
        writer.join()
        daemon.wait()
        daemon.start()
        daemon.sync()
        check(vault, HOOK)
        daemon.kill()


def check(vault, hook):
    memory = vault / "alpha/memory"
    text = "".join(path.read_text() for path in memory.glob("INDEX*.md"))
    targets = [name for name in re.findall(r"\]\((\S+?\.md)\)", text) if not name.startswith("INDEX")]
    names = sorted(path.name for path in memory.glob("feedback_*.md"))
    assert sorted(targets) == names, "every unit once, nothing else"
    assert hook in text
    assert not list(vault.rglob(".*.tmp")), "a temporary file stays"
    for path in memory.glob("feedback_*.md"):
        assert "confidence: high" in path.read_text(), f"{path.name} is invalid and in place"
    for incident in (vault / "_quarantine").glob("*"):
        assert len(list(incident.iterdir())) == 2, incident


@pytest.mark.timeout(300)
def test_eight_kills_during_mixed_writes(make_daemon, vault):
    rounds(make_daemon(vault, grace=0.3, quiet_ms=60, breaker=100_000), vault, 8, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_kills_during_mixed_writes(make_daemon, vault, seed):
    rounds(make_daemon(vault, grace=0.3, quiet_ms=60, breaker=1_000_000), vault, 100, seed=seed + 2)
