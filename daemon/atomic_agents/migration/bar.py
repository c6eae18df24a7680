"""A progress bar on a terminal (contract [M-6])."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from atomic_agents.migration.sheet import Progress, no_progress


@contextmanager
def progress_bar(*, is_shown: bool) -> Iterator[Progress]:
    """Show the phases of a run on stderr.

    Args:
        is_shown: whether there is a terminal to show them on.

    """
    if not is_shown:
        yield no_progress
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal pays for it
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks = {}

        def tell(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield tell
