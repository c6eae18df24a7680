"""What is to be done for the INDEX files of one layer."""

from __future__ import annotations

from dataclasses import dataclass, field

from atomic_agents.model import Outcome


@dataclass
class LayerWork:
    """A layer that is behind.

    Args:
        since: monotonic seconds at which it fell behind.
        not_before: monotonic seconds before which it is not tried again.
        outcomes: what is logged once the INDEX says it.
        renames: new names of units by their old ones, relative to the layer's folder.
        fresh: paths of units that were written since the INDEX was.
        failures: how often the system refused in a row.
        repairs: whether a file with conflict markers is rebuilt too.

    """

    since: float
    not_before: float = float("-inf")
    outcomes: list[Outcome] = field(default_factory=list)
    renames: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    failures: int = 0
    repairs: bool = False
