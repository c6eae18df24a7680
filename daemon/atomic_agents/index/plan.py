"""What a rebuild of a layer's index files would change: `atomicd index rebuild --check` ([INDEX-7])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from atomic_agents.index.authored import authored_lost
from atomic_agents.index.finding import Broken, Search
from atomic_agents.index.gathering import INDEX
from atomic_agents.index.merge import Notice, Scope, known_of, merge
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written.

    Args:
        before: the bytes of each index file that would change, by path; a new one is not in it.
        after: its bytes then.
        lost: lines that a person wrote and whose words would stand nowhere any more.
        broken: files that are damaged and would be set aside.
        unreadable: files that cannot be taken for what they are, by path, with the reason in words.
        notices: what the operator should know of.

    """

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    lost: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def plan_layer(
    root: Path,
    scope: Scope,
    wanted: Sequence[Wanted],
    remembered: Mapping[str, Remembered],
    *,
    last_good: Mapping[str, bytes],
) -> Plan:
    """Return what `update_layer` with `repairs` would write; nothing is touched.

    Args:
        root: the vault's real path.
        scope: what the merge is about.
        wanted: what is wanted of each valid unit, in the order in which new entries come.
        remembered: what was remembered after the last update.
        last_good: the last good bytes of each index file, by path relative to the vault.

    Raises:
        FileChangedError: a file was written to while it was read.
        OSError: the system refuses.

    """
    search = Search(root, scope.layer_dir, last_good, has_units=bool(wanted), repairs=True)
    found = search.run()
    unreadable = {search.path(name): reason for name, reason in found.unreadable.items()}
    if INDEX in found.unreadable:
        return Plan({}, {}, unreadable=unreadable)
    merged = merge(found.texts, wanted, remembered, scope)
    after = {**found.texts, **merged.files}
    there = {name: reading.data for name, reading in found.readings.items()}
    damaged = {one.path: one.reading.data for one in found.broken}
    before = {**{search.path(name): data for name, data in there.items()}, **damaged}
    changed = {
        search.path(name): data for name, data in after.items() if before.get(search.path(name)) != data
    }
    return Plan(
        before={path: before[path] for path in changed if path in before},
        after=changed,
        lost=authored_lost(found.texts, after, known_of(wanted, remembered, scope)),
        broken=tuple(found.broken),
        unreadable=unreadable,
        notices=merged.notices,
    )
