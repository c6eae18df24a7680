"""Writing to a copy in memory, for a rehearsal (contract [M-5])."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

_NO_DEVICE: Final = (1 << 64) - 1


class Drafted(NamedTuple):
    """What a unit would say, not written anywhere; see `writing.Staged`."""

    expected: os.stat_result
    status: os.stat_result
    packed: bytes

    @property
    def data(self) -> bytes:
        """The bytes."""
        return zlib.decompress(self.packed)


class OverlayWriter:
    """Keeps, compressed, what would be written; the disk is never touched."""

    is_full = False

    def __init__(self) -> None:
        self._drafts: dict[str, Drafted] = {}
        self._count = 0

    def pending(self, path: str) -> Drafted | None:
        """Return what was written to a path."""
        return self._drafts.get(path)

    def write(
        self,
        path: str,
        data: bytes,
        expected: os.stat_result,
        twins: tuple[str, ...] = (),  # noqa: ARG002 - a copy has no other names
    ) -> os.stat_result:
        """Keep the bytes; the status that is returned is no file's."""
        self._count += 1
        facts = (stat.S_IFREG, self._count, _NO_DEVICE, 1, 0, 0, len(data), 0, 0, 0)
        status = os.stat_result((*facts, 0.0, 0.0, 0.0, 0, 0, 0))
        self._drafts[path] = Drafted(expected, status, zlib.compress(data, 1))
        return status

    def settle(self) -> None:
        """Do nothing: there is nothing to put in place."""

    def drop(self) -> None:
        """Forget everything."""
        self._drafts.clear()

    def drafts(self) -> Iterator[tuple[str, bytes]]:
        """Yield every path that was written to, and its bytes."""
        for path, draft in self._drafts.items():
            yield path, draft.data
