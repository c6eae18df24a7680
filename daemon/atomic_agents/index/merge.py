"""Bringing a layer's index files up to date with its units, entry by entry (contract section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index.gathering import INDEX, gather, leftovers
from atomic_agents.index.homes import Homes
from atomic_agents.index.insert import Inserting
from atomic_agents.index.judge import Judging
from atomic_agents.index.lines import Kind, read_line
from atomic_agents.index.match import Known, Match, match, mentioned_in
from atomic_agents.index.pending import Pending, Writing
from atomic_agents.index.remember import remember
from atomic_agents.index.saying import Revision
from atomic_agents.index.sections import Layer, roles_of
from atomic_agents.index.split import Splitting
from atomic_agents.index.wanted import Role, Wanted
from atomic_agents.store.entries import Remembered

__all__ = ["INDEX", "Merged", "Notice", "Scope", "known_of", "merge", "merge_step", "vanishing"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a merge is about besides the units.

    Args:
        layer_dir: the layer's folder, relative to the vault: `alpha/memory`.
        layer: which layer it is.
        agent: the agent's name, for the title of a new INDEX.
        settings: `[index]` of the configuration.
        present: files that are there but not valid now: their entries stay as they are.
        renames: the new name of each unit that was renamed since the last merge, by its old name.
        touched: units whose files were written since the last merge.

    """

    layer_dir: str
    layer: Layer
    agent: str
    settings: Settings = field(default_factory=Settings)
    present: frozenset[str] = frozenset()
    renames: Mapping[str, str] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the operator should know of.

    Args:
        what: `hook` or `title` (a person's words stay while the unit says something new), `conflict`.
        file: the unit, relative to the layer's folder; the index file for a conflict.
        stands: what the line says.
        unit: what the unit says.

    """

    what: str
    file: str
    stands: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge.

    Args:
        files: the new bytes of each index file that changes, by name.
        remembered: what is to be remembered of each unit.
        notices: what the operator should know of.
        removed: units whose entries went.
        split: sub-indexes that were made.
        is_due: whether something is too long and is to be split by another step, after these writes.

    """

    files: Mapping[str, bytes]
    remembered: dict[str, Remembered]
    notices: tuple[Notice, ...] = ()
    removed: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    is_due: bool = False


def merge(
    files: Mapping[str, bytes],
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    scope: Scope,
) -> Merged:
    """Return the index files as they are to stand (contract [INDEX-1] to [INDEX-6]).

    Args:
        files: the bytes of each index file of the layer, by name relative to the layer's folder; UTF-8.
            INDEX.md may be missing or blank.
        wanted: what is wanted of each valid unit, in the order in which new entries come.
        remembered: what was remembered after the last merge, by file.
        scope: what else the merge is about.

    Raises:
        UnicodeDecodeError: a file is not UTF-8; `atomic_agents.index.damage` tells before.

    """
    merged = merge_step(files, wanted, remembered, scope)
    while merged.is_due:
        there = {**files, **merged.files}
        then = merge_step(there, wanted, merged.remembered, replace(scope, renames={}, touched=frozenset()))
        merged = replace(
            then,
            files={**merged.files, **then.files},
            notices=tuple(dict.fromkeys((*merged.notices, *then.notices))),
            removed=(*merged.removed, *then.removed),
            split=(*merged.split, *then.split),
        )
    return merged


def merge_step(
    files: Mapping[str, bytes],
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    scope: Scope,
) -> Merged:
    """Return the index files as they are to be written next: entries are never changed and split at once.

    Args:
        files: as for `merge`.
        wanted: as for `merge`.
        remembered: as for `merge`.
        scope: as for `merge`.

    Raises:
        UnicodeDecodeError: a file is not UTF-8.

    """
    return _Merging(files, wanted, remembered, scope).run()


def known_of(wanted: Iterable[Wanted], remembered: Mapping[str, Remembered], scope: Scope) -> Known:
    """Return what is known of a layer's units, under the names that they have now.

    Args:
        wanted: as for `merge`.
        remembered: as for `merge`.
        scope: as for `merge`.

    """
    return Known(
        scope.layer_dir,
        {want.file: want for want in wanted},
        _renamed(remembered, scope.renames),
        scope.present,
        {new: old for old, new in scope.renames.items() if old in remembered},
    )


def vanishing(
    wanted: Iterable[Wanted], remembered: Mapping[str, Remembered], scope: Scope
) -> tuple[str, ...]:
    """Return the units whose entries a merge would remove, for the second look of [INDEX-4].

    Args:
        wanted: as for `merge`.
        remembered: as for `merge`.
        scope: as for `merge`.

    """
    there = {want.file for want in wanted} | scope.present | scope.renames.keys()
    return tuple(file for file, base in remembered.items() if not base.gone and file not in there)


class _Merging:
    def __init__(
        self,
        files: Mapping[str, bytes],
        wanted: Sequence[Wanted],
        remembered: Mapping[str, Remembered],
        scope: Scope,
    ) -> None:
        self._files = files
        self._scope = scope
        self._known = known_of(wanted, remembered, scope)
        self._sheets = gather(files, scope.agent, scope.layer, has_units=bool(wanted))

    def run(self) -> Merged:
        splitting = Splitting(self._sheets, self._known, self._scope.settings, roles_of(self._scope.layer))
        left = {sheet.name: sheet.rows for sheet in leftovers(self._sheets)} if splitting.is_long else {}
        for sheet in self._sheets:
            sheet.rows = [] if sheet.name in left else sheet.rows
        splitting.link_lost()
        found = match(self._sheets, self._known)
        judging = self._judge(found)
        inserting = self._insert(found, judging)
        splitting.run(may_move=lambda: self._changed().keys() <= left.keys())
        revisions = {**judging.revisions, **inserting.written}
        return Merged(
            files=self._changed(),
            remembered=remember(self._sheets, self._known, revisions, judging.removed),
            notices=(*self._kept(revisions), *self._conflicts()),
            removed=tuple(judging.removed),
            split=tuple(splitting.made),
            is_due=splitting.is_due,
        )

    def _judge(self, found: Match) -> Judging:
        judging = Judging(
            self._sheets, self._known, found, self._homes(), self._writing(), self._scope.touched
        )
        judging.run()
        if judging.lost_links:
            found.mentioned = mentioned_in(self._sheets, self._known)
        return judging

    def _insert(self, found: Match, judging: Judging) -> Inserting:
        homes = self._homes()
        inserting = Inserting(
            self._sheets, homes, judging.writing, self._known.remembered, roles_of(self._scope.layer)
        )
        there = {row.owner for sheet in self._sheets for row in sheet.rows}
        there |= {one.want.file for one in judging.pending} | found.mentioned
        missing = [
            self._returning(want, homes) for want in self._known.wanted.values() if want.file not in there
        ]
        if judging.pending or missing:
            inserting.put([*judging.pending, *missing])
        return inserting

    def _returning(self, want: Wanted, homes: Homes) -> Pending:
        """Return an entry that is missing: new, or as it is remembered."""
        base = self._known.remembered.get(want.file)
        if base is None:
            return Pending(want)
        home = homes.of(Role(base.role))
        stood_at_home = home is not None and homes.sections[home].key == base.heading
        moves = base.role != want.role and stood_at_home
        return Pending(want, base, base.line, moves=moves, returns=not moves)

    def _homes(self) -> Homes:
        return Homes(self._sheets, self._known.wanted)

    def _writing(self) -> Writing:
        wanted = self._known.wanted.values()
        return Writing(self._scope.layer_dir, self._sheets, wanted, self._scope.settings)

    def _changed(self) -> dict[str, bytes]:
        found = {sheet.name: sheet.data() for sheet in self._sheets}
        return {name: data for name, data in found.items() if data != self._files.get(name, b"")}

    def _kept(self, revisions: Mapping[str, Revision]) -> Iterable[Notice]:
        for file, revision in revisions.items():
            entry = read_line(revision.text).entry if revision.kept else None
            if entry is not None and "title" in revision.kept:
                yield Notice("title", file, entry.title, revision.title)
            if entry is not None and "hook" in revision.kept:
                yield Notice("hook", file, entry.hook, revision.hook)

    def _conflicts(self) -> Iterable[Notice]:
        for sheet in self._sheets:
            may_have = b"<<<<<<<" in self._files.get(sheet.name, b"")
            if may_have and any(row.line.kind is Kind.CONFLICT for row in sheet.rows):
                yield Notice("conflict", sheet.name)


def _renamed(remembered: Mapping[str, Remembered], renames: Mapping[str, str]) -> dict[str, Remembered]:
    """Return what is remembered, under the names that the units have now."""
    result = {file: base for file, base in remembered.items() if file not in renames}
    for old, new in renames.items():
        base = remembered.get(old)
        if base is not None and (new not in result or result[new].gone):
            result[new] = replace(base, file=new)
    return result
