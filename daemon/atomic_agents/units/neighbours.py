"""What the rules across files need to know of the files around a unit (contract [RULE-W])."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Protocol

from atomic_agents.model import Place, Unit


class Neighbours(Protocol):
    """Cheap look-ups; the daemon answers them from its store, `check` and `lint` from the disk.

    Paths are relative to the vault. A unit is known only while it is valid.
    """

    def exists(self, path: str) -> bool:
        """Return whether a file lies at this path."""

    def called(self, agent: str, name: str) -> Sequence[str]:
        """Return the paths of an agent's units, valid or not, that have this file name in NFC."""

    def unit(self, path: str) -> Unit | None:
        """Return the valid unit at this path."""

    def named(self, layer_dir: str, key: str) -> Sequence[Unit]:
        """Return the valid units of a layer whose name has this `name_key`."""

    def pinned(self, layer_dir: str) -> Sequence[Unit]:
        """Return the valid units of a layer that are pinned."""

    def is_indexed(self, place: Place) -> bool | None:
        """Return whether an INDEX file of the layer names the unit; None if that is not to be judged."""


def name_key(name: str) -> str:
    """Return what two names share that a reader could take for one: letters and digits without case.

    Args:
        name: a unit's `name`.

    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in folded if char.isalnum() or unicodedata.category(char)[0] == "M")
