"""Another implementation as a client: its package in an environment of its own, and a script that uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGE = "atomic-agents-stack"
VERSION = "2.0.0"
ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("ATOMICD_SHARED", ROOT.parent / "shared"))
ENVIRONMENT = ROOT / ".venv-peer"


class Peer:
    """Writes notes through the other package's own API.

    Args:
        vault: the folder that it writes to.

    """

    def __init__(self, vault: Path) -> None:
        self.python = _environment()
        self.vault = vault
        given = SHARED / "tools" / "reference_writer.py"
        self.script = given if given.exists() else Path(__file__).with_name("writer.py")

    def write(self, agent: str, *, count: int, seed: int, interval: float = 0.0) -> list[dict[str, Any]]:
        """Write notes and return what the client reported of each call.

        Args:
            agent: the agent's folder.
            count: calls.
            seed: the same seed makes the same notes again.
            interval: seconds from call to call.

        """
        words = [
            "--root",
            self.vault,
            "--agent",
            agent,
            "--count",
            count,
            "--interval",
            interval,
            "--seed",
            seed,
        ]
        done = subprocess.run(
            [self.python, self.script, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode not in {0, 1}:
            raise SystemExit(f"the client failed: {done.stderr}")
        reports = [json.loads(line) for line in done.stdout.splitlines()]
        return [report for report in reports if "op" in report]


def _environment() -> Path:
    """Return the python of the client's environment, made when it is missing."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    asked = f"from importlib.metadata import version; print(version({PACKAGE!r}))"
    found = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False).stdout.strip()
    if found != VERSION:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"{PACKAGE}=={VERSION}"], check=True)
    return python
