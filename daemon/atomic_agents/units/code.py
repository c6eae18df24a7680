"""What is told of one code."""

from __future__ import annotations

from dataclasses import dataclass

from atomic_agents.model import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of problem. `meaning`, `example` and `fix` are one line each."""

    severity: Severity
    meaning: str
    example: str
    fix: str
