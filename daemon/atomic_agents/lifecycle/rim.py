"""The outside world as the services need it: programs, files, time. A dry run is another one."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from atomic_agents._io import atomic_write, make_folder
from atomic_agents.exceptions import CannotWriteError

_PATIENCE_SECONDS = 900.0
"""A start waits for the first sweep; this is longer than any that makes sense."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a program ended."""

    status: int
    out: str = ""
    err: str = ""

    @property
    def said(self) -> str:
        """What it complained of, on one line."""
        return " ".join((self.err or self.out).split())


class Rim(Protocol):
    """Programs, files and time."""

    def ask(self, *words: str) -> Done:
        """Run a program that changes nothing."""

    def act(self, *words: str) -> Done:
        """Run a program that changes something."""

    def write(self, path: Path, data: bytes) -> None:
        """Write a file, all or nothing.

        Raises:
            CannotWriteError: the system refuses.

        """

    def remove(self, path: Path) -> None:
        """Remove a file that may be gone.

        Raises:
            CannotWriteError: the system refuses.

        """

    def make_folder(self, path: Path) -> None:
        """Create a folder for this user alone; one that is there stays as it is.

        Raises:
            CannotWriteError: the system refuses.

        """

    def pause(self, seconds: float) -> None:
        """Wait."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""


Run = Callable[[tuple[str, ...]], Done]


@dataclass(frozen=True)
class RealRim:
    """The machine itself.

    Args:
        run: starts a program and waits for its end.

    """

    run: Run

    def ask(self, *words: str) -> Done:
        """Run a program that changes nothing."""
        return self.run(words)

    def act(self, *words: str) -> Done:
        """Run a program that changes something."""
        return self.run(words)

    def write(self, path: Path, data: bytes) -> None:
        """Write a file, all or nothing, with its folders."""
        try:
            make_folder(path.parent, mode=0o755)
            atomic_write(path, data)
        except OSError as error:
            raise _refused(path, error) from error

    def remove(self, path: Path) -> None:
        """Remove a file that may be gone."""
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise _refused(path, error) from error

    def make_folder(self, path: Path) -> None:
        """Create a folder for this user alone."""
        try:
            make_folder(path)
        except OSError as error:
            raise _refused(path, error) from error

    def pause(self, seconds: float) -> None:
        """Wait."""
        threading.Event().wait(seconds)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


class DryRim:
    """Asks, but only notes what would be changed, as shell commands in `notes`.

    Args:
        real: asked.

    """

    def __init__(self, real: Rim) -> None:
        self._real = real
        self._waited = 0.0
        self.notes: list[str] = []

    def ask(self, *words: str) -> Done:
        """Run a program that changes nothing."""
        return self._real.ask(*words)

    def act(self, *words: str) -> Done:
        """Note a program."""
        self.notes.append(shlex.join(words))
        return Done(0)

    def write(self, path: Path, data: bytes) -> None:
        """Note a file."""
        self.notes.append(f"write {shlex.quote(str(path))} ({len(data)} bytes)")

    def remove(self, path: Path) -> None:
        """Note a removal."""
        if path.exists():
            self.notes.append(shlex.join(("rm", str(path))))

    def make_folder(self, path: Path) -> None:
        """Note a folder."""
        if not path.is_dir():
            self.notes.append(shlex.join(("mkdir", "-p", "-m", "700", str(path))))

    def pause(self, seconds: float) -> None:
        """Let the time pass without waiting: nothing was done that could need it."""
        self._waited += seconds

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return self._real.monotonic() + self._waited


def run_program(words: tuple[str, ...], environment: Mapping[str, str] | None = None) -> Done:
    """Run a program, without input, and return how it ended.

    Args:
        words: the program and its arguments.
        environment: None takes that of this process.

    Returns:
        Its status and output; 127 if there is no such program, 124 if it never ended.

    """
    try:
        done = subprocess.run(  # noqa: S603 (the words are ours)
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )
    except FileNotFoundError:
        return Done(127, err=f"{words[0]}: not found")
    except PermissionError as error:
        return Done(126, err=f"{words[0]}: {error.strerror}")
    except subprocess.TimeoutExpired:
        return Done(124, err=f"{shlex.join(words)}: no end within {_PATIENCE_SECONDS:.0f} s")
    return Done(done.returncode, _text(done.stdout), _text(done.stderr))


def session_environment() -> dict[str, str]:
    """Return the environment with which `systemctl --user` finds its manager, also after `su` or in cron."""
    environment = dict(os.environ)
    folder = f"/run/user/{os.getuid()}"
    if "XDG_RUNTIME_DIR" not in environment and Path(folder).is_dir():
        environment["XDG_RUNTIME_DIR"] = folder
    return environment


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace").strip()


def _refused(path: Path, error: OSError) -> CannotWriteError:
    return CannotWriteError(f"{path}: {error.strerror}", hint="use sudo for --system, or mend its rights")
