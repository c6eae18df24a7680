"""What the daemon remembers between runs: files seen, entries generated, former versions (contract [D-7])."""

from __future__ import annotations

from atomic_agents.store.database import Store, open_store, state_folder

__all__ = ["Store", "open_store", "state_folder"]
