"""The command line: one command per file; the only place that prints and the only one that exits."""

from __future__ import annotations

from atomic_agents.cli.app import main

__all__ = ["main"]
