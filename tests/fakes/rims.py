"""The real rim with programs that are played and time that only passes when somebody waits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from atomic_agents.lifecycle.rim import Done, RealRim


class PlayedRim:
    """Files are real, programs are functions, pauses take no time.

    Args:
        programs: by name, what answers; a program that is not named is not found.

    """

    def __init__(self, **programs: Callable[[tuple[str, ...]], Done]) -> None:
        self._real = RealRim(self._run)
        self._programs = programs
        self._now = 100.0
        self.on_pause: Callable[[], None] = lambda: None
        self.paused = 0.0

    def _run(self, words: tuple[str, ...]) -> Done:
        played = self._programs.get(words[0].replace("-", "_"))
        return played(words) if played is not None else Done(127, err=f"{words[0]}: not found")

    def ask(self, *words: str) -> Done:
        return self._real.ask(*words)

    def act(self, *words: str) -> Done:
        return self._real.act(*words)

    def write(self, path: Path, data: bytes) -> None:
        self._real.write(path, data)

    def remove(self, path: Path) -> None:
        self._real.remove(path)

    def make_folder(self, path: Path) -> None:
        self._real.make_folder(path)

    def pause(self, seconds: float) -> None:
        self._now += seconds
        self.paused += seconds
        self.on_pause()

    def monotonic(self) -> float:
        return self._now
