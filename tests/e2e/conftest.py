"""Fixtures for tests with the real daemon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fakes.process import Daemon


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Return a maker of daemons that are ended with the test."""
    made: list[Daemon] = []

    def make(vault: Path, **options: object) -> Daemon:
        daemon = Daemon(vault, options.pop("home", tmp_path / "home"), **options)  # type: ignore[arg-type]
        made.append(daemon)
        return daemon

    yield make
    for daemon in made:
        daemon.end()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a vault with one agent that has an empty memory."""
    (tmp_path / "vault" / "alpha" / "memory").mkdir(parents=True)
    return tmp_path / "vault"
