"""Which vault, and which of its files, a command line means."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from atomic_agents.cli.options import Choices
from atomic_agents.config import Config
from atomic_agents.exceptions import AtomicAgentsError, VaultMissingError
from atomic_agents.model import Kind, Place, printable
from atomic_agents.units.limits import Limits
from atomic_agents.vault.kinds import LAYERS, Layout
from atomic_agents.vault.walk import Survey, find_root, walk


def find_vault(choices: Choices, config: Config, paths: tuple[Path, ...]) -> Path:
    """Return the vault that is meant: the named one, the configured one if it holds the paths, else theirs.

    Args:
        choices: the options of the command line.
        config: the configuration in force.
        paths: files and folders.

    Raises:
        AtomicAgentsError: a path is not there, or lies in no vault.
        VaultMissingError: no path was given and the vault is not there.

    """
    for path in paths:
        if not os.path.lexists(path):
            raise AtomicAgentsError(f"{printable(str(path))}: not there")
    if choices.vault is not None or not paths:
        return find_root(config.root)
    try:
        root = find_root(config.root)
    except VaultMissingError:
        root = None
    if root is not None and all(_inside(root, path) is not None for path in paths):
        return root
    found = next(filter(None, map(_vault_of, paths)), None)
    if found is None:
        raise AtomicAgentsError(
            f"{printable(str(paths[0]))}: lies in no memory or wiki folder",
            hint="name the vault with --vault",
        )
    return found


def find_places(
    root: Path,
    layout: Layout,
    paths: tuple[Path, ...],
    survey: Survey,
    *,
    others: Collection[Kind] = (),
) -> Iterator[Place]:
    """Yield the units and INDEX files that the paths name, each once; no path is the whole vault.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        paths: files and folders.
        survey: filled with what could not be read.
        others: further kinds of files that are wanted.

    Raises:
        AtomicAgentsError: a path lies outside of the vault.

    """
    seen: set[str] = set()
    for place in _all_places(root, layout, paths, survey):
        if place.path not in seen and (is_judged(place) or place.kind in others):
            seen.add(place.path)
            yield place


def is_judged(place: Place) -> bool:
    """Whether a file is judged by `check`: a note, a wiki page or an INDEX file."""
    return place.kind.is_unit or place.kind is Kind.INDEX


def limits_of(config: Config) -> Limits:
    """Return where the rules draw their lines, as the operator set it."""
    return Limits(
        max_note_bytes=config.quarantine.max_note_bytes,
        stale_days=config.lint.stale_days,
        disabled=frozenset(config.lint.disable),
        max_index_lines=config.index.max_lines,
    )


def _all_places(root: Path, layout: Layout, paths: tuple[Path, ...], survey: Survey) -> Iterator[Place]:
    for path in paths or (root,):
        inside = _inside(root, path)
        if inside is None:
            raise AtomicAgentsError(f"{printable(str(path))}: lies outside of {root}", hint="see --vault")
        if os.path.isdir(root / inside):  # noqa: PTH112 (a name with surrogates)
            yield from (one.place for one in walk(root, layout, survey, below=inside))
        else:
            yield layout.place(inside)


def _vault_of(path: Path) -> Path | None:
    """Return the folder that holds the agent that holds the path, or the path itself if it is a folder."""
    real = Path(os.path.realpath(path))
    for folder in (real, *real.parents):
        if folder.name in LAYERS and folder.parent != folder:
            return folder.parent.parent
    for folder in (real, *real.parents):
        if any((folder / layer).is_dir() for layer in LAYERS):
            return folder.parent
    return real if real.is_dir() else None


def _inside(root: Path, path: Path) -> str | None:
    folder = os.path.realpath(path.parent) if path.is_symlink() else os.path.realpath(path)
    real = os.path.join(folder, path.name) if path.is_symlink() else folder  # noqa: PTH118
    if real == str(root):
        return ""
    prefix = f"{str(root).rstrip('/')}/"
    return real[len(prefix) :] if real.startswith(prefix) else None
