"""Making many files durable: one `syncfs` where that is enough, else an fsync for each, in threads."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Final

_THREADS: Final = 8
_WORTH_IT: Final = 128
_FIRST_KERNEL_THAT_REPORTS: Final = (5, 8)
_LOCAL: Final = frozenset({"ext4", "xfs", "tmpfs", "f2fs"})


def make_durable(files: Sequence[str]) -> None:
    """Return once the content of these files, all on one file system, is on the disk.

    Raises:
        OSError: the disk refuses.

    """
    if len(files) >= _WORTH_IT and _can_sync_whole(files):
        _sync_file_system(_folder(files[0]))
        return
    if len(files) == 1:
        _sync_file(files[0])
        return
    with ThreadPoolExecutor(_THREADS) as threads:
        for _done in threads.map(_sync_file, files):
            continue


def _sync_file(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _can_sync_whole(files: Iterable[str]) -> bool:
    """Whether one `syncfs` does it: the kernel tells of errors, and it is one local file system."""
    if not _system_can():
        return False
    devices = {os.stat(folder).st_dev for folder in set(map(_folder, files))}
    return len(devices) == 1 and _kind_of(devices.pop()) in _LOCAL


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


@cache
def _system_can() -> bool:
    if sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "syncfs"):
        return False
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= _FIRST_KERNEL_THAT_REPORTS


@cache
def _kind_of(device: int) -> str:
    wanted = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    for line in lines:
        fields, _dash, source = line.partition(" - ")
        if fields.split(" ")[2] == wanted:
            return source.split(" ")[0]
    return ""


def _sync_file_system(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(handle) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), folder)
    finally:
        os.close(handle)
