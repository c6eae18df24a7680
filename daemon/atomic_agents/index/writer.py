"""Reading, merging and writing a layer's index files, never over what somebody wrote meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from atomic_agents._io import create_file, replace_file
from atomic_agents.exceptions import FileChangedError
from atomic_agents.index.damage import has_conflict
from atomic_agents.index.finding import Broken, Found, Search, index_names
from atomic_agents.index.gathering import INDEX
from atomic_agents.index.merge import Merged, Notice, Scope, merge_step
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered

__all__ = ["TRIES", "Broken", "Intend", "SetAside", "Updated", "Written", "index_names", "update_layer"]

TRIES: Final = 5

SetAside = Callable[[Broken], None]
"""Moves a damaged index file out of the way, into quarantine."""

Intend = Callable[[Mapping[str, Remembered]], None]
"""Makes durable what will be remembered, before the first file is written: a kill may come in between."""


@dataclass(frozen=True, slots=True)
class Written:
    """An index file that was written: its path relative to the vault, its bytes and its status."""

    path: str
    data: bytes
    status: os.stat_result


@dataclass(frozen=True, slots=True)
class Updated:
    """The outcome of an update.

    Args:
        written: the files that were written, in order.
        remembered: what is to be remembered of each unit; what came in, if nothing could be settled.
        notices: what the operator should know of.
        removed: units whose entries went.
        broken: files that were rebuilt because they were damaged.
        gave_up: somebody wrote the files again and again; the next sweep tries again.
        read: the bytes of each file that was there and not damaged, by path.
        conflicted: those of them that hold conflict markers, and so are no good versions.
        split: the sub-indexes that were made, by path.

    """

    written: tuple[Written, ...]
    remembered: Mapping[str, Remembered]
    notices: tuple[Notice, ...] = ()
    removed: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    gave_up: bool = False
    read: Mapping[str, bytes] = field(default_factory=dict)
    conflicted: frozenset[str] = frozenset()
    split: tuple[str, ...] = ()


def update_layer(
    root: Path,
    scope: Scope,
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    *,
    last_good: Mapping[str, bytes],
    set_aside: SetAside,
    intend: Intend,
    repairs: bool = False,
) -> Updated:
    """Bring a layer's index files up to date. The caller holds the vault's lock.

    Files are read, merged, and replaced only if they are still as they were read; else all starts anew, a
    few times. Files that grow are written before those that shrink, so that a line that moves is never in
    neither, whenever the process is killed.

    Args:
        root: the vault's real path.
        scope: what the merge is about.
        wanted: what is wanted of each valid unit, in the order in which new entries come.
        remembered: what was remembered after the last update.
        last_good: the last good bytes of each index file, by path relative to the vault.
        set_aside: called for a damaged file, before it is written anew.
        intend: called with what will be remembered, before files are written.
        repairs: whether a file with conflict markers is rebuilt too, as `atomicd index rebuild` does.

    Raises:
        OSError: the system refuses to read or write.

    """
    if not (root / scope.layer_dir).is_dir():
        return Updated((), remembered)
    search = Search(root, scope.layer_dir, last_good, has_units=bool(wanted), repairs=repairs)
    broken: list[Broken] = []
    done = Updated((), remembered)
    failures = 0
    while failures < TRIES:
        try:
            found = search.run(broken)
            for one in found.broken:
                set_aside(one)
                broken.append(one)
            step, is_due = _update(search, found, _Task(scope, wanted, done.remembered, intend))
        except (FileChangedError, FileNotFoundError):
            failures += 1
            continue
        done = _joined(done, step, tuple(broken))
        if not is_due:
            return done
        scope = replace(scope, renames={}, touched=frozenset())
    return replace(done, broken=tuple(broken), gave_up=True)


def _joined(done: Updated, step: Updated, broken: tuple[Broken, ...]) -> Updated:
    """Return the outcome of all steps so far: first entries are brought up to date, then files are split."""
    again = {one.path for one in step.written}
    return replace(
        step,
        written=(*(one for one in done.written if one.path not in again), *step.written),
        notices=tuple(dict.fromkeys((*done.notices, *step.notices))),
        removed=(*done.removed, *step.removed),
        split=(*done.split, *step.split),
        broken=broken,
    )


@dataclass(frozen=True, slots=True)
class _Task:
    scope: Scope
    wanted: Sequence[Wanted]
    remembered: Mapping[str, Remembered]
    intend: Intend


def _update(search: Search, found: Found, task: _Task) -> tuple[Updated, bool]:
    """Return the outcome of one step, and whether another one is due."""
    notices = tuple(Notice("unreadable", name, reason) for name, reason in found.unreadable.items())
    if INDEX in found.unreadable:
        return Updated((), task.remembered, notices), False
    merged = merge_step(found.texts, task.wanted, task.remembered, task.scope)
    if merged.files or found.texts.keys() - found.readings.keys():
        task.intend(merged.remembered)
    read = {search.path(name): reading.data for name, reading in found.readings.items()}
    step = Updated(
        written=tuple(_write(search, found, merged)),
        remembered=merged.remembered,
        notices=(*notices, *merged.notices),
        removed=merged.removed,
        read=read,
        conflicted=frozenset(path for path, data in read.items() if has_conflict(data)),
        split=tuple(map(search.path, merged.split)),
    )
    return step, merged.is_due


def _write(search: Search, found: Found, merged: Merged) -> Iterator[Written]:
    wanted = {**found.texts, **merged.files}
    there = {name: reading.data for name, reading in found.readings.items()}
    for name in sorted(wanted, key=lambda name: (len(there.get(name, b"")) - len(wanted[name]), name)):
        reading, data = found.readings.get(name), wanted[name]
        if reading is None:
            yield _create(search, name, data)
        elif reading.data != data:
            status = replace_file(search.real(name), data, expected=reading.status)
            yield Written(search.path(name), data, status)


def _create(search: Search, name: str, data: bytes) -> Written:
    path = search.root / search.path(name)
    if not create_file(path, data):
        raise FileChangedError(f"{path}: came while it was made")
    return Written(search.path(name), data, os.stat(path, follow_symlinks=False))
