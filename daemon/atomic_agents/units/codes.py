"""Every code that a problem of a unit can have: how bad it is, what it means, an example, what to do.

Source: contract [RULE-E] and [RULE-W]. The documentation and `atomicd explain` are made from this table.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from atomic_agents.model import Problem
from atomic_agents.units.error_codes import ERRORS
from atomic_agents.units.warning_codes import WARNINGS

CODES: Final = MappingProxyType(ERRORS | WARNINGS)
"""Every code, errors first."""


class Fault(NamedTuple):
    """A problem before it is known whose it is; `line` counts from 1."""

    code: str
    found: str
    expected: str
    fix: str
    field: str | None = None
    line: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether it blocks."""
        return CODES[self.code].severity == "error"

    def at(self, path: str) -> Problem:
        """Return it as a problem of this path."""
        severity = CODES[self.code].severity
        return Problem(path, self.code, severity, self.found, self.expected, self.fix, self.field, self.line)
