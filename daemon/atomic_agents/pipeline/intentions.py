"""What a kill left between the write of an INDEX and the note that it was written (contract [D-5])."""

from __future__ import annotations

from collections.abc import Mapping

from atomic_agents.index.writer import index_names
from atomic_agents.pipeline.bench import Bench
from atomic_agents.store.entries import Remembered


def settle_intentions(bench: Bench, layer_dir: str, intended: Mapping[str, Remembered]) -> None:
    """Remember of what was intended all that the index files show; the rest never came to be.

    Args:
        bench: the vault and the tools.
        layer_dir: the layer's folder, relative to the vault.
        intended: by file, what would have been remembered.

    """
    lines = _lines(bench, layer_dir)
    entries = bench.store.entries
    before = entries.of_layer(layer_dir)
    shown = {file: one for file, one in intended.items() if _came_to_be(one, before.get(file), lines)}
    with bench.store.transaction():
        entries.save(layer_dir, before, {**before, **shown})


def _came_to_be(one: Remembered, before: Remembered | None, lines: frozenset[str]) -> bool:
    """Whether the index files are as they were meant to be for a unit: its line stands there, or went."""
    if one.gone:
        return before is None or before.line not in lines
    return one.line in lines


def _lines(bench: Bench, layer_dir: str) -> frozenset[str]:
    """Return every line of the layer's index files; one that cannot be read shows nothing."""
    found: set[str] = set()
    for name in index_names(bench.root, layer_dir):
        try:
            text = (bench.root / layer_dir / name).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        found.update(line.removesuffix("\r") for line in text.split("\n"))
    return frozenset(found)
