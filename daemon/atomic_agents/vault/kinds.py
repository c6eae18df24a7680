"""What a path is, told from the path alone (contract sections 1 and 2)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final, Literal

from atomic_agents.model import Kind, Place
from atomic_agents.vault.ignore import Ignore, is_content_file, is_content_folder

MIGRATIONS = "_migrations"
QUARANTINE = "_quarantine"
LAYERS: Final = ("memory", "wiki")
AGENT_FOLDERS: Final = (*LAYERS, "persona")
"""A folder that holds one of these is an agent (contract section 1)."""

_INDEX: Final = re.compile(r"INDEX(?:_[^/]+)?\.md")
_SCRIPT: Final = re.compile(r"v[0-9]+_to_v[0-9]+\.py")
_INNER_KINDS: Final = {"journal": Kind.JOURNAL, "log": Kind.LOG, "raw": Kind.RAW, "persona": Kind.PERSONA}
_AGENT_FILES: Final = {"tools.md": Kind.TOOLS, "model.md": Kind.MODEL}


@dataclass(frozen=True)
class Layout:
    """How a vault's paths are read.

    Args:
        ignore: the operator's own ignore patterns.
        root_is_agent: whether the vault's root holds `memory/`, `wiki/` or `persona/` itself.

    """

    ignore: Ignore = field(default_factory=Ignore)
    root_is_agent: bool = False

    def place(self, path: str) -> Place:
        """Return what a file's path means.

        A layer folder is the first `memory` or `wiki` on the way down; `raw`, `journal`, `log` and
        `persona` of an agent hold no further agents.

        Args:
            path: relative to the vault, normalised, POSIX separators.

        """
        parts = _parts(path)
        if parts and parts[0] == MIGRATIONS:
            is_script = len(parts) == 2 and _SCRIPT.fullmatch(parts[1])  # noqa: PLR2004
            return Place(path, Kind.SCRIPT if is_script else Kind.OTHER)
        if not self._is_content(path, parts):
            return Place(path, Kind.OTHER)
        for depth, part in enumerate(parts[:-1]):
            if part in LAYERS:
                return _in_layer(path, parts, depth)
            if part in _INNER_KINDS and (depth or self.root_is_agent):
                return _in_agent(path, parts, depth)
        if parts[-1] in _AGENT_FILES:
            return Place(path, _AGENT_FILES[parts[-1]], "/".join(parts[:-1]), None, parts[-1])
        return Place(path, Kind.OTHER)

    def enters(self, folder: str) -> bool:
        """Whether the walk goes into this folder.

        Args:
            folder: relative to the vault; "" is the root.

        """
        if not folder:
            return True
        parts = _parts(folder)
        return is_content_folder(parts[-1]) and f"{folder}/" not in self.ignore

    def watches(self, folder: str) -> bool:
        """Whether writes below this folder can concern a unit or an INDEX: a layer, or a way to one.

        Args:
            folder: relative to the vault; "" is the root. Its parents are taken to be entered.

        """
        parts = _parts(folder)
        for depth, part in enumerate(parts):
            if part in LAYERS:
                return True
            if part in _INNER_KINDS and (depth or self.root_is_agent):
                return False
        return True

    def _is_content(self, path: str, parts: tuple[str, ...]) -> bool:
        if not parts or not is_content_file(parts[-1]):
            return False
        return all(map(is_content_folder, parts[:-1])) and path not in self.ignore


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/")) if path else ()


def _in_layer(path: str, parts: tuple[str, ...], depth: int) -> Place:
    layer: Literal["memory", "wiki"] = "memory" if parts[depth] == "memory" else "wiki"
    inner = "/".join(parts[depth + 1 :])
    kind = Kind.OTHER
    if _INDEX.fullmatch(parts[-1]):
        kind = Kind.INDEX
    elif inner.casefold().endswith(".md"):
        kind = Kind.NOTE if layer == "memory" else Kind.WIKI
    return Place(path, kind, "/".join(parts[:depth]), layer, inner)


def _in_agent(path: str, parts: tuple[str, ...], depth: int) -> Place:
    kind = _INNER_KINDS[parts[depth]]
    agent, inner = "/".join(parts[:depth]), "/".join(parts[depth + 1 :])
    wanted = {Kind.JOURNAL: ".md", Kind.LOG: ".jsonl", Kind.PERSONA: ".md", Kind.RAW: ""}[kind]
    return Place(path, kind if inner.endswith(wanted) else Kind.OTHER, agent, None, inner)


def nfc(name: str) -> str:
    """Return a file name in NFC, the form in which names compare (contract [INDEX-2])."""
    return unicodedata.normalize("NFC", name)
