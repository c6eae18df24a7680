"""Units that are no longer there: renamed, removed, or only out of sight (contract [INDEX-4], [D-2])."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from atomic_agents.log import Event
from atomic_agents.model import FileRecord, FileState, Outcome, Place
from atomic_agents.pipeline.bench import Bench
from atomic_agents.pipeline.indexing import Indexing
from atomic_agents.pipeline.looking import Missing, glance
from atomic_agents.units.neighbours import name_key

FEW: Final = 10
"""So many units of a layer may vanish at once without a second look."""


@dataclass
class _Layer:
    since: float
    paths: set[str] = field(default_factory=set)
    second_look: float | None = None


class Absences:
    """What was found missing and is not yet believed, or is about to be.

    Args:
        bench: the vault and the tools.
        indexing: told of what is gone or renamed.
        second_look: seconds that pass before a mass disappearance is believed.

    """

    def __init__(self, bench: Bench, indexing: Indexing, *, second_look: float) -> None:
        self._bench = bench
        self._indexing = indexing
        self.second_look = second_look
        self._layers: dict[str, _Layer] = {}

    def note(self, place: Place) -> None:
        """Write down that a unit was not there; one that was never known does not matter."""
        if self._bench.store.files.get(place.path) is not None:
            now = self._bench.clock.monotonic()
            self._layers.setdefault(place.layer_dir, _Layer(now)).paths.add(place.path)

    def note_replaced(self, place: Place) -> None:
        """Write down that something that is no unit stands where one was."""
        if self._bench.store.files.get(place.path) is not None:
            with self._bench.store.transaction():
                self._remove(place.layer_dir, place.path)

    def settle(self, *, restless: bool = False) -> None:
        """Believe what can be believed: few absences at once, many only after the second look.

        Args:
            restless: whether paths still settle, of which one may be the new name of what is missing; then
                only known renames are believed, for as long as a path may take to settle.

        """
        for layer_dir in list(self._layers):
            layer = self._layers[layer_dir]
            layer.paths = {path for path in layer.paths if self._is_missing(path)}
            if restless and self._bench.clock.monotonic() < self._patience(layer):
                renamed = {path for path in layer.paths if self._is_renamed(path)}
                self._confirm(layer_dir, renamed)
                layer.paths -= renamed
            elif layer.paths and self._is_believed(layer_dir, layer):
                self._confirm(layer_dir, layer.paths)
                layer.paths = set()
            if not layer.paths:
                del self._layers[layer_dir]

    def next_due(self) -> float | None:
        """Return the monotonic time of the next second look, or the end of the wait for restless paths."""
        return min(
            (layer.second_look or self._patience(layer) for layer in self._layers.values()), default=None
        )

    def waiting(self) -> int:
        """Return how many absences wait for the second look."""
        return sum(len(layer.paths) for layer in self._layers.values())

    def _is_missing(self, path: str) -> bool:
        return isinstance(glance(self._bench.root, path), Missing)

    def _is_believed(self, layer_dir: str, layer: _Layer) -> bool:
        now = self._bench.clock.monotonic()
        if layer.second_look is not None:
            return now >= layer.second_look
        known = sum(1 for record in self._bench.store.files.in_layer(layer_dir) if record.kind.is_unit)
        gone = len(layer.paths) - self._count_renamed(layer.paths)
        if gone <= FEW or gone * 3 <= known:
            return True
        layer.second_look = now + self.second_look
        self._bench.log.warning(
            Event.UNIT_HELD,
            path=layer_dir,
            reason=f"{gone} of {known} units are gone at once; looked at again before it is believed",
            seconds=self.second_look,
        )
        return False

    def _count_renamed(self, paths: set[str]) -> int:
        return sum(1 for path in paths if self._is_renamed(path))

    def _is_renamed(self, path: str) -> bool:
        record = self._bench.store.files.get(path)
        return record is not None and self._new_name(record) is not None

    def _patience(self, layer: _Layer) -> float:
        """Return the monotonic time until which absences wait for paths that settle."""
        return layer.since + self._bench.config.settle.max_wait_ms / 1000

    def _confirm(self, layer_dir: str, paths: set[str]) -> None:
        with self._bench.store.transaction():
            for path in sorted(paths):
                self._remove(layer_dir, path)

    def _remove(self, layer_dir: str, path: str) -> None:
        record = self._bench.store.files.get(path)
        if record is None:
            return
        new = self._new_name(record)
        self._bench.store.files.remove(path)
        self._bench.store.versions.mark_removed(path, self._bench.clock.wall())
        if new is not None:
            outcome = Outcome(Event.UNIT_RENAMED, path, facts={"to": new.path})
            self._indexing.rename(layer_dir, path, new.path)
        else:
            outcome = Outcome(Event.UNIT_REMOVED, path, facts={"state": record.state.value})
        self._indexing.mark(layer_dir, outcome)

    def _new_name(self, record: FileRecord) -> FileRecord | None:
        """Return the unit that this one became: the same file, the same bytes, or its title on a new file.

        A file system gives the inode of a removed file to the next new one, so that alone proves nothing.
        Bytes and titles count on files that came since the INDEX was written.
        """
        files = self._bench.store.files
        same = [other for other in files.of_inode(record.stamp) if _is_same_file(record, other)]
        same += [o for o in files.of_content(record.sha256) if self._indexing.is_fresh(o.path)]
        same += self._namesakes(record)
        return next(
            (other for other in same if other.state is FileState.VALID and self._is_there(other)), None
        )

    def _namesakes(self, record: FileRecord) -> list[FileRecord]:
        """Return the units of the same name that came just now and had no entry before."""
        if record.unit is None:
            return []
        layer_dir, name = self._bench.layout.place(record.path).layer_dir, record.unit.name
        found = [
            other
            for other in self._bench.store.files.named(layer_dir, name_key(name))
            if other.path != record.path and other.unit is not None and other.unit.name == name
        ]
        fresh = [other for other in found if self._indexing.is_fresh(other.path)]
        known = self._bench.store.entries.of_layer(layer_dir) if fresh else {}
        return [other for other in fresh if other.path.removeprefix(f"{layer_dir}/") not in known]

    def _is_there(self, record: FileRecord) -> bool:
        return not self._is_missing(record.path)


def _is_same_file(old: FileRecord, new: FileRecord) -> bool:
    """Whether a file with the old one's inode is the old one under another name, perhaps edited since."""
    if old.path == new.path:
        return False
    if old.sha256 == new.sha256 or old.stamp.mtime_ns == new.stamp.mtime_ns:
        return True
    return old.unit is not None and new.unit is not None and old.unit.name == new.unit.name
