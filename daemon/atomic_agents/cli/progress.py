"""Bars with counts for what takes longer than a second, on a terminal only (contract section 8)."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE: Final = 1.0
"""Seconds after which a bar is shown."""

_EVERY: Final = 20

Tick = Callable[[str], None]
"""Counts one more step of a phase."""


@contextmanager
def counting(total: int | None, *, is_shown: bool | None = None) -> Iterator[Tick]:
    """Count steps, and show them on standard error once it takes long.

    Args:
        total: how many steps each phase has; None if that is not known.
        is_shown: whether there is a terminal to show them on; None looks.

    """
    bars = _Bars(total, shown=sys.stderr.isatty() if is_shown is None else is_shown)
    try:
        yield bars.tick
    finally:
        bars.end()


class _Bars:
    def __init__(self, total: int | None, *, shown: bool) -> None:
        self._total = total
        self._is_shown = shown
        self._due = time.monotonic() + PATIENCE
        self._counts: Counter[str] = Counter()
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def tick(self, phase: str) -> None:
        self._counts[phase] += 1
        if not self._is_shown or self._counts[phase] % _EVERY:
            return
        if self._progress is None and time.monotonic() >= self._due:
            self._progress = _start()
        if self._progress is not None:
            self._tell(self._progress, phase)

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _tell(self, progress: Progress, phase: str) -> None:
        if phase not in self._tasks:
            self._tasks[phase] = progress.add_task(phase, total=self._total)
        progress.update(self._tasks[phase], completed=self._counts[phase])


def _start() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.start()
    return progress
