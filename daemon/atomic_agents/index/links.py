"""Links within one line of Markdown: inline, wikilink, label definition, `href` (contract [INDEX-2])."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 8192
"""Characters; of a longer line only the plain targets are read, which bounds what a line can cost."""

_QUICK: Final = re.compile(r"\]\(|\[\[|\]:|href=")
_TOKEN: Final = re.compile(r"\\.|`+|<!--|!?\[|\]", re.DOTALL)
_WIKI: Final = re.compile(r"\[\[([^\[\]|#^\\]+)[^\[\]|\\]*(?:\\?\|((?:[^\]]|\](?!\]))*))?\]\]")
_DESTINATION: Final = re.compile(
    r"""\]\([ \t]*
    (?:<((?:\\.|[^<>\\])*)>|((?:\\.|[^\s()<>\\]|\((?:\\.|[^\s()\\])*\))*))
    (?:[ \t]+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?
    [ \t]*\)""",
    re.VERBOSE,
)
_DEFINITION: Final = re.compile(r"^ {0,3}\[(?:\\.|[^\[\]\\])+\]:[ \t]*(?:<([^<>]*)>|(\S+))")
_HREF: Final = re.compile(r"""\bhref=["']([^"']*)["']""", re.IGNORECASE)
_PLAIN_TARGET: Final = re.compile(r"\]\(([^()\s<>]+)\)")


@dataclass(frozen=True, slots=True)
class Link:
    """One link; spans are offsets in its line.

    Args:
        target: as it is written, without angle brackets.
        is_wiki: whether it is a wikilink, whose target may lack `.md` and its folder.
        span: the whole link.
        title_span: what is shown; None where a wikilink or definition shows nothing of its own.
        target_span: the target, without angle brackets.

    """

    target: str
    is_wiki: bool
    span: tuple[int, int]
    title_span: tuple[int, int] | None
    target_span: tuple[int, int]


def links_in(text: str) -> list[Link]:
    """Return the links of a line, outside of code spans and of comments that end in it.

    As in CommonMark, a link whose text holds another link is none.

    Args:
        text: one line.

    """
    if not _QUICK.search(text):
        return []
    if len(text) > LONGEST:
        return [_plain(match, 1) for match in _PLAIN_TARGET.finditer(text)]
    definition = _DEFINITION.match(text)
    if definition is not None:
        return [_plain(definition, 1 if definition[1] is not None else 2)]
    return [*map(_href, _HREF.finditer(text)), *_scan(text)]


def defines_label(text: str) -> bool:
    """Whether a line defines a link label, `[label]: target`.

    Args:
        text: one line.

    """
    return "]:" in text and _DEFINITION.match(text) is not None


def code_end(text: str, run: re.Match[str]) -> int | None:
    """Return where the code span ends that a run of backticks opens, or None if nothing closes it.

    Args:
        text: one line.
        run: a match of backticks in it.

    """
    closing = re.compile(f"(?<!`){run[0]}(?!`)").search(text, run.end())
    return closing.end() if closing else None


def _scan(text: str) -> Iterator[Link]:
    openers: list[tuple[int, bool]] = []
    position = 0
    while token := _TOKEN.search(text, position):
        position = token.end()
        if token[0] == "]":
            match = _DESTINATION.match(text, token.start())
            if openers:
                start, is_image = openers.pop()
                if match is not None:
                    position = match.end()
                    if not is_image:
                        openers.clear()
                    yield _inline(match, start)
        elif token[0] in {"[", "!["}:
            wiki = _WIKI.match(text, position - 1)
            if wiki is not None:
                position = wiki.end()
                yield _wikilink(wiki)
            else:
                openers.append((position - 1, token[0] == "!["))
        else:
            position = _skip(text, token)


def _skip(text: str, token: re.Match[str]) -> int:
    """Return where reading goes on after an escape, a code span or a comment."""
    if token[0][0] == "`":
        return code_end(text, token) or token.end()
    if token[0] == "<!--":
        end = text.find("-->", token.end())
        return end + 3 if end >= 0 else token.end()
    return token.end()


def _inline(match: re.Match[str], start: int) -> Link:
    group = 1 if match[1] is not None else 2
    return Link(
        target=match[group],
        is_wiki=False,
        span=(start, match.end()),
        title_span=(start + 1, match.start()),
        target_span=match.span(group),
    )


def _wikilink(match: re.Match[str]) -> Link:
    return Link(
        target=match[1].strip(),
        is_wiki=True,
        span=match.span(),
        title_span=match.span(2) if match[2] is not None else None,
        target_span=match.span(1),
    )


def _href(match: re.Match[str]) -> Link:
    return _plain(match, 1)


def _plain(match: re.Match[str], group: int) -> Link:
    return Link(
        match[group], is_wiki=False, span=match.span(), title_span=None, target_span=match.span(group)
    )
