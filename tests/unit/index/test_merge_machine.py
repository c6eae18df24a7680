"""An operator, tools and the daemon at one INDEX, in any order: no authored word goes, every unit is there once."""

from __future__ import annotations

import itertools
import re

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from atomic_agents.index.check import check
from atomic_agents.index.match import match
from atomic_agents.index.merge import Scope, known_of, merge
from atomic_agents.index.sheet import read_sheet
from atomic_agents.index.wanted import wanted_of
from unit.index.desk import SECTIONS, Desk

KINDS = ["feedback", "decision", "user", "project", "reference"]
FILES = [f"{kind}_{name}.md" for kind in KINDS[:3] for name in "abc"] + ["sub/project_deep.md"]
TEXTS = [
    SECTIONS,
    "# M\n\nProse.\n\n## Critical Feedback\n- [A](feedback_a.md) — mine\n\n<!-- help\n- [x](gone.md) -->\n\n## Own\n\nwords\n",
    "- [[feedback_a|A]] — mine\n- [[user_b]] - x",
    "---\ntitle: x\n---\n# M\n\n## Regeln\n\n* **[A](feedback_a.md)**: mine\n* [B](./feedback_b.md): b\n\n## Archive\n\n(none)\n",
    "# M\n\n- `feedback_a` — use it\n- `feedback_b` — use it\n\n| t |\n|---|\n| [u](user_a.md) |\n",
]
BLOCKS = [
    ["Prose {0}."],
    ["", "Prose {0}.", ""],
    ["  - nested {0}"],
    ["    deep {0}"],
    ["<!-- {0} -->"],
    ["<!--", "- [x](gone.md) — {0}", "-->"],
    ["```", "- [x](gone.md) — {0}", "```"],
    ["", "## Own {0}", ""],
    ["### Deeper {0}"],
    ["| {0} | b |"],
    ["(none yet — {0}", "more)"],
    ["- [Later](feedback_later.md) — {0}"],
    ["- words {0}"],
    ["1. words {0}"],
    ["{0} with trailing blanks  "],
    ["---", "{0}"],
]
INDEXES = st.integers(0, 10_000)
WORDS = st.sampled_from(
    ["use it", "a [b](c.md) d", "<!-- x", "`code` — more", "new\n# text", "[x] y", "word " * 80]
)


class Operator(RuleBasedStateMachine):
    """The rules are what happens; `sync` is the daemon."""

    @initialize(
        text=st.sampled_from(TEXTS),
        end=st.sampled_from(["\n", "\r\n"]),
        bom=st.booleans(),
        most=st.sampled_from([150, 30]),
    )
    def begin(self, text, end, bom, most):
        self.numbers = itertools.count()
        self.marks, self.hands = set(), {}
        self.units = {}
        end = end if text.count("\n") > 1 else "\n"  # one line end may go, and its kind with it
        data = (("\ufeff" if bom else "") + text.replace("\n", end)).encode()
        self.end = end
        self.desk = Desk(data, max_lines=most)
        self.clean = False

    # the operator

    @rule(block=st.sampled_from(BLOCKS), at=INDEXES, which=INDEXES)
    def write_lines(self, block, at, which):
        mark = f"mark{next(self.numbers)}x"
        self.marks.add(mark)
        name = sorted(self.desk.files)[which % len(self.desk.files)]
        opens = any(sign in line for line in block for sign in ("```", "<!--", "-->"))
        self.insert(name, self.places(name, anywhere=not opens), at, [line.format(mark) for line in block])

    @precondition(lambda self: self.clean and self.entries())
    @rule(which=INDEXES, part=st.sampled_from(["hook", "title"]))
    def edit_entry(self, which, part):
        name, number, line, file = self.entries()[which % len(self.entries())]
        hand = f"hand{next(self.numbers)}x"
        if part == "hook":
            new = re.sub(r"(— |: | - )\S.*$", rf"\g<1>{hand}", line)
        else:
            new = re.sub(r"\[[^\[\]]*\]\(", f"[{hand}](", line, count=1)
        if new != line:
            lines = self.lines(name)
            lines[number] = new
            self.put(name, lines)
            self.hands[file] = {one for one in self.hands.get(file, set()) if one in new} | {hand}

    @precondition(lambda self: self.clean and self.entries())
    @rule(which=INDEXES, to=INDEXES)
    def move_entry(self, which, to):
        name, number, line, _ = self.entries()[which % len(self.entries())]
        lines = self.lines(name)
        del lines[number]
        self.put(name, lines)
        self.insert(name, self.places(name), to, [line])

    @precondition(lambda self: self.clean and self.entries())
    @rule(which=INDEXES)
    def remove_entry(self, which):
        name, number, _, file = self.entries()[which % len(self.entries())]
        lines = self.lines(name)
        del lines[number]
        self.put(name, lines)
        if any(row.owner == file for sheet in self.sheets() for row in sheet.rows):
            self.hands.pop(file, None)  # a line by title alone says enough: what was removed stays so

    # agents and tools

    @rule(file=st.sampled_from(FILES), description=WORDS, name=st.sampled_from(["", "Name ", "A ] b "]))
    def write_note(self, file, description, name):
        known = self.desk.units.get(file) or self.units.pop(file, None)
        self.desk.note(file, f"{name}{file[:-3]}", description)
        if known is not None:
            self.desk.change(file, type=known.type, superseded_by=known.superseded_by)
        self.clean = False

    @precondition(lambda self: self.desk.units)
    @rule(which=INDEXES, kind=st.sampled_from(KINDS))
    def change_type(self, which, kind):
        self.desk.change(self.some(which), type=kind)
        self.clean = False

    @precondition(lambda self: self.desk.units)
    @rule(which=INDEXES, by=st.sampled_from([None, "feedback_a.md", "gone.md", "persona/USER.md#x"]))
    def supersede(self, which, by):
        self.desk.change(self.some(which), superseded_by=by)
        self.clean = False

    @precondition(lambda self: self.desk.units)
    @rule(which=INDEXES, hold=st.booleans())
    def lose_note(self, which, hold):
        file = self.some(which)
        self.units[file] = self.desk.hold(file) if hold else self.desk.drop(file)
        self.clean = False

    @precondition(lambda self: self.units)
    @rule(which=INDEXES)
    def bring_note_back(self, which):
        file = sorted(self.units)[which % len(self.units)]
        self.desk.units[file] = self.units.pop(file)
        self.desk.present.discard(file)
        self.clean = False

    @precondition(lambda self: self.clean and self.desk.units)
    @rule(which=INDEXES)
    def rename_note(self, which):
        old = self.some(which)
        new = f"{old.partition('_')[0]}_renamed_{next(self.numbers)}.md"
        self.desk.rename(old, new)
        if old in self.hands:
            self.hands[new] = self.hands.pop(old)

    @precondition(lambda self: self.clean and self.desk.units)
    @rule(which=INDEXES)
    def capture_again(self, which):
        """A tool drops the line of a note wherever it stands in INDEX.md and puts a plain one at the top."""
        file = self.some(which)
        unit = self.desk.units[file]
        if unit.superseded_by or "\n" in unit.description or f"({file})" not in self.desk.text:
            return
        pattern = re.compile(rf"- \[.*?\]\({re.escape(file)}\)")
        lines = [line for line in self.desk.text.split(self.end) if not pattern.match(line)]
        heading = "## Critical Feedback"
        if heading in lines and len(lines) < len(self.desk.text.split(self.end)):
            lines.insert(lines.index(heading) + 1, f"- [{unit.name}]({file}) — {unit.description}")
            self.desk.text = self.end.join(lines)
            self.desk.sync(touched={file})
            self.look()

    # the daemon

    @rule()
    def sync(self):
        self.desk.sync()
        self.look()

    def look(self):
        self.clean = True
        desk = self.desk
        text = "\n".join(desk.read(name) for name in sorted(desk.files))
        text = re.sub(r"(?m)^- \[INDEX_.*$", "", text)
        for mark in self.marks:
            assert text.count(mark) == 1, mark
        for file, hands in self.hands.items():
            if file in desk.units:
                for hand in hands:
                    assert hand in self.entry_of(file), (file, hand)
        wanted = wanted_of(desk.units.values(), desk.layer_dir)
        report = check(
            desk.files,
            wanted,
            desk.remembered,
            Scope(desk.layer_dir, "memory", "Alpha", present=frozenset(desk.present)),
        )
        assert report.orphans == ()
        assert report.duplicates == ()
        scope = Scope(desk.layer_dir, "memory", "Alpha", desk.settings, frozenset(desk.present))
        assert merge(desk.files, wanted, {}, scope).files == {}, "another host writes something else"

    @invariant()
    def line_ends_are_one_kind(self):
        if hasattr(self, "desk") and self.clean and self.end == "\r\n":
            assert all(data.count(b"\n") == data.count(b"\r\n") for data in self.desk.files.values())

    def some(self, which):
        return sorted(self.desk.units)[which % len(self.desk.units)]

    def sheets(self):
        """The index files with the rows' owners set."""
        wanted = wanted_of(self.desk.units.values(), self.desk.layer_dir)
        sheets = [read_sheet(name, self.desk.files[name]) for name in sorted(self.desk.files)]
        match(sheets, known_of(wanted, self.desk.remembered, Scope(self.desk.layer_dir, "memory", "Alpha")))
        return sheets

    def entries(self):
        """The entries of units in link form: index file, number of the line, line, unit."""
        return [
            (sheet.name, number, row.line.text, row.owner)
            for sheet in self.sheets()
            for number, row in enumerate(sheet.rows)
            if row.owner in self.desk.units and "](" in row.line.text and "mark" not in row.line.text
        ]

    def entry_of(self, file):
        """The line that is a unit's entry."""
        return next(row.line.text for sheet in self.sheets() for row in sheet.rows if row.owner == file)

    def places(self, name, *, anywhere=False):
        """The numbers of the lines before which something may be put, outside of fences and comments."""
        sheet = read_sheet(name, self.desk.files[name])
        rows = [n for n, row in enumerate(sheet.rows) if n and (anywhere or not row.line.is_inside)]
        return [*rows, *([] if sheet.is_open and not anywhere else [len(sheet.rows)])]

    def lines(self, name):
        return [row.line.text for row in read_sheet(name, self.desk.files[name]).rows]

    def insert(self, name, places, which, new):
        lines = self.lines(name)
        at = places[which % len(places)] if places else len(lines)
        lines[at:at] = new
        self.put(name, lines)

    def put(self, name, lines):
        """Write an index file as an editor does: one kind of line end, mark and final newline as before."""
        data = self.desk.files[name]
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        text = self.end.join(lines) + (self.end if data.endswith(b"\n") and lines else "")
        self.desk.files[name] = mark + text.encode()
        self.clean = False


TestOperator = Operator.TestCase
TestOperator.settings = settings(
    stateful_step_count=30,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)
