"""Mending what is mechanical in one unit, each step only if its result is better (contract [WRITE-1])."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Place, Problem, Verdict
from atomic_agents.units.fixing_draft import Draft, LineEdit, Mend
from atomic_agents.units.fixing_fences import mend_closing, mend_opening
from atomic_agents.units.fixing_fields import mend_fields
from atomic_agents.units.fixing_yaml import mend_yaml
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.limits import Limits
from atomic_agents.units.rules import judge

MENDED_WARNINGS: Final = frozenset({"bom", "yaml-comment-cut"})
"""Warnings that are mended too; a file with other warnings only is left alone."""

_HANDS_OFF: Final = frozenset(
    {"not-utf8", "nul-byte", "too-large", "conflict-markers", "sync-conflict", "schema-version-unsupported"}
)
"""With one of these, nobody but its owner can tell what the file should say."""

_UNREADABLE: Final = frozenset({"frontmatter-missing", "frontmatter-unclosed", "yaml-syntax"})


@dataclass(frozen=True, slots=True)
class Fix:
    """What was mended, and what is left.

    Args:
        before: the verdict on the unit as it is.
        after: the verdict on `data`.
        data: the mended bytes; the former ones if nothing was mended.
        mends: what was done, in the order of the lines.

    """

    before: Verdict
    after: Verdict
    data: bytes
    mends: tuple[Mend, ...] = ()

    @property
    def left(self) -> tuple[Problem, ...]:
        """What has to be mended by hand: every error, and the warnings that might have been mended."""
        return tuple(
            each for each in self.after.problems if each.severity == "error" or each.code in MENDED_WARNINGS
        )


def fix(place: Place, data: bytes, *, schemas: SchemaSet, today: dt.date, limits: Limits) -> Fix:
    """Return a unit with what is mechanical mended; every other byte stays, and so does a valid file.

    A step is taken back unless the fault that it mends is gone and no new error came; errors that could not
    be seen before, since the frontmatter could not be read, are not new.

    Args:
        place: where the unit lies; a note or a wiki page.
        data: its content.
        schemas: the versions in force.
        today: the local date.
        limits: what the operator set.

    """
    fixer = _Fixer(place, schemas, today, limits)
    before = fixer.judge(data)
    codes = {each.code for each in before.problems}
    if codes & _HANDS_OFF or (before.is_valid and not codes & MENDED_WARNINGS):
        return Fix(before, before, data)
    draft = fixer.mend(Draft.of(data))
    mends = tuple(sorted(draft.mends, key=lambda mend: (mend.first, mend.last)))
    return Fix(before, fixer.judge(draft.data), draft.data, mends)


class _Fixer:
    def __init__(self, place: Place, schemas: SchemaSet, today: dt.date, limits: Limits) -> None:
        self._place = place
        self._schemas = schemas
        self._today = today
        self._limits = limits

    def judge(self, data: bytes) -> Verdict:
        return judge(self._place, data, schemas=self._schemas, today=self._today, limits=self._limits)

    def mend(self, draft: Draft) -> Draft:
        if draft.bom:
            draft = draft.without_bom()
        if _is_broken(read(draft.data)):
            draft = self._readable(draft)
        return self._mend_fields(draft)

    def _readable(self, draft: Draft) -> Draft:
        """Return the first way to make the frontmatter readable; the draft as it is if there is none."""
        before = self.judge(draft.data)
        for candidate in self._candidates(draft):
            made = candidate.mends[len(draft.mends) :]
            if made and _is_better(before, self.judge(candidate.data), made, was_readable=False):
                return candidate
        return draft

    def _candidates(self, draft: Draft) -> Iterator[Draft]:
        opened = draft.edited(mend_opening(draft.text))
        yield self._with_yaml(opened)
        if opened.text.startswith("---"):
            for edit in mend_closing(opened.text, self._fields()):
                yield self._with_yaml(opened.edited([edit]))

    def _with_yaml(self, draft: Draft) -> Draft:
        reading = read(draft.data)
        if reading.fences is None or not _is_broken(reading):
            return draft
        offset = reading.text.count("\n", 0, reading.fences.start)
        edits = mend_yaml(reading.block, self._is_text_list)
        return draft.edited(edit.below(offset) for edit in edits)

    def _mend_fields(self, draft: Draft) -> Draft:
        """Return it with each field mended that can be, one by one."""
        tried: set[LineEdit] = set()
        while (edit := self._next_field(draft, tried)) is not None:
            candidate = draft.edited([edit])
            tried.add(edit)
            before, after = self.judge(draft.data), self.judge(candidate.data)
            if _is_better(before, after, candidate.mends[-1:], was_readable=True):
                draft = candidate
        return draft

    def _next_field(self, draft: Draft, tried: set[LineEdit]) -> LineEdit | None:
        reading = read(draft.data)
        if _is_broken(reading):
            return None
        problems = self.judge(draft.data).problems
        edits = mend_fields(reading, problems, self._place.kind, self._schemas)
        return next((edit for edit in edits if edit not in tried), None)

    def _fields(self) -> frozenset[str]:
        return frozenset(self._schemas.table(self._schemas.current, self._place.kind).fields)

    def _is_text_list(self, field: str) -> bool:
        fields = self._schemas.table(self._schemas.current, self._place.kind).fields
        return bool(fields.get(field, {}).get("type") == "array")


def _is_broken(reading: Reading) -> bool:
    """Whether fences or YAML keep the fields, or some of them, from being seen."""
    return any(fault.code in _UNREADABLE for fault in reading.faults)


def _is_better(before: Verdict, after: Verdict, mends: Sequence[Mend], *, was_readable: bool) -> bool:
    """Whether every fault that was mended is gone, and no error came that was not there."""
    told, now = Counter(map(_key, before.problems)), Counter(map(_key, after.problems))
    for mend in mends:
        key = (mend.code, None if mend.code in _UNREADABLE else mend.field)
        if now[key] and now[key] >= told[key]:
            return False
    new = {_key(each) for each in after.errors} - told.keys()
    if was_readable:
        return not new
    fields = {mend.field for mend in mends if mend.field is not None}
    return not any(code in _UNREADABLE for code, _ in now) and not any(field in fields for _, field in new)


def _key(problem: Problem) -> tuple[str, str | None]:
    return problem.code, None if problem.code in _UNREADABLE else problem.field
