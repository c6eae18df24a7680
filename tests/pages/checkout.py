"""A checkout as a reader has it, without the minutes of installing."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from pages.shell import ROOT


def check_out(folder: Path) -> None:
    """Make what a reader sees of a checkout after the first `make run` has installed everything."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (folder / ".venv" / ".run").touch()
