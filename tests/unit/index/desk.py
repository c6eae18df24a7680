"""A layer on a desk: units and index files in memory, merged as the daemon would."""

from __future__ import annotations

import dataclasses

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index.lines import Kind
from atomic_agents.index.merge import INDEX, Scope, merge
from atomic_agents.index.sheet import read_sheet
from atomic_agents.index.wanted import kind_of, wanted_of
from atomic_agents.model import Unit

SECTIONS = """# Alpha — Memory Index

Intro text by the operator.

---

## Critical Feedback

- [Seed rule](feedback_seed_rule.md) — seeded

## Locked Decisions

## User Profile

## Active Projects

## Reference

## Recently Promoted to Persona

## Archive (superseded)

(none)
"""


class Desk:
    """One layer. `sync` merges, keeps the outcome, and checks that a second merge changes nothing."""

    def __init__(self, text: str | bytes | None = SECTIONS, layer="memory", **settings):
        self.layer = layer
        self.layer_dir = f"alpha/{layer}"
        self.files = {} if text is None else {INDEX: text.encode() if isinstance(text, str) else text}
        self.units = {}
        self.present = set()
        self.remembered = {}
        self.settings = Settings(**settings)
        if text == SECTIONS:
            self.note("feedback_seed_rule.md", "Seed rule", "seeded")

    def note(self, file, name=None, description="use it", **fields):
        kind = fields.pop("type", None) or (kind_of(file) or "wiki_page")
        if self.layer == "wiki":
            kind = "wiki_page"
        defaults = {"captured": "2026-05-06", "last_seen": "2026-05-06"} | fields
        name = file.removesuffix(".md") if name is None else name
        self.units[file] = Unit(f"{self.layer_dir}/{file}", 1, name, description, str(kind), **defaults)
        self.present.discard(file)
        return self

    def change(self, file, **fields):
        self.units[file] = dataclasses.replace(self.units[file], **fields)
        return self

    def drop(self, file):
        self.present.discard(file)
        return self.units.pop(file, None)

    def hold(self, file):
        """The file is there, but not valid now."""
        self.present.add(file)
        return self.units.pop(file, None)

    def sync(self, *, renames=None, touched=()):
        merged = self._merge(renames or {}, touched)
        self.files |= merged.files
        self.remembered = merged.remembered
        again = self._merge({}, ())
        assert again.files == {}
        assert again.remembered == self.remembered
        return merged

    def rename(self, old, new):
        unit = self.units.pop(old)
        self.units[new] = dataclasses.replace(unit, path=f"{self.layer_dir}/{new}")
        return self.sync(renames={old: new})

    @property
    def text(self):
        return self.files[INDEX].decode()

    @text.setter
    def text(self, value):
        self.files[INDEX] = value.encode()

    def read(self, name):
        return self.files[name].decode()

    def edit(self, old, new, name=INDEX):
        """The operator replaces a text that is there just once."""
        text = self.read(name)
        assert text.count(old) == 1, (old, text)
        self.files[name] = text.replace(old, new).encode()
        return self

    def where(self, file):
        """The index files that hold an entry of a file."""
        return [
            name for name, data in sorted(self.files.items()) for _ in range(data.count(f"({file})".encode()))
        ]

    def lines(self, file):
        """The entries of a file, wherever they stand."""
        return [line for line in self.text.split("\n") if f"({file})" in line]

    def section(self, file):
        """The heading that a file's only entry stands under."""
        heading, found = "", []
        for row in read_sheet(INDEX, self.files[INDEX]).rows:
            if row.line.kind is Kind.HEADING:
                heading = row.line.title
            if f"({file})" in row.line.text and row.line.entry is not None:
                found.append(heading)
        assert len(found) == 1, found
        return found[0]

    def _merge(self, renames, touched):
        scope = Scope(
            self.layer_dir,
            self.layer,
            "Alpha",
            self.settings,
            frozenset(self.present),
            renames,
            frozenset(touched),
        )
        return merge(self.files, wanted_of(self.units.values(), self.layer_dir), self.remembered, scope)


def added(before, after):
    """The lines that a merge added, all others being the same and in the same order."""
    lines, new = before.split("\n"), []
    for line in after.split("\n"):
        if lines and line == lines[0]:
            lines.pop(0)
        else:
            new.append(line)
    assert not lines, f"gone or moved: {lines}"
    return new
