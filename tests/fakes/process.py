"""The real daemon as a process of its own, watched through its JSON lines."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONFIG = """
[settle]
quiet_ms = {quiet_ms}
max_wait_ms = 1500
[quarantine]
grace_seconds = {grace}
breaker = {breaker}
[sweep]
interval_seconds = {interval}
[log]
level = "debug"
"""

PATIENCE = 30.0


class Daemon:
    """Starts, asks and ends one `atomicd run`.

    Args:
        vault: the folder to watch.
        home: a folder for the state, the log and the configuration.
        grace: `quarantine.grace_seconds`.
        quiet_ms: `settle.quiet_ms`.
        interval: `sweep.interval_seconds`.
        breaker: `quarantine.breaker`.
        config: more TOML.
        wrap: words before the command, e.g. of `unshare`.

    """

    def __init__(
        self,
        vault: Path,
        home: Path,
        *,
        grace: float = 1.0,
        quiet_ms: int = 100,
        interval: float = 300.0,
        breaker: int = 20,
        config: str = "",
        wrap: tuple[str, ...] = (),
        extra_env: dict[str, str] | None = None,
    ) -> None:
        self.vault = vault
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.config = home / "config.toml"
        self.config.write_text(
            CONFIG.format(grace=grace, quiet_ms=quiet_ms, interval=interval, breaker=breaker) + config
        )
        self.env = os.environ | {
            "ATOMICD_STATE_DIR": str(home / "state"),
            "ATOMICD_LOG_DIR": str(home / "log"),
            "ATOMICD_CONFIG": str(self.config),
            "ATOMIC_AGENTS_ROOT": str(vault),
            **(extra_env or {}),
        }
        self.wrap = wrap
        self.process: subprocess.Popen[str] | None = None
        self.lines: list[dict[str, Any]] = []
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, *, ready: bool = True) -> Daemon:
        """Start it and wait until it is ready."""
        self.process = subprocess.Popen(
            [*self.wrap, sys.executable, "-m", "atomic_agents", "run"],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
        )
        self._queue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(self.process.stdout, self._queue))
        self._thread.start()
        if ready:
            self.wait_for("daemon.ready")
        return self

    def wait_for(self, event: str, *, patience: float = PATIENCE, **facts: Any) -> dict[str, Any]:
        """Return the next line of an event with these facts; lines before it count as seen."""
        until = time.monotonic() + patience
        while True:
            try:
                raw = self._queue.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(self._tell(f"no {event} {facts} within {patience} s")) from None
            if raw is None:
                raise AssertionError(self._tell(f"the daemon ended before {event} {facts}"))
            line = json.loads(raw)
            self.lines.append(line)
            if line["event"] == event and all(line.get(key) == value for key, value in facts.items()):
                return line

    def drain(self) -> list[dict[str, Any]]:
        """Return every line so far."""
        while True:
            try:
                raw = self._queue.get_nowait()
            except queue.Empty:
                return self.lines
            if raw is not None:
                self.lines.append(json.loads(raw))

    def events(self, event: str) -> list[dict[str, Any]]:
        """Return every line of an event so far."""
        return [line for line in self.drain() if line["event"] == event]

    def command(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run another atomicd command on the same vault."""
        done = subprocess.run(
            [sys.executable, "-m", "atomic_agents", *words],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not check or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def sync(self, *, wait: bool = True) -> dict[str, Any]:
        """Return when all that was pending is done."""
        done = self.command("sync", "--json", *([] if wait else ["--no-wait"]))
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGTERM, *, patience: float = 10.0) -> int:
        """End it and return its exit status; what it said on standard error must be nothing."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait(patience=patience)

    def wait(self, *, patience: float = 10.0) -> int:
        """Wait for its end and return its exit status."""
        assert self.process is not None
        assert self._thread is not None
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
            raise
        finally:
            self._thread.join(5)
            self.drain()
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()
        self.process.stderr.close()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status

    def kill(self) -> None:
        """End it as a power cut does."""
        self.stop(signal.SIGKILL)

    def end(self) -> None:
        """End it if it still runs; for fixtures."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.stop(signal.SIGKILL)
        elif self.process is not None and self._thread is not None and self._thread.is_alive():
            self.wait()

    def _read(self, stream: Any, into: queue.SimpleQueue[str | None]) -> None:
        for line in stream:
            into.put(line)
        into.put(None)

    def _tell(self, what: str) -> str:
        assert self.process is not None
        tail = "\n".join(json.dumps(line) for line in self.lines[-30:])
        errors = ""
        if (
            self.process.poll() is not None
            and self.process.stderr is not None
            and not self.process.stderr.closed
        ):
            errors = self.process.stderr.read()
        return f"{what}\n{tail}\n{errors}"


def eventually(check: Callable[[], Any], *, patience: float = PATIENCE) -> Any:
    """Return the first true value of a check that is asked again and again, up to a limit."""
    until = time.monotonic() + patience
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"not within {patience} s: {check}")
        time.sleep(0.02)
