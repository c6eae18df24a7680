"""How the watching does."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal

Mode = Literal["native", "mixed", "poll"]


class Condition(enum.StrEnum):
    """What the daemon has to do about the watching."""

    GOOD = "good"
    """Nothing."""
    LIMITED = "limited"
    """Nothing but tell: what is not watched is polled."""
    DEAF = "deaf"
    """Arm it again and sweep."""
    ROOT_CHANGED = "root-changed"
    """Read the layout again, arm and sweep: another folder has the root's name, or it came back."""
    ROOT_MISSING = "root-missing"
    """Pause: an unmounted vault is no empty one (contract [D-2])."""


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the watching at one time.

    Args:
        mode: native events, native events and polling, polling alone.
        watches: number of watched folders.
        condition: what to do.
        reason: one sentence for the log and for `status`; may be empty.

    """

    mode: Mode
    watches: int = 0
    condition: Condition = Condition.GOOD
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether everything is as it should be."""
        return self.condition is Condition.GOOD

    @property
    def polls(self) -> bool:
        """Whether the sweep has to run every `watch.poll_seconds`."""
        return self.mode != "native"
