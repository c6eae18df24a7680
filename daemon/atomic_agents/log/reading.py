"""Reading the log while it grows and is rotated, without losing a line (contract section 10)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO


class LogReader:
    """Reads a log and its rotated files once through, then what comes; close it at the end.

    Args:
        path: the log; it may not be there yet.

    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._begun = b""

    def past(self) -> Iterator[str]:
        """Yield every line so far, oldest first."""
        for path in reversed(self._numbered()):
            self._open(path)
            yield from self._rest()
        self._open(self._path)
        yield from self._rest()

    def future(self, wait: Callable[[], object]) -> Iterator[str]:
        """Yield lines as they come, from file to file.

        Args:
            wait: called when there is nothing new.

        """
        while True:
            yield from self._rest()
            if self._is_replaced():
                yield from self._rest()
                for path in self._missed():
                    self._open(path)
                    yield from self._rest()
                self._open(self._path)
            else:
                wait()

    def close(self) -> None:
        """Close the file at hand."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _rest(self) -> Iterator[str]:
        """Yield the whole lines that are there; the beginning of one is kept until its end comes."""
        while self._file is not None and (data := self._file.readline()):
            self._begun += data
            if self._begun.endswith(b"\n"):
                line, self._begun = self._begun, b""
                yield line.decode("utf-8", "backslashreplace")

    def _open(self, path: Path) -> None:
        try:
            new = path.open("rb")
        except FileNotFoundError:
            return
        self.close()
        self._file, self._begun = new, b""

    def _is_replaced(self) -> bool:
        """Whether another file has the log's name, or this one was cut short."""
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            return False
        if self._file is None:
            return True
        ours = os.fstat(self._file.fileno())
        return _identity(there) != _identity(ours) or there.st_size < self._file.tell()

    def _missed(self) -> list[Path]:
        """Return the files that were rotated away since, oldest first."""
        if self._file is None:
            return []
        ours = _identity(os.fstat(self._file.fileno()))
        newer: list[Path] = []
        for path in self._numbered():
            if _identity(path.stat()) == ours:
                return newer[::-1]
            newer.append(path)
        return []

    def _numbered(self) -> list[Path]:
        """Return the rotated files, newest first."""
        found, number = [], 1
        while (path := self._path.with_name(f"{self._path.name}.{number}")).exists():
            found.append(path)
            number += 1
        return found


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
