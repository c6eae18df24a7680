"""Reading, judging and rewriting one unit (contract section 3).

What writes is loaded when it is first asked for: most processes only judge, and a hook has to be quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from atomic_agents.units.code import Code
from atomic_agents.units.codes import CODES, Fault
from atomic_agents.units.disk import DiskNeighbours
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.indexes import judge_index
from atomic_agents.units.limits import Limits
from atomic_agents.units.neighbourhood import judge_neighbourhood
from atomic_agents.units.neighbours import Neighbours, name_key
from atomic_agents.units.rules import judge, too_large

if TYPE_CHECKING:
    from atomic_agents.units.access import UnitContent, read_unit, write_unit
    from atomic_agents.units.splicing import REMOVED, SpliceError, rewrite, splice, write_meta

__all__ = [
    "CODES",
    "REMOVED",
    "Code",
    "DiskNeighbours",
    "Fault",
    "Limits",
    "Neighbours",
    "Reading",
    "SpliceError",
    "UnitContent",
    "judge",
    "judge_index",
    "judge_neighbourhood",
    "name_key",
    "read",
    "read_unit",
    "rewrite",
    "splice",
    "too_large",
    "write_meta",
    "write_unit",
]

_LOADED: Final = {
    "UnitContent": "access",
    "read_unit": "access",
    "write_unit": "access",
    "REMOVED": "splicing",
    "SpliceError": "splicing",
    "rewrite": "splicing",
    "splice": "splicing",
    "write_meta": "splicing",
}
"""The module that holds a name, which is imported with it."""


def __getattr__(name: str) -> object:
    """Return a name that is loaded now."""
    if name not in _LOADED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{_LOADED[name]}"), name)
    return found
