"""The audit: one JSON line for each run, appended and never rewritten (seed MUST 8)."""

from __future__ import annotations

import dataclasses
import datetime as dt
import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import make_folder, sync_folder
from atomic_agents.exceptions import MigrationError
from atomic_agents.migration.values import MigrationEvent

AUDIT_FILE: Final = "migration.jsonl"


def timestamp(moment: float) -> str:
    """Return a wall time (seconds since the epoch) as the audit writes it: ISO 8601, UTC, microseconds."""
    return dt.datetime.fromtimestamp(moment, dt.UTC).isoformat(timespec="microseconds")


def append_event(folder: Path, event: MigrationEvent) -> None:
    """Append one line, durable; a torn last line is fenced off by a new one.

    Args:
        folder: the vault's `_migrations`; created if missing.
        event: what is recorded.

    Raises:
        MigrationError: it could not be written; nothing of it stays.

    """
    path = folder / AUDIT_FILE
    try:
        make_folder(folder, mode=0o755)
        _append(path, encode(event))
        sync_folder(folder)
    except OSError as error:
        raise MigrationError(
            f"audit {path}: cannot be written ({error.strerror or error})",
            hint="make room or mend its permissions, then look at --status",
        ) from error


def encode(event: MigrationEvent) -> bytes:
    """Return an event as one line; text that is not UTF-8 is escaped."""
    return json.dumps(dataclasses.asdict(event)).encode("ascii") + b"\n"


def read_events(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the records, oldest first; lines that are no JSON object are left out."""
    try:
        with (folder / AUDIT_FILE).open("rb") as lines:
            for line in lines:
                record = _decode(line)
                if record is not None:
                    yield record
    except FileNotFoundError:
        return


def is_settled(folder: Path, run_id: str) -> bool:
    """Whether the audit says how a run ended: well, or rolled back. A rollback that failed is no end."""
    records = (record for record in read_events(folder) if record.get("run_id") == run_id)
    return any(not record.get("error") or record.get("rolled_back") for record in records)


def _decode(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _append(path: Path, line: bytes) -> None:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags, 0o644)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        size = status.st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        _write_whole(handle, (b"\n" if torn else b"") + line, size)
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_whole(handle: int, data: bytes, size: int) -> None:
    """Write all of it with one call, or take back the part that went in."""
    written = 0
    try:
        written = os.write(handle, data)
    finally:
        if written != len(data):
            os.ftruncate(handle, size)
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
