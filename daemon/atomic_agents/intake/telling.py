"""What a path that an event names means to the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from atomic_agents.intake.events import Editing, Event, LayoutChanged, SweepWanted, Touched
from atomic_agents.intake.sweep import matters
from atomic_agents.vault.ignore import IGNORE_FILE, edited_name, is_content_file, placeholder_for
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, walk

MAX_TOUCHED: Final = 5_000
"""A folder that comes with more files than this is a matter for a sweep."""


def says_something(name: str) -> bool:
    """Whether a file of this name can be a unit or an INDEX, or say something about one or the layout.

    Args:
        name: one path component.

    """
    if name.casefold().endswith(".md") and is_content_file(name):
        return True
    return name == IGNORE_FILE or edited_name(name) is not None or placeholder_for(name) is not None


def tell_file(layout: Layout, path: str) -> Event | None:
    """Return what an event on a file means.

    Args:
        layout: how the vault's paths are read.
        path: relative to the vault.

    """
    if path == IGNORE_FILE:
        return LayoutChanged()
    if matters(layout.place(path)):
        return Touched(path)
    folder, slash, name = path.rpartition("/")
    target = edited_name(name)
    if target is not None and layout.place(folder + slash + target).kind.is_unit:
        return Editing(folder + slash + target)
    target = placeholder_for(name)
    if target is not None and matters(layout.place(folder + slash + target)):
        return Touched(folder + slash + target)
    return None


def tell_folder(
    root: Path, layout: Layout, folder: str, entering: Callable[[str], None] | None = None
) -> Iterator[Event]:
    """Yield what is in a folder that came, as if each file had just been written.

    Args:
        root: the vault's real path.
        layout: how its paths are read.
        folder: relative, not the root.
        entering: called with each folder before it is listed.

    """
    paths = [
        found.place.path
        for found in walk(root, layout, Survey(), below=folder, entering=entering)
        if matters(found.place)
    ]
    if len(paths) > MAX_TOUCHED:
        yield SweepWanted(f"{folder} came with {len(paths)} files")
    else:
        yield from map(Touched, paths)
