"""One settled change: look → judge → index | hold → quarantine → one log line (contract [D-1])."""

from __future__ import annotations

from atomic_agents.pipeline.bench import ADOPTED_AT, Bench
from atomic_agents.pipeline.flow import Pipeline

__all__ = ["ADOPTED_AT", "Bench", "Pipeline"]
