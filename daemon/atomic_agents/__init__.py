"""atomicd: a daemon that keeps a vault of agent memory valid, indexed and recoverable."""

from __future__ import annotations

__version__ = "0.1.0"
