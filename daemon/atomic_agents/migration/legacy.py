"""What a file of another memory tool would be as a unit: decides, and writes nothing (contract [M-7])."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from atomic_agents._schema import SchemaSet
from atomic_agents.migration.origins import Origin
from atomic_agents.model import Kind, Place
from atomic_agents.units.frontmatter import Reading, read

LEGACY_VERSION: Final = 0
FIRST_VERSION: Final = 1
_LONGEST_HOOK: Final = 150
_NEW_BLOCK: Final = "---{0}schema_version: 1{0}---{0}"
_HEADING: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_FENCE_LIKE: Final = ("---", "+++", "```", "{", "\u2014", "\u2013\u2013", "...")
_MARKS: Final = re.compile(r"^(?:[-*+>#|\s]|\d+[.)]\s)+")


@dataclass(frozen=True, slots=True)
class Filled:
    """A field that the file did not have: what it gets, and where that was taken from."""

    field: str
    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Adoption:
    """A file that becomes a unit.

    Args:
        path: relative to the vault.
        meta: its whole frontmatter.
        filled: the fields that were missing, each with its source.
        rename: the file name that would match the pattern; None when it does, or none can be told.

    """

    path: str
    meta: Mapping[str, Any]
    filled: tuple[Filled, ...]
    rename: str | None


@dataclass(frozen=True, slots=True)
class Undecided:
    """A file that is left as it is, and why."""

    path: str
    reason: str


class _CannotTellError(Exception):
    """A field cannot be told from the file; holds why."""


def with_block(data: bytes) -> bytes:
    """Return a file's bytes, with a frontmatter in front where there is none; the body stays as it is."""
    reading = read(data)
    if not _lacks_block(reading):
        return data
    end = "\r\n" if "\r\n" in reading.text else "\n"
    bom = b"\xef\xbb\xbf" if reading.has_bom else b""
    return bom + _NEW_BLOCK.format(end).encode("ascii") + data.removeprefix(bom)


def decide(
    place: Place, data: bytes, origin: Callable[[], Origin], schemas: SchemaSet
) -> Adoption | Undecided | None:
    """Return what becomes of a file; None when it is no legacy file, since it names a schema version.

    Args:
        place: where it lies.
        data: its bytes.
        origin: gives its dates; asked only when they are missing.
        schemas: the vault's field tables.

    """
    reading = read(data)
    has_block = not _lacks_block(reading)
    if has_block and reading.meta is None:
        fault = next(fault for fault in reading.faults if fault.is_error)
        line = f" in line {fault.line}" if fault.line else ""
        return Undecided(place.path, f"{fault.code}{line}: found {fault.found}; {fault.fix}")
    meta = dict(reading.meta or {})
    if "schema_version" in meta:
        return None
    try:
        filled = tuple(_fill(place, meta, reading.body, origin, schemas.note_types))
    except _CannotTellError as error:
        return Undecided(place.path, str(error))
    whole = meta | {item.field: item.value for item in filled}
    problems = schemas.problems(whole, place.kind, FIRST_VERSION)
    if problems:
        told = "; ".join(f"{item.field}: found {item.found}, expected {item.expected}" for item in problems)
        return Undecided(place.path, told)
    return Adoption(place.path, whole, filled, _rename(place, str(whole["type"]), schemas))


def _lacks_block(reading: Reading) -> bool:
    """Whether there is no frontmatter, and nothing that was meant as one."""
    if reading.fences is not None or not reading.text.strip():
        return False
    errors = {fault.code for fault in reading.faults if fault.is_error}
    return errors == {"frontmatter-missing"} and not reading.text.lstrip("\ufeff\u200b \t\r\n").startswith(
        _FENCE_LIKE
    )


def _fill(
    place: Place,
    meta: Mapping[str, Any],
    body: str,
    origin: Callable[[], Origin],
    types: tuple[str, ...],
) -> list[Filled]:
    filled = [Filled("schema_version", FIRST_VERSION, "the first version")]
    tellers: dict[str, Callable[[], tuple[Any, str]]] = {
        "name": lambda: _name(place, body),
        "description": lambda: _description(body),
        "type": lambda: _type(place, meta, types),
        "captured": lambda: (origin().first, origin().source),
        "last_seen": lambda: (origin().last, origin().source),
        "sources": lambda: (["observation"], "nothing says where it came from"),
        "confidence": lambda: ("low", "nothing says how sure it is"),
    }
    if place.kind is Kind.WIKI:
        tellers["provenance"] = lambda: ("distilled", "wiki pages always are")
    for field, tell in tellers.items():
        if meta.get(field) is None:
            value, source = tell()
            filled.append(Filled(field, value, source))
    return filled


def _name(place: Place, body: str) -> tuple[str, str]:
    heading = _HEADING.search(body)
    if heading is not None:
        return _one_line(heading[1]), "the first heading"
    words = re.sub(r"[\W_]+", " ", PurePosixPath(place.path).stem).strip()
    return words, "the file name"


def _description(body: str) -> tuple[str, str]:
    for line in body.splitlines():
        text = _one_line(_MARKS.sub("", line))
        if text and not line.lstrip().startswith(("#", "---", "```", "|", "<!--")):
            return _cut(text), "the first line of the text"
    raise _CannotTellError("no description, and no text to take one from")


def _type(place: Place, meta: Mapping[str, Any], types: tuple[str, ...]) -> tuple[str, str]:
    if place.kind is Kind.WIKI:
        return "wiki_page", "wiki pages always are"
    inner = meta.get("metadata")
    if isinstance(inner, Mapping) and inner.get("type") is not None:
        if inner["type"] in types:
            return str(inner["type"]), "metadata.type"
        raise _CannotTellError(f"metadata.type: found {inner['type']!r}, expected one of {', '.join(types)}")
    parts = PurePosixPath(place.inner).parts
    prefix = re.split(r"[_-]", parts[-1], maxsplit=1)[0].casefold()
    if prefix in types:
        return prefix, "the file name"
    for folder in reversed(parts[:-1]):
        for kind in types:
            if folder.casefold() in {kind, f"{kind}s"}:
                return kind, f"the folder {folder}"
    raise _CannotTellError("no type: neither the fields, nor the file name, nor the folder says one")


def _rename(place: Place, kind: str, schemas: SchemaSet) -> str | None:
    name = PurePosixPath(place.path).name
    known = schemas.parse_name(name, place.kind)
    if known is not None and known.type in {kind, None}:
        return None
    stem = unicodedata.normalize("NFC", PurePosixPath(name).stem).casefold()
    words = [word for word in re.split(r"[\W_]+", stem) if word]
    if words and words[0] in schemas.note_types:
        words = words[1:]
    wanted = "_".join(words if place.kind is Kind.WIKI else [kind, *words]) + ".md"
    parts = schemas.parse_name(wanted, place.kind)
    return wanted if words and parts is not None and parts.type in {kind, None} else None


def _one_line(text: str) -> str:
    visible = (char if char.isprintable() else " " for char in text)
    return " ".join("".join(visible).split())


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_HOOK:
        return text
    return text[: _LONGEST_HOOK - 1].rsplit(" ", 1)[0] + "…"
