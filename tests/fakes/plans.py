"""Plans for tests."""

from __future__ import annotations

from typing import Any

from atomic_agents.lifecycle.plan import Plan


def plan(**values: Any) -> Plan:
    """Return a plan; `values` replace its fields."""
    usual: dict[str, Any] = {
        "interpreter": "/opt/atomicd/bin/python",
        "vault": "/home/ada/docs/agents",
        "state_dir": "/home/ada/.local/state/atomicd",
        "log_dir": "/home/ada/.local/state/atomicd/log",
        "home": "/home/ada",
    }
    return Plan(**(usual | values))
