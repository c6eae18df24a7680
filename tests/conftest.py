"""Fixtures that every test may use."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100)
settings.register_profile(
    "soak", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ATOMICD_SHARED", ROOT.parent / "shared"))

_READERS_OWN = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "ATOMIC_AGENTS_ROOT",
    "ATOMICD_CONFIG",
    "ATOMICD_STATE_DIR",
    "ATOMICD_LOG_DIR",
)
for _name in _READERS_OWN:
    # What somebody's shell exports is no part of a test.
    os.environ.pop(_name, None)

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    and threading.current_thread() is threading.main_thread()
):
    # What runs in a shell's background ignores Ctrl-C, and so would every process that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with shared test input that may lie beside the checkout."""
    if not (SHARED / "vaults").is_dir():
        pytest.skip("the shared test input is not beside this checkout")
    return SHARED


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    leaked = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    assert not leaked, f"threads left behind: {leaked}"
