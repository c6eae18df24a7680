"""Units to start from: valid ones, and the bytes of changed ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Kind, Place, Problem, Unit, Verdict
from atomic_agents.units import Limits, Neighbours, judge
from atomic_agents.vault.kinds import Layout

TODAY = dt.date(2026, 12, 1)

NOTE = {
    "schema_version": "1",
    "name": "Answer before background",
    "description": "Lead with the answer, then the reasons",
    "type": "feedback",
    "captured": "2026-11-20",
    "last_seen": "2026-11-20",
    "sources": "[conversation_2026-11-20]",
    "confidence": "high",
}
PAGE = NOTE | {"type": "wiki_page", "sources": "[raw/report.md]", "provenance": "distilled"}

NOTE_PATH = "alpha/memory/feedback_answer_first.md"
PAGE_PATH = "alpha/wiki/debt_methods.md"


def frontmatter(fields: Mapping[str, str | None]) -> str:
    """Return lines `key: value`; a value of None leaves the key out."""
    return "".join(f"{key}: {value}\n" for key, value in fields.items() if value is not None)


def note(body: str = "\nBody.\n", **changes: str | None) -> bytes:
    """Return a valid note with some fields written otherwise, or left out where None."""
    return f"---\n{frontmatter(NOTE | changes)}---\n{body}".encode()


def page(body: str = "\nBody.\n", **changes: str | None) -> bytes:
    """Return a valid wiki page with some fields written otherwise."""
    return f"---\n{frontmatter(PAGE | changes)}---\n{body}".encode()


def verdict(
    data: bytes,
    path: str = NOTE_PATH,
    *,
    schemas: SchemaSet | None = None,
    today: dt.date = TODAY,
    limits: Limits | None = None,
    neighbours: Neighbours | None = None,
    former_body_bytes: int | None = None,
) -> Verdict:
    """Judge bytes as of 2026-12-01."""
    return judge(
        Layout().place(path),
        data,
        schemas=schemas or SchemaSet.packaged(),
        today=today,
        limits=limits or Limits(),
        neighbours=neighbours,
        former_body_bytes=former_body_bytes,
    )


def codes(judged: Verdict) -> list[str]:
    """Return the codes of all problems, sorted."""
    return sorted(problem.code for problem in judged.problems)


def only(judged: Verdict, code: str) -> Problem:
    """Return the one problem with a code."""
    found = [problem for problem in judged.problems if problem.code == code]
    assert len(found) == 1, f"expected one {code}, found {judged.problems}"
    return found[0]


def unit(path: str = NOTE_PATH, **changes: object) -> Unit:
    """Return a unit as the store would know it."""
    values: dict[str, object] = {
        "path": path,
        "schema_version": 1,
        "name": "Another",
        "description": "Something else",
        "type": "feedback",
        "captured": "2026-11-20",
        "last_seen": "2026-11-20",
    }
    return Unit(**(values | changes))  # type: ignore[arg-type]


class FakeNeighbours:
    """Neighbours in memory: files that exist, units, and whether the index names everything."""

    def __init__(self, *files: str, units: Sequence[Unit] = (), indexed: bool | None = True) -> None:
        self._files = {*files, *(each.path for each in units)}
        self._units = {each.path: each for each in units}
        self._indexed = indexed

    def exists(self, path: str) -> bool:
        return path in self._files

    def called(self, agent: str, name: str) -> Sequence[str]:
        prefix = f"{agent}/" if agent else ""
        return sorted(path for path in self._files if path.startswith(prefix) and path.endswith(f"/{name}"))

    def unit(self, path: str) -> Unit | None:
        return self._units.get(path)

    def named(self, layer_dir: str, key: str) -> Sequence[Unit]:
        from atomic_agents.units import name_key

        return [each for each in self._in(layer_dir) if name_key(each.name) == key]

    def pinned(self, layer_dir: str) -> Sequence[Unit]:
        return [each for each in self._in(layer_dir) if each.pinned]

    def is_indexed(self, place: Place) -> bool | None:
        assert place.kind in {Kind.NOTE, Kind.WIKI}
        return self._indexed

    def _in(self, layer_dir: str) -> list[Unit]:
        return [each for each in self._units.values() if each.path.startswith(f"{layer_dir}/")]
