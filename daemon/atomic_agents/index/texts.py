"""Putting a name or description on one line of INDEX.md, where it acts as nothing but text ([INDEX-5])."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_BREAKS: Final = re.compile("[\t-\r\x1c-\x1f \x85\u2028\u2029]+")
_CONTROLS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""Fixed ranges and not `unicodedata`, so that hosts with other Python versions write the same bytes."""
_JOINERS: Final = re.compile(
    "(?<![^\x00-\x7f\u200c\u200d\ufe0e\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200c\u200d\ufe0e\ufe0f])"
)
_SELECTORS: Final = re.compile("(?<![#*0-9\u0080-\ufdff\ufe10-\U0010ffff])[\ufe0e\ufe0f]+")
_COMBINING: Final = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe0e\ufe0f\ufe20-\ufe2f]"
)
_RUN: Final = re.compile("`+")
_ACTIVE: Final = re.compile(r"[\\`\[\]<]")
_BACKSLASH: Final = r"\\(?=[!-/:-@\[-`{-~]|$)"
_ACTS_IN_HOOK: Final = re.compile(rf"{_BACKSLASH}|<(?=[A-Za-z/?!])|\](?=[(\[])|\[(?=\[)|`")
_ACTS_ALWAYS: Final = re.compile(rf"{_BACKSLASH}|<(?=[A-Za-z/?!])|[\[\]`]")
_ACTS_IN_CODE: Final = re.compile(r"\][(\[]|\[\[|<!")
_ACTS_IN_TITLE_CODE: Final = re.compile(r"[\[\]]|<!")
_CLOSERS: Final = " ,;:.-\u2013\u2014(["


def one_line(text: str) -> str:
    """Return the text on one line, without control, bidi, zero-width and other invisible characters.

    Joiners stay between letters or signs that are not ASCII, where scripts and emoji need them.

    Args:
        text: a name or description as YAML gave it.

    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    text = _CONTROLS.sub("", _BREAKS.sub(" ", text))
    text = _JOINERS.sub("", _SELECTORS.sub("", text))
    return _BREAKS.sub(" ", text).strip()


def shorten(text: str, limit: int) -> str:
    """Return the text cut at a word, with `…`, if it is longer than a limit ([INDEX-2]).

    Args:
        text: one line.
        limit: most characters of the result, the `…` included.

    """
    if len(text) <= limit:
        return text
    end = limit - 1
    space = text.rfind(" ", limit // 2, end + 1)
    if space > 0:
        end = space
    else:
        while end > 1 and _COMBINING.match(text, end):
            end -= 1
    return text[:end].rstrip(_CLOSERS) + "…"


def as_hook(text: str, *, defined: bool = False) -> str:
    """Return one line of text, escaped where it would act, to stand after an entry's separator.

    Args:
        text: one line.
        defined: the document defines link labels, so that `[label]` alone would be a link.

    """
    return _escaped_hook(text, defined) if _ACTIVE.search(text) else text


def as_title(text: str, *, defined: bool = False) -> str:
    """Return one line of text, escaped where it would act, to stand between a link's brackets.

    Args:
        text: one line.
        defined: the document defines link labels, so that `[label]` alone would be a link.

    """
    return _escaped_title(text, defined) if _ACTIVE.search(text) else text


@lru_cache(maxsize=1 << 12)
def _escaped_hook(text: str, defined: bool) -> str:
    acts = _ACTS_ALWAYS if defined else _ACTS_IN_HOOK
    pieces = _pieces(text, _ACTS_IN_CODE)
    return "".join(piece if code else acts.sub(_escape, piece) for piece, code in pieces)


@lru_cache(maxsize=1 << 12)
def _escaped_title(text: str, defined: bool) -> str:
    pieces = list(_pieces(text, _ACTS_IN_TITLE_CODE))
    plain = "".join(" " if code else piece for piece, code in pieces)
    acts = _ACTS_IN_HOOK if not defined and _is_balanced(plain) else _ACTS_ALWAYS
    return "".join(piece if code else acts.sub(_escape, piece) for piece, code in pieces)


def _is_balanced(text: str) -> bool:
    """Whether brackets nest, none begins the text, and no two of them meet as a link's would."""
    depth = 0
    for char in text:
        depth += (char == "[") - (char == "]")
        if depth < 0:
            return False
    return depth == 0 and not text.startswith(("[", "^")) and not re.search(r"\][(\[]|\[\[", text)


def _escape(match: re.Match[str]) -> str:
    if match[0] == "<" and match.string[match.end()] == "!":
        return "<\\"  # also no `<!--` for tools that look for it without reading backslashes
    return "\\" + match[0]


def _pieces(text: str, acts_in_code: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces and whether each is a code span that may stay one."""
    start = 0
    for begin, end in _code_spans(text):
        if not acts_in_code.search(text, begin, end):
            if start < begin:
                yield text[start:begin], False
            yield text[begin:end], True
            start = end
    if start < len(text):
        yield text[start:], False


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    after = 0
    for number, (begin, end) in enumerate(runs):
        if begin < after:
            continue
        closing = next((run for run in runs[number + 1 :] if run[1] - run[0] == end - begin), None)
        if closing is not None:
            after = closing[1]
            yield begin, after
