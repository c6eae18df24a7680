"""Which files an INDEX names: its links, fences and HTML comments aside (contract [INDEX-2])."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from atomic_agents.vault.kinds import nfc

_FENCE: Final = re.compile(r"[ ]{0,3}(?:[-*+][ ]+)?(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_COMMENT: Final = re.compile(r"<!--.*?-->")
_LINK: Final = re.compile(r"\]\([ \t]*(?:<([^<>\n]+)>|((?:[^()\s\\]|\\.|\([^()\s]*\))+))")
_DEFINITION: Final = re.compile(r"[ ]{0,3}\[[^\]]+\]:[ \t]*<?([^<>\s]+)")
_WIKILINK: Final = re.compile(r"\[\[([^\[\]|#\n]+)")
_CODE_TITLE: Final = re.compile(r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+(?:\*\*)?(`+)(.+?)\1(?!`)")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")


@dataclass
class Mentions:
    """What the INDEX files of one layer name, everything in NFC.

    Args:
        paths: files that are linked, relative to the vault.
        stems: file names without `.md` that are wikilinked.
        titles: titles in backticks at the start of a list item.

    """

    paths: set[str] = field(default_factory=set)
    stems: set[str] = field(default_factory=set)
    titles: set[str] = field(default_factory=set)

    def add(self, index_path: str, text: str) -> None:
        """Add what one INDEX names.

        Args:
            index_path: where it lies, relative to the vault.
            text: its text.

        """
        folder = posixpath.dirname(index_path)
        for line in visible_lines(text):
            for target in _targets(line):
                self.paths.add(nfc(posixpath.normpath(posixpath.join(folder, target))))
            self.stems |= {nfc(_stem(match[1])) for match in _WIKILINK.finditer(line)}
            title = _CODE_TITLE.match(line)
            if title is not None:
                self.titles.add(nfc(title[2].strip()))

    def name(self, path: str, title: str) -> bool:
        """Return whether a unit is named.

        Args:
            path: where it lies, relative to the vault.
            title: its `name`; "" if that is not known.

        """
        own, wanted = nfc(path), nfc(title.strip())
        return own in self.paths or _stem(own) in self.stems or (wanted != "" and wanted in self.titles)


def visible_lines(text: str) -> Iterator[str]:
    """Yield the lines of a Markdown text that are no code fence and no HTML comment.

    Args:
        text: split at LF alone; a trailing CR is taken off.

    """
    return (line for _, line in numbered_lines(text))


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the same lines, each with its number from 1.

    Args:
        text: as for `visible_lines`.

    """
    fence, in_comment = "", False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        if in_comment:
            in_comment, line = "-->" not in line, line.partition("-->")[2]
            if in_comment or not line:
                continue
        match = _FENCE.match(line)
        if fence:
            if match is not None and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match is not None:
            fence = match[1]
        else:
            line = _COMMENT.sub("", line)
            in_comment = line.lstrip().startswith("<!--")
            if not in_comment:
                yield number, line


def _targets(line: str) -> Iterator[str]:
    found = [match[1] or match[2] for match in _LINK.finditer(line)]
    definition = _DEFINITION.match(line)
    if definition is not None:
        found.append(definition[1])
    for target in found:
        if not _SCHEME.match(target):
            yield re.sub(r"\\([^\w\s])", r"\1", unquote(target).partition("#")[0])


def _stem(target: str) -> str:
    return posixpath.basename(target.strip()).removesuffix(".md")
