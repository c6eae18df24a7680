"""Reading, judging and rewriting one unit (contract section 3)."""

from atomic_agents.units.code import Code
from atomic_agents.units.codes import CODES, Fault
from atomic_agents.units.limits import Limits

__all__ = ["CODES", "Code", "Fault", "Limits"]
