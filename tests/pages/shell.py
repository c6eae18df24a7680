"""A reader's computer: a home folder of its own, commands one after the other, one in the background."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

from pages.matching import difference
from pages.parsing import Command

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 100
PATIENCE = 30.0
_NOT_THE_READERS = ("ATOMIC", "XDG_", "COLUMNS", "LINES", "MAKE", "MFLAGS")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Shell:
    """Runs the commands of a page.

    Args:
        home: an empty folder.

    """

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.folder = self.home
        self.background: Background | None = None
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("ATOMIC", "XDG_", "COLUMNS", "MAKE", "MFLAGS"))
        }
        self.env = kept | {
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **{
                f"GIT_{who}_{what}": "you@example.org"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
            "NO_COLOR": "1",
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, command: Command, *, status: int = 0) -> None:
        """Run a command and compare what it prints, if the page shows anything."""
        place = self.home / ".folder"
        script = f"{command.text}\nstatus=$?\npwd > {place}\nexit $status\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        printed = self._neutral(done.stdout + done.stderr)
        assert done.returncode == status, (
            f"$ {command.text}\nexit {done.returncode}, expected {status}\n{printed}"
        )
        self.folder = Path(place.read_text("utf-8").strip())
        place.unlink()
        if command.output:
            differs = difference(command.output, printed.splitlines())
            assert not differs, f"$ {command.text}\n{differs}"

    def start(self, command: Command) -> None:
        """Run a command in the background, on a terminal, until the page ends."""
        assert self.background is None, "one background command a page"
        self.background = Background(command.text, self.folder, self.env)
        self.expect(command.output)

    def expect(self, lines: tuple[str, ...]) -> None:
        """Wait until the background command has printed these lines."""
        assert self.background is not None, "no command runs in the background"
        until = time.monotonic() + PATIENCE
        while differs := difference(lines, self._neutral(self.background.news()).splitlines(), whole=False):
            assert time.monotonic() < until, differs
            time.sleep(0.05)
        self.background.forget()

    def write(self, name: str, content: str) -> None:
        """Write a file as the reader does in an editor."""
        path = Path(name.replace("~", str(self.home), 1)) if name.startswith("~") else self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")

    def end(self) -> None:
        """Stop what runs and remove what was made."""
        if self.background is not None:
            self.background.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _neutral(self, text: str) -> str:
        return text.replace(str(self.home), "/home/you")


class Background:
    """A command on a terminal of its own.

    Args:
        text: for bash.
        folder: where it runs.
        env: its environment.

    """

    def __init__(self, text: str, folder: Path, env: dict[str, str]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {text}"], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self._handle = ours
        self._text = ""
        self._known = 0
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def text(self) -> str:
        """Return all that was printed, with its colours."""
        return self._text.replace("\r\n", "\n")

    def news(self) -> str:
        """Return what was printed since the last `forget`, whole lines only."""
        text = _ESCAPES.sub("", self._text).replace("\r\n", "\n")
        return text[self._known : text.rfind("\n") + 1]

    def forget(self) -> None:
        """Take what was printed so far as seen."""
        self._known += len(self.news())

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)
        self._process.wait(15)
        self._thread.join(5)
        os.close(self._handle)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._handle, 65536)
            except OSError:
                return
            if not data:
                return
            self._text += data.decode("utf-8", "backslashreplace")
