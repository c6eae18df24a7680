"""Reading, judging and rewriting one unit (contract section 3)."""

from atomic_agents.units.access import UnitContent, read_unit, write_unit
from atomic_agents.units.code import Code
from atomic_agents.units.codes import CODES, Fault
from atomic_agents.units.disk import DiskNeighbours
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.indexes import judge_index
from atomic_agents.units.limits import Limits
from atomic_agents.units.neighbourhood import judge_neighbourhood
from atomic_agents.units.neighbours import Neighbours, name_key
from atomic_agents.units.rules import judge, too_large
from atomic_agents.units.splice import REMOVED, SpliceError, rewrite, splice, write_meta

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
