"""Holding, moving aside, putting back: invalid writes are blocked, no byte is lost (contract section 5)."""

from __future__ import annotations

from atomic_agents.quarantine.breaker import Breaker
from atomic_agents.quarantine.hold import Hold, Holds
from atomic_agents.quarantine.incidents import Incident, Incidents
from atomic_agents.quarantine.recovery import recover
from atomic_agents.quarantine.taking import Taken, take

__all__ = ["Breaker", "Hold", "Holds", "Incident", "Incidents", "Taken", "recover", "take"]
