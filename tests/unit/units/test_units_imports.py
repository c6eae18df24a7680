"""What `atomic_agents.units` and `atomic_agents.log` offer is there, and loaded when it is asked for."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

PACKAGES = ("atomic_agents.units", "atomic_agents.log")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_a_package_offers_is_there_and_is_no_module(package: str) -> None:
    module = importlib.import_module(package)
    for name in module.__all__:
        assert type(getattr(module, name)).__name__ != "module", name


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_a_package_does_not_offer_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = importlib.import_module(package).nothing


def test_judging_loads_neither_the_logger_nor_locks_nor_what_writes() -> None:
    code = (
        "import sys\n"
        "from atomic_agents.cli import app\n"
        "import atomic_agents.cli.judging, atomic_agents.cli.problems\n"
        "heavy = {'structlog', 'filelock', 'asyncio', 'rich', 'pathspec', 'rapidfuzz', 'watchdog', 'sqlite3'}\n"
        "print(sorted(heavy & sys.modules.keys()))\n"
    )
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=unmeasured
    )
    assert done.stdout.strip() == "[]"
