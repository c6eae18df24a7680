"""The log file: append-only, rotated, shared, never raising (contract section 10)."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from typing import TextIO


class LogFile:
    """An append-only log, safe to `tail -F`: one write per line, rotated by size, never raising.

    Several processes may share one file. A file that was renamed or removed from outside is opened anew.

    Args:
        path: the log.
        max_bytes: size at which it is rotated.
        keep: number of rotated files (`.1` is the newest).
        complain: where the one notice about a failing disk goes.

    """

    def __init__(self, path: Path, *, max_bytes: int, keep: int, complain: TextIO | None = None) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._keep = keep
        self._complain = complain
        self._handle = -1
        self._failing = False

    def write(self, line: str) -> None:
        """Append one line; what cannot be written is told once on standard error and lost."""
        try:
            self._append(f"{line}\n".encode("utf-8", "backslashreplace"))
        except OSError as error:
            self._tell(error)
        else:
            self._failing = False

    def limit(self, *, max_bytes: int, keep: int) -> None:
        """Change when the file is rotated.

        Args:
            max_bytes: size at which it is rotated.
            keep: number of rotated files.

        """
        self._max_bytes, self._keep = max_bytes, keep

    def close(self) -> None:
        """Close the file; a later write opens it again."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _append(self, data: bytes) -> None:
        if self._handle < 0 or self._is_replaced():
            self._open()
        os.write(self._handle, data)
        if os.fstat(self._handle).st_size >= self._max_bytes:
            self._rotate()

    def _open(self) -> None:
        self.close()
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        self._handle = os.open(self._path, flags, 0o600)

    def _is_replaced(self) -> bool:
        ours = os.fstat(self._handle)
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            return True
        return (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino)

    def _rotate(self) -> None:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        if not self._is_replaced():
            for number in range(self._keep, 0, -1):
                source = self._numbered(number - 1)
                if source.exists():
                    os.replace(source, self._numbered(number))
            if not self._keep:
                os.unlink(self._path)
        self.close()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path

    def _tell(self, error: OSError) -> None:
        self.close()
        if not self._failing:
            print(
                f"atomicd: log {self._path}: {error.strerror}; lines are lost",
                file=self._complain or sys.stderr,
            )
        self._failing = True
