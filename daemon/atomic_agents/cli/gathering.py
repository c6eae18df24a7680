"""Gathering what is known of one path: from the vault, the store, the quarantine, the status and the log."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from atomic_agents.cli.choosing import find_vault, limits_of
from atomic_agents.cli.explaining import Explanation
from atomic_agents.cli.logs import last_of_path
from atomic_agents.cli.naming import path_in_vault
from atomic_agents.cli.options import Choices
from atomic_agents.cli.progress import counting
from atomic_agents.cli.ruling import Ruling
from atomic_agents.daemon.status import Now, Status, read_status
from atomic_agents.exceptions import AtomicAgentsError, TemporaryError
from atomic_agents.index.finding import Search
from atomic_agents.index.locating import Standing, locate
from atomic_agents.index.merge import Scope
from atomic_agents.index.wanted import wanted_of
from atomic_agents.model import FileRecord, Kind, Place, Unit, printable
from atomic_agents.quarantine import Incidents
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.vault.links import WALKED, why_not_followed
from atomic_agents.vault.reasons import why_not_content
from atomic_agents.vault.walk import read_layout, stamp_of

_MOST_EVENTS: Final = 10
_IDLE: Final = frozenset({"not-installed", "stopped", "crashed"})


def gather(choices: Choices, word: str) -> Explanation:
    """Return everything that is known of the path that a word of the command line means.

    Args:
        choices: the options of the command line.
        word: a path, from here or from the vault; the file may be gone.

    Raises:
        AtomicAgentsError: it lies in no vault, or nothing is known of it.
        ConfigError: the configuration is wrong.

    """
    there = Path(word)
    root = find_vault(choices, choices.load(), (there,)) if os.path.lexists(there) else choices.root()
    store = _store(root)
    try:
        with counting(None) as tick:
            return _Gathering(choices, root, store, lambda: tick("read")).explain(word)
    finally:
        if store is not None:
            store.close()


def _store(root: Path) -> Store | None:
    """Open the vault's store to read; a vault that no daemon has seen has none."""
    try:
        return open_store(state_folder(root), now=0.0, read_only=True)
    except TemporaryError:
        return None


class _Gathering:
    def __init__(
        self, choices: Choices, root: Path, store: Store | None, ticked: Callable[[], object]
    ) -> None:
        config = choices.load()
        self._root = root
        self._store = store
        self._layout = read_layout(root, config.vault.ignore)
        self._ruling = Ruling(root, self._layout, limits_of(config), ticked)

    def explain(self, word: str) -> Explanation:
        path = path_in_vault(self._root, word, self._is_known)
        incidents = tuple(one for one in Incidents(self._root).all() if one.path == path)
        if not self._is_known(path) and not incidents:
            raise AtomicAgentsError(f"{printable(path)}: not there, and nothing is remembered of it")
        place, (what, status) = self._layout.place(path), self._look(path)
        ignored = self._why_ignored(path, what)
        told = read_status(state_folder(self._root), self._root, Now.read())
        record = self._store.files.get(path) if self._store is not None else None
        is_judged = what == "file" and ignored is None
        rules, unit = self._ruling.rules(place) if is_judged else ((), None)
        return Explanation(
            place=place,
            what=what,
            status=status,
            ignored=ignored,
            rules=rules,
            record=record,
            pending=tuple(_pending(place, told, record, status, is_judged=is_judged)),
            standing=self._standing(place, unit) if place.kind.is_unit else None,
            versions=tuple(self._store.versions.of(path)) if self._store is not None else (),
            incidents=incidents,
            events=tuple(last_of_path(path, self._root, _MOST_EVENTS)),
            daemon=told.state,
        )

    def _is_known(self, path: str) -> bool:
        if os.path.lexists(self._root / path):
            return True
        store = self._store
        return store is not None and (
            store.files.get(path) is not None or store.versions.last(path) is not None
        )

    def _look(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return what is there, and how it looks."""
        try:
            status = os.stat(self._root / path)
        except OSError as error:
            return ("missing" if isinstance(error, FileNotFoundError) else str(error.strerror)), None
        if stat.S_ISDIR(status.st_mode):
            return "folder", status
        return ("file" if stat.S_ISREG(status.st_mode) else "no regular file"), status

    def _why_ignored(self, path: str, what: str) -> str | None:
        reason = why_not_content(f"{path}/x.md" if what == "folder" else path, self._layout)
        if reason is None and os.path.realpath(self._root / path) != str(self._root / path):
            followed = why_not_followed(self._root, self._layout, path)
            reason = f"it is, or lies behind, a {followed}" if followed not in {None, WALKED} else None
            if followed == WALKED:
                reason = "a link lies on this path, and its target is judged under its own path"
        return reason

    def _standing(self, place: Place, unit: Unit | None) -> Standing | None:
        """Return the unit's entry in the index files as they are on the disk."""
        assert place.layer is not None
        folder = place.layer_dir
        units = {} if unit is None else {unit.path: unit}
        remembered = {}
        if self._store is not None:
            records = self._store.files.in_layer(folder)
            units = {one.path: one.unit for one in records if one.unit is not None} | units
            remembered = self._store.entries.of_layer(folder)
        found = Search(self._root, folder, {}).run()
        texts = {name: reading.data for name, reading in found.readings.items()}
        present = frozenset() if unit is not None else frozenset({place.inner})
        scope = Scope(folder, place.layer, "", present=present)
        return locate(place.inner, texts, wanted_of(units.values(), folder), remembered, scope)


def _pending(
    place: Place, told: Status, record: FileRecord | None, status: os.stat_result | None, *, is_judged: bool
) -> Iterator[str]:
    """Yield what is still to be done about a path, and by whom."""
    path = printable(place.path)
    if told.state not in _IDLE:
        yield from (f"held back: {hold['reason']}" for hold in told.holds if hold["path"] == path)
        if path in told.trouble:
            yield f"the daemon cannot read it: {told.trouble[path]}"
    if not (place.kind.is_unit or place.kind is Kind.INDEX):
        return
    if record is None and is_judged:
        yield "the daemon has not read it yet"
    elif record is not None and status is None:
        yield "it is gone, which the daemon has not noted yet"
    elif record is not None and status is not None and record.stamp != stamp_of(status):
        yield "it was changed since the daemon read it"
