"""Templates of units and plists: in the package when installed, beside the source in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from atomic_agents.exceptions import AtomicAgentsError


def read_template(folder: Literal["service", "launchd"], name: str) -> bytes:
    """Return a template.

    Args:
        folder: where it lies.
        name: its file name.

    Raises:
        AtomicAgentsError: this installation lacks it.

    """
    here = Path(__file__).parent
    for base in (here, here.parents[2]):
        path = base / folder / name
        if path.is_file():
            return path.read_bytes()
    raise AtomicAgentsError(f"{folder}/{name}: missing from this installation", hint="install atomicd again")
