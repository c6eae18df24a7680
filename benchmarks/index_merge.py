"""What merging one changed unit into a large index costs, in-process, and what it is a multiple of.

    python benchmarks/index_merge.py
    python benchmarks/index_merge.py --units 5000 --rounds 50 --most 30

The index is generated, the same for the same number of units. `one file` is an INDEX.md that shall not be
split, `split` the same in sub-indexes. A round changes one unit's description and merges; `plain pass` is
the least that any writer does who keeps the other lines: decode, find the line by a regular expression,
replace it, encode. `anew` is the first merge, which makes every entry. Milliseconds of processor time, so
that what else the machine does counts less; ratios are of medians. With `--most` the exit status is 1 if
the quickest round of either is above it.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index.merge import Scope, merge
from atomic_agents.index.wanted import wanted_of
from atomic_agents.model import Unit

LAYER = "alpha/memory"
KINDS = ("feedback", "decision", "user", "project", "reference")
WORDS = ("amber", "brisk", "calm", "dense", "early", "faint", "glossy", "hollow", "level", "narrow", "quiet")


def units(count: int) -> dict[str, Unit]:
    """Return generated units by file."""
    rng = random.Random(count)
    made = {}
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        file = f"{kind}_{rng.choice(WORDS)}_{rng.choice(WORDS)}_{number}.md"
        name, description = f"{rng.choice(WORDS).title()} {number}", " ".join(rng.choices(WORDS, k=12))
        made[file] = Unit(f"{LAYER}/{file}", 1, name, description, kind, "2026-05-06", "2026-05-06")
    return made


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return how many milliseconds of processor time a call takes, and what it returns."""
    begin = time.process_time()
    result = call(*arguments)
    return (time.process_time() - begin) * 1000, result


def measure(count: int, rounds: int, split: str) -> dict[str, list[float]]:
    """Return the milliseconds of each round, by what was done."""
    have = units(count)
    scope = Scope(LAYER, "memory", "Alpha", Settings(split=split))
    anew, merged = timed(merge, {}, wanted_of(have.values(), LAYER), {}, scope)
    files, remembered = dict(merged.files), merged.remembered
    figures: dict[str, list[float]] = {"anew": [anew], "wanted": [], "merge": [], "plain pass": []}
    for number in range(rounds):
        file = list(have)[number * 37 % count]
        have[file] = dataclasses.replace(have[file], description=f"changed in round {number}")
        spent, wanted = timed(wanted_of, have.values(), LAYER)
        figures["wanted"].append(spent)
        spent, merged = timed(merge, files, wanted, remembered, scope)
        figures["merge"].append(spent)
        figures["plain pass"].append(timed(plain_pass, files, file)[0])
        assert len(merged.files) == 1
        files |= merged.files
        remembered = merged.remembered
    return figures


def plain_pass(files: dict[str, bytes], file: str) -> dict[str, bytes]:
    """Find one line by a regular expression, as a writer without memory does, and put another there."""
    pattern = re.compile(rf"^- \[.*?\]\({re.escape(file)}\).*?$", re.MULTILINE)
    texts = {name: pattern.sub("- new", data.decode()).split("\n") for name, data in files.items()}
    return {name: "\n".join(lines).encode() for name, lines in texts.items()}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--units", type=int, default=5000, help="units in the layer (default 5000)")
    parser.add_argument("--rounds", type=int, default=30, help="changes that are merged (default 30)")
    parser.add_argument(
        "--most", type=float, help="milliseconds that the quickest round may take; more is exit status 1"
    )
    given = parser.parse_args()
    worst = 0.0
    print(f"{given.units} units, {given.rounds} rounds, milliseconds of processor time")
    print(f"{'':10} {'merge min':>10} {'median':>8} {'max':>8} {'of plain':>9} {'of anew':>8} {'wanted':>8}")
    for label, split in (("one file", "never"), ("split", "auto")):
        figures = measure(given.units, given.rounds, split)
        merged = figures["merge"]
        median = statistics.median(merged)
        plain = statistics.median(figures["plain pass"])
        print(
            f"{label:10} {min(merged):10.1f} {median:8.1f} {max(merged):8.1f} {median / plain:8.1f}x"
            f" {median / figures['anew'][0]:7.2f}x {statistics.median(figures['wanted']):8.1f}"
        )
        worst = max(worst, min(merged))
    return 1 if given.most is not None and worst > given.most else 0


if __name__ == "__main__":
    sys.exit(main())
