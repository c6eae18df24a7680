"""Other programs write INDEX.md while the daemon does: no line of theirs goes (contract [INDEX-4], case IX13)."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest

from fakes.notes import note, put

SECONDS = 20

HAMMER = """
import os, random, sys, time
path, seconds, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
rng, number, end = random.Random(seed), 0, time.monotonic() + seconds
while time.monotonic() < end:
    with open(path, "rb") as handle:
        text = handle.read()
    time.sleep(rng.random() * 0.004)
    with open(path + ".hammer", "wb") as handle:
        handle.write(text + b"operator line %d-%d\\n" % (seed, number))
    os.replace(path + ".hammer", path)
    number += 1
    time.sleep(rng.random() * 0.03)
print(number)
"""


def indexes(vault):
    return {path.name: path.read_text() for path in (vault / "alpha/memory").glob("INDEX*.md")}


@pytest.mark.parametrize("split", ["never", "auto"])
def test_a_program_that_hammers_the_index_loses_no_line(make_daemon, vault, split):
    index = vault / "alpha/memory/INDEX.md"
    put(vault, "alpha/memory/feedback_first_rule.md", note("First"))
    daemon = make_daemon(vault, config=f'[index]\nsplit = "{split}"\nmax_lines = 40\n').start()
    daemon.sync()
    command = [sys.executable, "-c", HAMMER, str(index), str(SECONDS), "7"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hammer:
        number = 0
        while hammer.poll() is None:
            put(
                vault,
                f"alpha/memory/feedback_{chr(97 + number % 26)}_rule_{number}.md",
                note(f"Rule {number}"),
            )
            number += 1
            time.sleep(0.1)
        written = int(hammer.stdout.read())
    daemon.sync()
    texts = indexes(vault)
    found = re.findall(r"^operator line 7-(\d+)$", texts["INDEX.md"], re.MULTILINE)
    assert found == [str(line) for line in range(written)]
    assert written > 100
    targets = [target for text in texts.values() for target in re.findall(r"\]\((feedback_[^)]*)\)", text)]
    assert sorted(targets) == sorted(path.name for path in (vault / "alpha/memory").glob("feedback_*.md"))
    assert not daemon.events("daemon.failed")
    assert daemon.sync()["written"] == []
