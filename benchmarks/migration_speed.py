"""How fast a migration and a rollback are: phases, and the ratio to another implementation of the contract.

    python benchmarks/migration_speed.py --units 5000
    python benchmarks/migration_speed.py --units 5000 --peer .venv-peer/bin/python --rounds 3
    python benchmarks/migration_speed.py --units 100000 --phases

The vault is generated, the same for the same number of units. `--peer` names the python of an environment
that has `atomic-agents-stack` 2.0.0; its version constant is raised by a driver so that its run completes,
and ours gets schema files. Rounds are interleaved, each on a fresh vault; whole processes are timed, imports
included, but for the snapshot, which is one call. The CPU seconds say what a machine with a quick disk would
show; where an fsync costs a millisecond or more, the wall clock differs more than they do.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from atomic_agents import schemas
from atomic_agents.migration import FilesystemMigrationBackend
from atomic_agents.migration.sheet import Surroundings

SCRIPT = """
from atomic_agents.migration import MigratableUnit
FROM_VERSION = 1
TO_VERSION = 2
def applies_to(unit: MigratableUnit) -> bool:
    return unit.read_frontmatter().get("schema_version") == FROM_VERSION
def migrate(unit: MigratableUnit) -> dict:
    meta = unit.read_frontmatter()
    meta["schema_version"] = TO_VERSION
    meta["origin"] = "v1_migrated"
    unit.write_frontmatter(meta)
    return {"unit_id": unit.unit_id, "changes": ["bump"]}
"""
PEER = """
import sys
import atomic_agents._schema as schema
schema.CURRENT_SCHEMA_VERSION = 2
import atomic_agents.migration.filesystem as filesystem
if hasattr(filesystem, "CURRENT_SCHEMA_VERSION"):
    filesystem.CURRENT_SCHEMA_VERSION = 2
from atomic_agents.migrate import main
sys.argv[0] = "migrate"
sys.exit(main())
"""
SNAPSHOT = """
import pathlib, sys, time
from atomic_agents.migration import FilesystemMigrationBackend
backend = FilesystemMigrationBackend(pathlib.Path(sys.argv[1]))
began = time.perf_counter()
ref = backend.snapshot(2)
print(time.perf_counter() - began)
backend.list_snapshots()[-1].unlink()
"""
LINE = "Line {} of the body, with words enough to make it as long as real notes are."
BODY = "\n".join(map(LINE.format, range(25)))


def generate(root: Path, units: int) -> None:
    """Write a vault of ten agents; every fifth unit is a wiki page."""
    for number in range(units):
        layer = "memory" if number % 5 else "wiki"
        folder = root / f"agent_{number % 10}" / layer
        folder.mkdir(parents=True, exist_ok=True)
        name = f"feedback_topic_number_{number}.md" if number % 5 else f"topic_page_{number}.md"
        kind = "feedback" if number % 5 else "wiki_page"
        more = "" if number % 5 else "provenance: distilled\n"
        (folder / name).write_text(
            f"---\nschema_version: 1\nname: Note {number}\ndescription: use it in run {number}\n"
            f"type: {kind}\n"
            f"captured: 2026-05-06\nlast_seen: 2026-05-06\nsources:\n  - raw/x.md\nconfidence: high\n{more}"
            f"tags: [a, b]\n---\n\n{BODY}\n"
        )
    migrations = root / "_migrations"
    migrations.mkdir(exist_ok=True)
    (migrations / "v1_to_v2.py").write_text(SCRIPT)


def adopt(root: Path) -> None:
    """Give the vault its own schema files for version 2 (docs/migration.md)."""
    for kind in ("note", "wiki"):
        source = Path(schemas.__file__).parent / f"v1.{kind}.schema.json"
        document = json.loads(source.read_text())
        document["properties"]["schema_version"]["const"] = 2
        target = root / f"_migrations/schemas/v2.{kind}.schema.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(document))


def finished(words: list[str], environment: dict[str, str]) -> str:
    """Return what a process printed; one that fails ends the benchmark."""
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{words}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


class Contender:
    """One implementation: its python, how it migrates, and its seconds (wall clock, CPU) for each task."""

    def __init__(self, name: str, python: str, driver: list[str], environment: dict[str, str]) -> None:
        self.name = name
        self.times: dict[str, list[tuple[float, float]]] = {"snapshot": [], "migrate": [], "rollback": []}
        self._python = python
        self._driver = driver
        self._environment = environment

    def run(self, root: Path) -> None:
        """Take a snapshot, migrate and go back, timing each."""
        took = float(finished([self._python, "-c", SNAPSHOT, str(root)], self._environment))
        self.times["snapshot"].append((took, took))
        self._command(root, "--to", "v2", "--dry-run")
        self.times["migrate"].append(self._timed(root, "--to", "v2"))
        (snapshot,) = (path.name for path in (root / "_migrations/snapshots").glob("*.tar.gz"))
        self.times["rollback"].append(self._timed(root, "--rollback", snapshot))

    def best(self, task: str, column: int) -> float:
        """Return the least seconds; column 0 is the wall clock, 1 the CPU."""
        return min(times[column] for times in self.times[task])

    def _command(self, root: Path, *words: str) -> None:
        finished([self._python, *self._driver, "--agents-root", str(root), *words], self._environment)

    def _timed(self, root: Path, *words: str) -> tuple[float, float]:
        os.sync()
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        self._command(root, *words)
        took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(units: int, rounds: int, peer: str | None, place: Path) -> None:
    """Print the times, and the ratios where there is a peer."""
    (place / "config.toml").touch()
    own = {"ATOMICD_STATE_DIR": str(place / "state"), "ATOMICD_CONFIG": str(place / "config.toml")}
    ours = Contender("atomicd", sys.executable, ["-m", "atomic_agents.migrate"], os.environ | own)
    contenders = [ours]
    if peer:
        (place / "peer.py").write_text(PEER)
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        contenders.append(Contender("peer", peer, [str(place / "peer.py")], clean))
    for number, contender in itertools.product(range(rounds), contenders):
        root = place / f"{contender.name}_{number}"
        generate(root, units)
        if contender is ours:
            adopt(root)
        contender.run(root)
    for task in ours.times:
        for contender in contenders:
            wall, cpu = contender.best(task, 0), contender.best(task, 1)
            print(f"{task:9} {contender.name:8} best of {rounds}: {wall:7.2f} s, CPU {cpu:6.2f} s")
        if peer:
            walls, cpus = (contenders[1].best(task, each) / ours.best(task, each) for each in (0, 1))
            print(f"{task:9} ratio    {walls:.1f} (CPU {cpus:.1f})")


def phases(units: int, place: Path) -> None:
    """Print how long each phase takes within one process, and the peak of memory."""
    root = place / "phases"
    generate(root, units)
    adopt(root)
    marks = [("start", time.perf_counter())]

    def progress(phase: str, _done: int, _total: int) -> None:
        if marks[-1][0] != phase:
            marks.append((phase, time.perf_counter()))

    def announce(_ref: object, _place: str) -> None:
        marks.append(("begin", time.perf_counter()))

    backend = FilesystemMigrationBackend(root, around=Surroundings(announce=announce, progress=progress))
    result = backend.run_migration(2, dry_run=False)
    assert result.validation_passed, result.error
    marks.append(("end", time.perf_counter()))
    for (name, began), (_next, ended) in itertools.pairwise(marks):
        print(f"{name:14} {ended - began:7.2f} s")
    print(f"{'total':14} {marks[-1][1] - marks[0][1]:7.2f} s for {len(result.units_touched)} units")
    began = time.perf_counter()
    backend.restore_and_audit(result.snapshot_ref)
    print(f"{'rollback':14} {time.perf_counter() - began:7.2f} s")
    print(f"peak memory    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.1f} MB")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", help="python of an environment with atomic-agents-stack 2.0.0")
    parser.add_argument("--phases", action="store_true", help="tell the phases of one run instead")
    parser.add_argument("--place", type=Path, help="an empty folder to work in; best on a fresh file system")
    given = parser.parse_args()
    place = given.place or Path(tempfile.mkdtemp(prefix="migration-speed-"))
    try:
        if given.phases:
            phases(given.units, place)
        else:
            compare(given.units, given.rounds, given.peer, place)
    finally:
        if given.place is None:
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
