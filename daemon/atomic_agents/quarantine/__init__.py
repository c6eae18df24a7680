"""Holding, moving aside, putting back: invalid writes are blocked, no byte is lost (contract section 5)."""

from __future__ import annotations

from atomic_agents.quarantine.breaker import Breaker
from atomic_agents.quarantine.hold import Hold, Holds
from atomic_agents.quarantine.incident import Incident
from atomic_agents.quarantine.incidents import Incidents
from atomic_agents.quarantine.loops import Loops
from atomic_agents.quarantine.noticing import Settled, notice_path, settle_notice
from atomic_agents.quarantine.recovery import is_unfinished, recover
from atomic_agents.quarantine.taking import Good, Taken, take

__all__ = [
    "Breaker",
    "Good",
    "Hold",
    "Holds",
    "Incident",
    "Incidents",
    "Loops",
    "Settled",
    "Taken",
    "is_unfinished",
    "notice_path",
    "recover",
    "settle_notice",
    "take",
]
