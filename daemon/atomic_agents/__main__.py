"""`python -m atomic_agents` is the `atomicd` command."""

from __future__ import annotations

from atomic_agents.cli import main

main()
