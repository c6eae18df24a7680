"""The faults that the strict loader reports, in words (contract [READ-1])."""

from __future__ import annotations

from typing import Any, Final

from atomic_agents.schemas.found import describe, shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.scalars import MERGE, TIMESTAMP, VALUE

_PREFIX: Final = "tag:yaml.org,2002:"
_TAG_FIX: Final = "Put the value in quotes if its text begins with `!`; otherwise remove the tag."
_QUOTE: Final = "Put the value in quotes."


def line_at(block: str, offset: int) -> int:
    """Return the line of an offset, counted from 1 at the first line of the block."""
    return block.count("\n", 0, offset) + 1


def control(char: str) -> Fault:
    """Return the fault for a control character that YAML made from an escape."""
    found = f"the control character U+{ord(char):04X}"
    fix = "Remove the escape, or write the text without it."
    return Fault("control-characters", found, "text without control characters", fix)


def unbuilt(tag: str, raw: str) -> Fault:
    """Return the fault for a scalar that YAML names but cannot build.

    Args:
        tag: what YAML took it for.
        raw: its text in the file.

    """
    shown = shorten(raw)
    if tag == TIMESTAMP:
        fix = "Write a real day, as in 2026-05-06, or put the value in quotes if it is no date."
        return Fault("date-invalid", shown, "a date that exists, YYYY-MM-DD", fix)
    if tag in {VALUE, MERGE}:
        return Fault("yaml-syntax", f"`{shown}`, which has a meaning of its own in YAML", "a value", _QUOTE)
    if not tag.startswith(_PREFIX) or tag.removeprefix(_PREFIX) not in _KNOWN:
        return unknown_tag(tag)
    found = f"`{shorten(raw, 40)}`, which YAML cannot read as {_KNOWN[tag.removeprefix(_PREFIX)]}"
    return Fault("yaml-syntax", found, "a value that YAML can read", _QUOTE)


_KNOWN: Final = {
    "null": "null",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "binary": "binary data",
}


def unknown_tag(tag: str | None) -> Fault:
    """Return the fault for a tag that is unknown or stands at the wrong kind of value."""
    found = shorten(f"the YAML tag `{(tag or '').replace(_PREFIX, '!!')}`")
    return Fault("yaml-syntax", found, "a value without a tag", _TAG_FIX)


def unhashable_key(block: str, offset: int) -> Fault:
    """Return the fault for a list or mapping as a key, which is what `{{x}}` is to YAML."""
    line = shorten(block[block.rfind("\n", 0, offset) + 1 :].partition("\n")[0], 40)
    return Fault("yaml-syntax", f"a list or mapping as a key in `{line}`", "a text key", _QUOTE)


def duplicate(block: str, key: Any, first: int, second: int) -> Fault:
    """Return the fault for a key that stands twice in one mapping."""
    lines = f"lines {line_at(block, first) + 1} and {line_at(block, second) + 1}"
    found = f"`{shorten(str(key), 40)}` on {lines}"
    fix = "Keep one of the two lines; YAML would drop the first without a word."
    return Fault("yaml-duplicate-key", found, "each key once", fix)


def odd_key(found: str) -> Fault:
    """Return the fault for a top-level key that is no text."""
    fix = "Put the key in quotes, or rename it."
    return Fault("field-type", f"{found} as a key", "text as a key", fix)


def bad_merge(value: Any) -> Fault:
    """Return the fault for a `<<` that merges no mapping."""
    fix = "Put `<<` in quotes if it is meant as text; otherwise name a mapping behind it."
    return Fault("yaml-syntax", f"`<<` with {describe(value)}", "a mapping behind `<<`", fix)


def not_mapping(block: str, root: Any) -> Fault:
    """Return the fault for frontmatter that is empty, a list, or text.

    Args:
        block: the lines between the fences.
        root: what YAML made of them.

    """
    found = describe(root)
    if root is None:
        found = "only comments" if block.strip() else "empty frontmatter"
    fix = "Write one `key: value` a line between the two lines `---`."
    hidden = next((char for char in block if char in INVISIBLE), None)
    if hidden is not None:
        fix = f"Replace the invisible U+{ord(hidden):04X} by a blank."
    return Fault("frontmatter-not-mapping", found, "lines `key: value`", fix, line=1)


def too_complex(line: int, found: str) -> Fault:
    """Return the fault for frontmatter that is too big or too deep."""
    expected = "at most 10000 values and 20 levels, aliases expanded"
    fix = "Keep the fields flat and move the data to the body or to a file of its own."
    return Fault("yaml-too-complex", found, expected, fix, line=line)


def unknown_alias(block: str, name: str, offset: int) -> Fault:
    """Return the fault for `*name` without `&name`."""
    found = f"`*{shorten(name, 40)}`, which YAML takes for an alias"
    fix = "Put the value in quotes, since it begins with `*`."
    return Fault("yaml-syntax", found, "a value that is no alias", fix, line=line_at(block, offset))


def anchor_twice(block: str, name: str, offset: int) -> Fault:
    """Return the fault for a second `&name`."""
    found = f"`&{shorten(name, 40)}` a second time"
    fix = "Put the value in quotes if its text begins with `&`; otherwise rename the anchor."
    return Fault("yaml-syntax", found, "each anchor once", fix, line=line_at(block, offset))


INVISIBLE: Final = "\u00a0\u00ad\u200b\u200c\u200d\u2060\ufeff\u2007\u202f\u3000\u180e"
"""Characters that look like a blank or like nothing, and are neither to YAML."""
