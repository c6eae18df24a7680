"""What is doubtful in a vault beyond single units: other kinds of files, and files among each other.

Only warnings, given by `lint` alone; nothing here blocks or moves anything (contract section 2 and [RULE-W]).
"""

from __future__ import annotations

from atomic_agents.lint.files import LINTED, judge_file
from atomic_agents.lint.layers import judge_layer
from atomic_agents.lint.linting import JUDGED, Linting

__all__ = ["JUDGED", "LINTED", "Linting", "judge_file", "judge_layer"]
