"""Looking at one path: what is there, and its bytes (contract [READ-1], [PATH-2])."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from atomic_agents._io import Reading, hash_file, read_file
from atomic_agents.exceptions import FileChangedError, FileTooLargeError, NotRegularFileError


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing has this name."""


@dataclass(frozen=True, slots=True)
class Odd:
    """Something that is never opened: a FIFO, a folder, a link, a file in the cloud only."""

    what: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The system does not let it be read now; what it holds is unknown, it is not gone."""

    reason: str


@dataclass(frozen=True, slots=True)
class Huge:
    """A file over the size limit: only its hash was read."""

    sha256: str
    status: os.stat_result


Look = Reading | Huge | Missing | Odd | Refused

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
_DATALESS = 0x40000000
"""macOS: `SF_DATALESS`, the content lies in the cloud."""


def glance(root: Path, path: str) -> os.stat_result | Missing | Odd | Refused:
    """Return a regular file's status without opening it, or what is there instead.

    Args:
        root: the vault's real path.
        path: relative to it; a link in its last place is followed, the caller knows that it stays inside.

    """
    try:
        status = os.stat(root / path)
    except OSError as error:
        if error.errno in _GONE:
            return _what_is_gone(root, path)
        return Refused(_reason(error))
    if not stat.S_ISREG(status.st_mode):
        return Odd("folder" if stat.S_ISDIR(status.st_mode) else "no regular file")
    if is_dataless(status):
        return Odd("in the cloud only")
    return status


def look(root: Path, path: str, limit: int) -> Look:
    """Return a file's bytes, or what stands in the way of reading them.

    Args:
        root: the vault's real path.
        path: relative to it.
        limit: size in bytes above which only the hash is read.

    """
    status = glance(root, path)
    if not isinstance(status, os.stat_result):
        return status
    real = Path(os.path.realpath(root / path))
    try:
        return read_file(real, limit=limit)
    except FileTooLargeError:
        return _hash(real)
    except NotRegularFileError:
        return Odd("no regular file")
    except FileChangedError:
        return Refused("it is being written to")
    except OSError as error:
        return Missing() if error.errno in _GONE else Refused(_reason(error))


def is_dataless(status: os.stat_result) -> bool:
    """Whether a file lies in the cloud only, so that reading would fetch it (contract [PATH-2])."""
    return bool(getattr(status, "st_flags", 0) & _DATALESS)


def _hash(real: Path) -> Look:
    try:
        sha256, status = hash_file(real)
    except FileChangedError:
        return Refused("it is being written to")
    except OSError as error:
        return Missing() if error.errno in _GONE else Refused(_reason(error))
    return Huge(sha256, status)


def _what_is_gone(root: Path, path: str) -> Missing | Odd:
    folder, _, name = path.rpartition("/")
    if os.path.lexists(root / path):
        return Odd("link that leads nowhere")
    if os.path.lexists(root / folder / f".{name}.icloud"):
        return Odd("in the cloud only")
    return Missing()


def _reason(error: OSError) -> str:
    name = errno.errorcode.get(error.errno or 0, "error")
    return f"{name}: {error.strerror}"
