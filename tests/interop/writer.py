"""Write notes through another implementation's API; runs in that package's environment, never in ours.

One JSON object a line: n, op (write or repeat), file, ok, sha256 of the note, error.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
import time
from pathlib import Path

from atomic_agents.locks import get_default_lock_backend
from atomic_agents.memory.backend import WritePolicy
from atomic_agents.memory.filesystem import FilesystemBackend
from atomic_agents.types import Capture

from atomic_agents.exceptions import AtomicAgentsError

KINDS = itertools.cycle(["feedback", "decision", "user", "project", "reference"])
TEXTS = itertools.cycle(
    [
        "Plain words",
        "Rule: first this, then that",
        "See #12 — it was settled there",
        "'Quoted' and \"quoted\", with [brackets](x.md) | bars and `ticks`",
        "Crème brûlée für alle, 毎週月曜",
        "A long line that goes on and on, " * 6,
    ]
)


def captures(count, seed):
    """Yield what to write; every tenth call says again what an earlier one said."""
    said = []
    for number in range(count):
        if number % 10 == 9:
            yield "repeat", said[number // 2 % len(said)]
            continue
        said.append(
            Capture(
                type=next(KINDS),
                name=f"Client rule number {number} of {seed}",
                description=next(TEXTS).strip(),
                confidence="medium",
                sources=["observation"],
                body=f"Call {number}.\n",
            )
        )
        yield "write", said[-1]


def main():
    """Write, one call after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--interval", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    agent = chosen.root / chosen.agent
    backend, lock = FilesystemBackend(agent), get_default_lock_backend(agent)
    policy = WritePolicy(write_paths=[agent / "memory"])
    failed = False
    for number, (op, capture) in enumerate(captures(chosen.count, chosen.seed)):
        report = {"n": number, "op": op, "file": None, "ok": True}
        try:
            with lock.acquire("", timeout=30.0):
                report["file"] = backend.write_note(capture, policy).name
            note = agent / "memory" / report["file"]
            report["sha256"] = hashlib.sha256(note.read_bytes()).hexdigest()
        except (AtomicAgentsError, OSError) as error:
            report |= {"ok": False, "error": f"{type(error).__name__}: {error}"}
            failed = True
        sys.stdout.write(f"{json.dumps(report)}\n")
        sys.stdout.flush()
        time.sleep(chosen.interval)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
