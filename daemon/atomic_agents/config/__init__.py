"""The configuration: TOML, every key known, every fault named at once (contract section 9)."""

from __future__ import annotations

from atomic_agents.config.places import default_path, log_root, state_root
from atomic_agents.config.reading import load, parse
from atomic_agents.config.sections import Config, Index, Key, keys

__all__ = ["Config", "Index", "Key", "default_path", "keys", "load", "log_root", "parse", "state_root"]
