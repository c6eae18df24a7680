"""Values → YAML text that our own loader reads back as exactly these values (contract [WRITE-1])."""

from __future__ import annotations

import base64
import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.units.loader import MOST_LEVELS
from atomic_agents.units.scalars import LONGEST, STR, resolve

_UNSAFE: Final = re.compile(r": |:\Z| #|\A(?:[-?:,\[\]{}#&*!|>'\"%@`]|---|\.\.\.)")
_UNSAFE_IN_FLOW: Final = re.compile(r"[,\[\]{}:?]")
_LITERAL: Final = r"\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_ESCAPED: Final = re.compile(rf"[^{_LITERAL}]|[\"\\]")
_WORDS: Final = {None: "null", True: "true", False: "false"}
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x1b": "\\e"}


class EmitError(AtomicAgentsError):
    """A value has no YAML form that would read back as the same value."""


def emit_scalar(value: Any, *, quote: str = "", in_flow: bool = False) -> str:
    """Return a value that is no list or mapping as YAML, on one line.

    Args:
        value: text, number, date, boolean, null, bytes or a set.
        quote: the quotes that text gets where they can hold it: `'`, `"`, or "" for as few as possible.
        in_flow: whether it stands between brackets.

    Raises:
        EmitError: it has no such form.

    """
    if isinstance(value, str):
        return _text(str(value), quote, in_flow=in_flow)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, dt.date):
        return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else value.isoformat()
    return _rare(value)


def emit_flow(value: Any, depth: int = 0) -> str:
    """Return any value as YAML on one line, lists and mappings in brackets.

    Args:
        value: what to write.
        depth: how many collections lie around it.

    Raises:
        EmitError: it has no such form.

    """
    if depth > MOST_LEVELS:
        raise EmitError(f"more than {MOST_LEVELS} levels cannot be written")
    if isinstance(value, list | tuple):
        return f"[{', '.join(emit_flow(item, depth + 1) for item in value)}]"
    if isinstance(value, Mapping):
        pairs = (
            f"{emit_scalar(key, in_flow=True)}: {emit_flow(item, depth + 1)}" for key, item in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    return emit_scalar(value, in_flow=depth > 0)


def emit_block(value: Any, depth: int = 0) -> list[str]:
    """Return a list or mapping that is not empty as lines, without indentation of its own.

    Args:
        value: what to write.
        depth: how many collections lie around it.

    Raises:
        EmitError: it has no such form.

    """
    if depth > MOST_LEVELS:
        raise EmitError(f"more than {MOST_LEVELS} levels cannot be written")
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in _pair(emit_scalar(key), item, depth)]
    return [line for item in value for line in _item(item, depth)]


def is_block(value: Any) -> bool:
    """Whether a value takes lines of its own: a list or mapping that is not empty."""
    return isinstance(value, list | tuple | Mapping) and len(value) > 0


def _flow_pair(key: Any, value: Any, depth: int) -> str:
    return f"{emit_scalar(key, in_flow=True)}: {emit_flow(value, depth)}"


def _pair(key: str, value: Any, depth: int) -> list[str]:
    if is_block(value):
        return [f"{key}:", *_indent(emit_block(value, depth + 1))]
    return [f"{key}: {emit_flow(value)}"]


def _item(value: Any, depth: int) -> list[str]:
    if is_block(value):
        first, *rest = emit_block(value, depth + 1)
        return [f"- {first}", *_indent(rest)]
    return [f"- {emit_flow(value)}"]


def _indent(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _text(value: str, quote: str, *, in_flow: bool) -> str:
    must_escape = any(hit[0] not in '"\\' for hit in _ESCAPED.finditer(value))
    is_plain = not must_escape and _is_plain(value) and not (in_flow and _UNSAFE_IN_FLOW.search(value))
    if is_plain and not quote:
        return value
    if must_escape or (quote == '"' and not _ESCAPED.search(value)):
        return f'"{_ESCAPED.sub(_escape, value)}"'
    return "'" + value.replace("'", "''") + "'"


def _is_plain(value: str) -> bool:
    return bool(value) and value == value.strip() and not _UNSAFE.search(value) and resolve(value) == STR


def _escape(hit: re.Match[str]) -> str:
    char = hit[0]
    if "\ud800" <= char <= "\udfff":
        raise EmitError(f"text with the lone surrogate U+{ord(char):04X} cannot be written as UTF-8")
    code = ord(char)
    return _SHORT.get(char, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004 - one byte


def _number(value: float) -> str:
    if isinstance(value, int):
        digits = f"{int(value):d}" if abs(value) < 10**LONGEST else ""
        if not digits or len(digits) > LONGEST:
            raise EmitError(f"a number of more than {LONGEST} digits cannot be written")
        return digits
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(float(value))
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


def _rare(value: Any) -> str:
    if isinstance(value, bytes):
        return f'!!binary "{base64.b64encode(value).decode("ascii")}"'
    if isinstance(value, set | frozenset):
        keys = sorted(f"{emit_scalar(key, in_flow=True)}: null" for key in value)
        return f"!!set {{{', '.join(keys)}}}"
    raise EmitError(f"a {type(value).__name__} cannot be written as YAML")
