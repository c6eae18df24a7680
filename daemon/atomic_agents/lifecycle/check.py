"""One row of `doctor`: what was looked at, how it is, and the command that mends it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Grade = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is in words, and what mends it; `mend` is "" where nothing is to be done."""

    name: str
    grade: Grade
    said: str
    mend: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return asdict(self)
