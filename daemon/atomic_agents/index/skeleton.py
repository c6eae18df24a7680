"""A new INDEX.md ([INDEX-1])."""

from __future__ import annotations

import re
from typing import Final

from atomic_agents.index.sections import HEADINGS, Layer, roles_of
from atomic_agents.index.texts import as_hook, one_line

_WORDS: Final = re.compile(r"[\s_-]+")
_TITLES: Final = {"memory": "Memory Index", "wiki": "Wiki Index"}


def agent_name(folder: str) -> str:
    """Return an agent's name as its folder tells it: words parted by `-` and `_`, each capitalised.

    Args:
        folder: the name of the agent's folder, without its parents.

    """
    words = (word for word in _WORDS.split(one_line(folder)) if word)
    return " ".join(word[0].upper() + word[1:] for word in words) or "Agent"


def skeleton(name: str, layer: Layer) -> bytes:
    """Return an INDEX.md without entries: its title and its sections, in their order.

    Args:
        name: the agent's name.
        layer: which layer it is for.

    """
    roles = [role for role in roles_of(layer) if layer == "memory" or not role.is_retired]
    headings = "".join(f"\n## {HEADINGS[role]}\n" for role in roles)
    return f"# {as_hook(name)} — {_TITLES[layer]}\n{headings}".encode()
