"""Bytes → text, and what is wrong with the bytes (contract [READ-1], [RULE-E])."""

from __future__ import annotations

import codecs
from typing import Final, NamedTuple

from atomic_agents.units.codes import Fault

BOM: Final = codecs.BOM_UTF8

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Decoded(NamedTuple):
    """The text without its BOM; None where no text can be told from the bytes.

    Bytes that are no UTF-8 stand in `text` as U+FFFD, so that the rest can be judged all the same.
    """

    text: str | None
    has_bom: bool
    faults: tuple[Fault, ...]


def decode(data: bytes) -> Decoded:
    """Return the text of a file's bytes.

    Args:
        data: all of it.

    """
    if data.startswith(_UTF16):
        return Decoded(None, has_bom=True, faults=(_not_utf8("UTF-16 text", None),))
    if b"\0" in data:
        return Decoded(None, data.startswith(BOM), (_nul(data),))
    has_bom = data.startswith(BOM)
    faults = (_bom(),) if has_bom else ()
    try:
        return Decoded(data[len(BOM) * has_bom :].decode("utf-8"), has_bom, faults)
    except UnicodeDecodeError as error:
        offset = error.start + len(BOM) * has_bom
        found = f"byte {data[offset]:02X} at offset {offset}"
        fault = _not_utf8(found, data.count(b"\n", 0, offset) + 1)
        return Decoded(data[len(BOM) * has_bom :].decode("utf-8", "replace"), has_bom, (*faults, fault))


def _not_utf8(found: str, line: int | None) -> Fault:
    return Fault("not-utf8", found, "UTF-8 text", "Save the file again as UTF-8.", line=line)


def _nul(data: bytes) -> Fault:
    offset, count = data.index(b"\0"), data.count(b"\0")
    found = (
        f"{count} NUL bytes, the first at offset {offset}" if count > 1 else f"a NUL byte at offset {offset}"
    )
    fix = "Put the last good version back with `atomicd history` and `atomicd restore`."
    if 2 * count + 1 >= len(data) > 2 and count < len(data) - 1:  # noqa: PLR2004 - every second byte
        fix = "Save the file again as UTF-8; it looks like UTF-16."
    return Fault("nul-byte", found, "text without NUL bytes", fix, line=data.count(b"\n", 0, offset) + 1)


def _bom() -> Fault:
    fix = "Save the file as UTF-8 without BOM; atomicd keeps it as it is."
    return Fault("bom", "a byte order mark", "`---` as the very first bytes", fix, line=1)
