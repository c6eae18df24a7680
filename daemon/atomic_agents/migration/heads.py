"""The version that a unit names, told from its first lines alone where these leave no doubt (seed MUST 1)."""

from __future__ import annotations

import os
import re
from typing import Final

_HEAD_BYTES: Final = 1024
_PLAIN: Final = rb"(?:#[^\r\n]*|[a-z_]+:[ \t]+[A-Za-z0-9./_ -]+)?\r?\n"
_HEAD: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:" + _PLAIN + rb")*?"
    rb"schema_version:[ \t]+(0|[1-9][0-9]{0,8})[ \t]*(?:[ \t]#[^\r\n]*)?\r?\n"
)


def read_head(path: str) -> int | None:
    """Return the version, or None where only parsing the whole frontmatter can tell.

    What is returned is what the whole says, if the whole can be read.

    Args:
        path: a unit's file.

    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return version_in(os.read(handle, _HEAD_BYTES))
    except OSError:
        return None
    finally:
        os.close(handle)


def version_in(head: bytes) -> int | None:
    """Return the version that the first bytes of a unit name, or None where they leave a doubt."""
    match = _HEAD.match(head)
    return int(match[1]) if match is not None else None
