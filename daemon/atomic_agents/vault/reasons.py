"""Why a path is no content, in words (contract [PATH-1])."""

from __future__ import annotations

from atomic_agents.vault.ignore import is_content_file, is_content_folder
from atomic_agents.vault.kinds import MIGRATIONS, QUARANTINE, Layout

_OWN = {
    QUARANTINE: "it lies in the quarantine, which holds what was blocked",
    MIGRATIONS: "it lies in the folder of migrations: scripts, snapshots, schemas",
}


def why_not_content(path: str, layout: Layout) -> str | None:
    """Return why a path is never judged, or None if its name and place do not stand against it.

    Args:
        path: relative to the vault.
        layout: how its paths are read.

    """
    *folders, name = path.split("/")
    if folders and folders[0] in _OWN:
        return _OWN[folders[0]]
    for depth, folder in enumerate(folders, 1):
        above = "/".join(folders[:depth])
        if not is_content_folder(folder):
            return f"the folder `{above}` is never looked into, for its name"
        if f"{above}/" in layout.ignore:
            return f"an ignore pattern names the folder `{above}`: {_told(layout, f'{above}/')}"
    if not is_content_file(name):
        return "its name is that of a dotfile, a lock, a backup, a temporary file, README.md or MEMORY.md"
    if path in layout.ignore:
        return f"an ignore pattern names it: {_told(layout, path)}"
    return None


def _told(layout: Layout, path: str) -> str:
    return f"`{layout.ignore.pattern_for(path)}` in .atomicdignore or [vault] ignore"
