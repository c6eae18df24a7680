"""A terminal of a given width around one command."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path


def on_terminal(
    words: Sequence[str], *, columns: int, env: Mapping[str, str], folder: Path | None = None
) -> tuple[int, str]:
    """Run a command on a terminal and return its exit status and what it printed, line ends as LF.

    Args:
        words: program and arguments.
        columns: the terminal's width.
        env: the environment; `COLUMNS` and `TERM` are set as a terminal has them.
        folder: where to run it.

    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {name: value for name, value in env.items() if name not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=kept | {"TERM": "xterm-256color"}
    )
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    return process.wait(timeout=60), b"".join(pieces).decode("utf-8").replace("\r\n", "\n")
