"""Changing fields of a unit, and not one byte besides (contract [WRITE-1])."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.schemas.found import shorten
from atomic_agents.units.decoding import BOM
from atomic_agents.units.edits import Change, Edit, apply_edits
from atomic_agents.units.edits_block import edit_block
from atomic_agents.units.edits_flow import edit_flow
from atomic_agents.units.emit import EmitError
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.marks import same


class _Removed(enum.Enum):
    REMOVED = enum.auto()


REMOVED: Final = _Removed.REMOVED
"""In a mapping of changes: the field goes."""


class SpliceError(AtomicAgentsError):
    """A unit cannot be changed without losing something; its bytes are as they were."""


def splice(data: bytes, changes: Mapping[str, Any]) -> bytes:
    """Return a unit's bytes with some fields changed; everything else stays byte for byte.

    Args:
        data: the unit.
        changes: new values by field; `REMOVED` takes a field away. What is there already is no change.

    Raises:
        SpliceError: the unit cannot be read, or a value cannot be written so that it reads back the same.

    """
    return change(read(data), changes).data


def write_meta(data: bytes, meta: Mapping[str, Any]) -> bytes:
    """Return a unit's bytes with exactly this frontmatter; the very same bytes if it says that already.

    Args:
        data: the unit.
        meta: all fields; those that are not in it are removed.

    Raises:
        SpliceError: as for `splice`.

    """
    return rewrite(read(data), meta).data


def rewrite(reading: Reading, meta: Mapping[str, Any]) -> Reading:
    """Do what `write_meta` does, from and to a reading, so that nothing is parsed twice.

    Args:
        reading: the unit.
        meta: all fields.

    Raises:
        SpliceError: as for `splice`.

    """
    gone = {key: REMOVED for key in _readable(reading) if key not in meta}
    return change(reading, {**gone, **meta})


def change(reading: Reading, changes: Mapping[str, Any]) -> Reading:
    """Do what `splice` does, from and to a reading; the same object if nothing changes.

    Args:
        reading: the unit.
        changes: new values by field, or `REMOVED`.

    Raises:
        SpliceError: as for `splice`.

    """
    old = _readable(reading)
    real = {key: value for key, value in changes.items() if _is_real(key, value, old)}
    if not real:
        return reading
    expected = {**old, **real}
    expected = {key: value for key, value in expected.items() if value is not REMOVED}
    if not expected:
        raise SpliceError("no field would be left", hint="delete the file instead")
    _refuse_lost_anchors(reading, real)
    data = _assemble(reading, apply_edits(reading.block, _edits(reading, real)))
    return _verified(read(data), reading, expected)


def _readable(reading: Reading) -> Mapping[str, Any]:
    if reading.meta is not None:
        return reading.meta
    fault = next(fault for fault in reading.faults if fault.is_error)
    raise SpliceError(f"{fault.code}: found {fault.found}, expected {fault.expected}", hint=fault.fix)


def _is_real(key: str, value: Any, old: Mapping[str, Any]) -> bool:
    if not isinstance(key, str):
        raise SpliceError(f"the key {key!r} is no text")
    if value is REMOVED:
        return key in old
    return key not in old or not same(old[key], value)


def _edits(reading: Reading, changes: Mapping[str, Any]) -> list[Edit]:
    marks, old = reading.marks, reading.values or {}
    listed = [
        Change(key, marks.entries.get(key), old.get(key), value, is_removed=value is REMOVED)
        for key, value in changes.items()
    ]
    merged = next((each.key for each in listed if each.is_removed and each.entry is None), None)
    if merged is not None:
        raise SpliceError(f"{merged}: it comes from `<<`, so it cannot be removed here")
    newline = (
        "\r\n" if reading.text[: reading.fences.start if reading.fences else 0].endswith("\r\n") else "\n"
    )
    try:
        if marks.in_flow:
            return edit_flow(reading.block, marks, listed)
        return edit_block(reading.block, marks, listed, newline)
    except EmitError as error:
        raise SpliceError(str(error)) from error


def _refuse_lost_anchors(reading: Reading, changes: Mapping[str, Any]) -> None:
    """Refuse to overwrite a value that other values take over by an alias."""
    entries = [reading.marks.entries[key] for key in changes if key in reading.marks.entries]
    spans = [(entry.key_start, entry.end) for entry in entries]

    def is_changed(offset: int) -> bool:
        return any(start <= offset < end for start, end in spans)

    lost = {name for name, offset in reading.marks.anchors if is_changed(offset)}
    for name, offset in reading.marks.aliases:
        if name in lost and not is_changed(offset):
            line, shown = reading.line_at(offset), shorten(name, 40)
            raise SpliceError(
                f"line {line}: `*{shown}` takes over a value that would be changed",
                hint="write the value out in both places first",
            )


def _assemble(reading: Reading, block: str) -> bytes:
    assert reading.fences is not None
    start = len(BOM) * reading.has_bom + reading.fences.start
    return reading.data[:start] + block.encode() + reading.data[start + len(reading.block.encode()) :]


def _verified(new: Reading, old: Reading, expected: Mapping[str, Any]) -> Reading:
    """Return the result, if it reads back as it was meant."""
    if new.meta is None or not same(dict(new.meta), dict(expected)) or new.body != old.body:
        raise SpliceError(
            "the changed frontmatter would not read back as it was meant",
            hint="put the changed values in a simpler form, or edit the file by hand",
        )
    return new
