"""Which bytes a run wrote itself: a restore may drop these, and sets everything else aside (contract [M-2]).

Beside a snapshot lies a file of SHA-256 hashes, 32 bytes each, appended before the bytes come into place.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from atomic_agents._files.write import write_all

_DIGEST: Final = 32
_ARCHIVE: Final = ".tar.gz"


def written_file(snapshot: Path) -> Path:
    """Return where the hashes of what was written after a snapshot lie."""
    return snapshot.with_name(f"{snapshot.name.removesuffix(_ARCHIVE)}.written")


def remember_written(snapshot: Path, contents: Iterable[bytes]) -> None:
    """Append the hashes of these contents, durable.

    Raises:
        OSError: the system refuses.

    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(written_file(snapshot), flags, 0o600)
    try:
        write_all(handle, b"".join(hashlib.sha256(data).digest() for data in contents))
        os.fsync(handle)
    finally:
        os.close(handle)


def recall_written(snapshot: Path) -> frozenset[bytes]:
    """Return the hashes that were remembered for a snapshot; none when nothing was."""
    try:
        data = written_file(snapshot).read_bytes()
    except FileNotFoundError:
        return frozenset()
    whole = len(data) - len(data) % _DIGEST
    return frozenset(data[at : at + _DIGEST] for at in range(0, whole, _DIGEST))
