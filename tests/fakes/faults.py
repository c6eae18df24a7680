"""Death at a chosen step: from then on nothing that changes the disk gets through."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHANGING = ("write", "link", "replace", "rename", "unlink", "mkdir", "rmdir", "utime", "fchmod", "truncate")


class KilledError(BaseException):
    """The process is gone; nothing catches this but the test."""


class Death:
    """Counts the steps that change the disk and kills at one of them."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.at is not None and self.steps >= self.at:
            raise KilledError


@contextmanager
def death(monkeypatch: pytest.MonkeyPatch, at: int | None) -> Iterator[Death]:
    """Kill before the step number `at` (from 1); None only counts."""
    fate = Death(at)

    def wrap(real: Any) -> Any:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            fate.step()
            return real(*args, **kwargs)

        return wrapped

    def opener(real: Any) -> Any:
        def wrapped(path: Any, flags: int, *args: Any, **kwargs: Any) -> Any:
            if flags & os.O_CREAT:
                fate.step()
            return real(path, flags, *args, **kwargs)

        return wrapped

    with monkeypatch.context() as patch:
        for name in CHANGING:
            patch.setattr(os, name, wrap(getattr(os, name)))
        patch.setattr(os, "open", opener(os.open))
        yield fate
