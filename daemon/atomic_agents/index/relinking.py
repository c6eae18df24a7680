"""Links that follow a file to its new name, and not one byte besides (contract [INDEX-4], *Rename*)."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping

from atomic_agents.index.links import Link, links_in
from atomic_agents.index.targets import lead, written
from atomic_agents.units.mentions import numbered_lines
from atomic_agents.vault.kinds import nfc


class Renames:
    """Files that get another name in the folder they are in.

    Args:
        names: old paths, relative to the vault, with the new file names.

    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._by_path = {nfc(path): name for path, name in names.items()}
        count = Counter(nfc(posixpath.basename(path)) for path in names)
        called = {nfc(posixpath.basename(path)): name for path, name in names.items()}
        self._by_name = {old: name for old, name in called.items() if count[old] == 1}
        self._stems = [old.removesuffix(".md") for old in called]

    def may_be_in(self, text: str) -> bool:
        """Return whether a text can hold a link to one of the files: a quick look, encoded names aside."""
        return "%" in text or any(stem in nfc(text) for stem in self._stems)

    def of(self, target: str, folder: str, *, is_wiki: bool) -> str | None:
        """Return the new name of the file that a link means, or None if it means none of them.

        Args:
            target: as it is written.
            folder: where the text with the link lies, relative to the vault.
            is_wiki: whether it is a wikilink's, which a name alone is enough for.

        """
        for path in lead(target, is_wiki, folder, ""):
            if (name := self._by_path.get(nfc(path))) is not None:
                return name
        name = nfc(target.partition("#")[0])
        if not is_wiki or "/" in name:
            return None
        return self._by_name.get(name if name.endswith(".md") else f"{name}.md")


def relink(text: str, folder: str, renames: Renames) -> str:
    """Return a Markdown text with its links to renamed files following; code and comments stay.

    Args:
        text: of a body or an INDEX.
        folder: where it lies, relative to the vault.
        renames: the files and their new names.

    """
    if not renames.may_be_in(text):
        return text
    lines = text.split("\n")
    for number, line in numbered_lines(text):
        raw = lines[number - 1]
        if line == raw.removesuffix("\r"):
            lines[number - 1] = _relinked(line, folder, renames) + raw[len(line) :]
    return "\n".join(lines)


def _relinked(line: str, folder: str, renames: Renames) -> str:
    for link in sorted(links_in(line), key=lambda link: link.target_span, reverse=True):
        name = renames.of(link.target, folder, is_wiki=link.is_wiki)
        if name is not None:
            start, end = link.target_span
            line = line[:start] + _retargeted(link, line[start:end], name) + line[end:]
    return line


def _retargeted(link: Link, target: str, name: str) -> str:
    """Return a target with another file name; folder, anchor and the form of the name stay."""
    path, mark, anchor = target.partition("#")
    folder, slash, last = path.rpartition("/")
    if link.is_wiki:
        blank = last[len(last.rstrip()) :]
        name = (name if last.rstrip().endswith(".md") else name.removesuffix(".md")) + blank
    else:
        name = written(name)
    return f"{folder}{slash}{name}{mark}{anchor}"
