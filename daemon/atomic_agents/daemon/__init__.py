"""The long-running process: threads, signals, order of start and stop (contract section 6)."""

from __future__ import annotations

from atomic_agents.daemon.instance import Instance, owner
from atomic_agents.daemon.requests import Request, Requests, ask
from atomic_agents.daemon.run import run, sync_once
from atomic_agents.daemon.status import Status, read_status

__all__ = ["Instance", "Request", "Requests", "Status", "ask", "owner", "read_status", "run", "sync_once"]
