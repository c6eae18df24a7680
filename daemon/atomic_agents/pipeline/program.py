"""One run of the operator's program: given JSON, ended when it takes too long (contract [Q-3])."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

_KEPT: Final = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)
"""What a program gets of the daemon's environment: enough to find tools and a desktop, no secrets."""

_MOST_SAID: Final = 4096
_LONGEST_REASON: Final = 300


class Program:
    """A program that runs in a session of its own, without a shell.

    Args:
        command: the program and its arguments; `~` at the beginning of the program is the home folder.
        values: what it reads as JSON on its standard input.
        now: monotonic time, seconds.
        timeout: seconds after which it is ended.

    Raises:
        OSError: it cannot be started.

    """

    def __init__(
        self, command: Sequence[str], values: Mapping[str, Any], *, now: float, timeout: float
    ) -> None:
        self._until = now + timeout
        self._timeout = timeout
        self._said = b""
        with tempfile.TemporaryFile() as told:
            told.write(json.dumps(values).encode("ascii") + b"\n")
            told.seek(0)
            self._process = _start([os.path.expanduser(command[0]), *command[1:]], told)  # noqa: PTH111
        assert self._process.stderr is not None
        self._stderr = self._process.stderr
        os.set_blocking(self._stderr.fileno(), False)

    def poll(self, now: float) -> str | None:
        """Return None while it runs, "" when it did well, else what went wrong in words.

        Args:
            now: monotonic time, seconds.

        """
        self._listen()
        status = self._process.poll()
        if status is None and now < self._until:
            return None
        if status is None:
            self._end()
            return f"ended after {self._timeout:g} s, expected it to be done by then"
        self._listen()
        self._stderr.close()
        return "" if status == 0 else self._reason(status)

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def close(self) -> None:
        """End it if it still runs."""
        if self._process.poll() is None:
            self._end()
        else:
            self._stderr.close()

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._stderr.close()

    def _listen(self) -> None:
        with contextlib.suppress(BlockingIOError, ValueError):
            while piece := os.read(self._stderr.fileno(), _MOST_SAID):
                self._said = (self._said + piece)[-_MOST_SAID:]

    def _reason(self, status: int) -> str:
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        said = self._said.decode("utf-8", "replace").strip().splitlines()
        return f"{how}: {said[-1][:_LONGEST_REASON]}" if said else how


def _start(command: list[str], told: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (the operator's own command, no shell)
        command,
        stdin=told,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
        cwd=Path("/"),
        start_new_session=True,
    )
