"""Where a link of INDEX.md leads, and how a file is written as a link's target ([INDEX-2])."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from atomic_agents.index.texts import one_line
from atomic_agents.vault.kinds import nfc

_ELSEWHERE: Final = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:|/|#|$)")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./~+,=@$!'-]*")
_SAFE: Final = "/~+,=@$!'"
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_IN_WIKI: Final = re.compile(r"[\[\]|#^\\\x00-\x1f\x7f\ud800-\udfff]|^\s|\s$")


@lru_cache(maxsize=1 << 12)
def lead(target: str, is_wiki: bool, folder: str, layer_dir: str) -> tuple[str, ...]:
    """Return the files that a target may mean, relative to the layer's folder, the likeliest first.

    Args:
        target: as it is written.
        is_wiki: whether it is a wikilink's, which may lack `.md`.
        folder: where the index file lies, relative to the layer's folder; "" is the folder itself.
        layer_dir: the layer's folder, relative to the vault.

    """
    if _ELSEWHERE.match(target):
        return ()
    written = target if is_wiki else _ESCAPE.sub(r"\1", target)
    names = [written.partition("#")[0].partition("?")[0], written]
    if "%" in written:
        names.insert(0, _decoded(names[0]))
    if is_wiki:
        names = [name if name.endswith(".md") else f"{name}.md" for name in names]
    found = (_inside(name, folder, layer_dir) for name in names if name)
    return tuple(dict.fromkeys(name for name in found if name is not None))


@lru_cache(maxsize=1 << 10)
def written(file: str) -> str:
    """Return a file as the target of a link: as it is, or percent-encoded where a character would act.

    Args:
        file: relative to the folder that the link starts from.

    """
    if _PLAIN.fullmatch(file):
        return file
    return "".join(map(_encoded, file))


def fits_wikilink(file: str) -> bool:
    """Whether a file can be written as a wikilink's target.

    Args:
        file: relative to the folder that the link starts from.

    """
    return _NOT_IN_WIKI.search(file) is None


def retarget(old: str, file: str, *, is_wiki: bool) -> str:
    """Return a target that leads to another file, in the style of the old one.

    Args:
        old: the target as it is written.
        file: the file that it shall lead to, relative to the folder that the link starts from.
        is_wiki: whether it is a wikilink's.

    """
    path, mark, anchor = old.partition("#")
    if is_wiki:
        name = file if path.endswith(".md") else file.removesuffix(".md")
        return name + mark + anchor
    prefix = "./" if path.startswith("./") and not file.startswith("../") else ""
    return prefix + written(file) + mark + anchor


class Names:
    """The files of a layer, found by how a link names them: exactly, else in NFC, else by name alone.

    Args:
        files: relative to the layer's folder.

    """

    def __init__(self, files: Iterable[str]) -> None:
        self.files = frozenset(files)
        self._composed: dict[str, str] | None = None
        self._by_name: dict[str, list[str]] | None = None

    def find(self, candidates: tuple[str, ...], *, is_wiki: bool) -> str | None:
        """Return the file that a link means, or None if none of the layer's.

        Args:
            candidates: as `lead` gives them.
            is_wiki: whether a name alone may stand for a file in a folder below.

        """
        for name in candidates:
            if name in self.files:
                return name
        for name in candidates:
            if not name.isascii() and (file := self._find_composed(nfc(name))) is not None:
                return file
        return self._alone(candidates[0]) if is_wiki and candidates else None

    def _find_composed(self, name: str) -> str | None:
        """Return the file of this name in NFC; of two spellings of one name, the composed one."""
        if self._composed is None:
            decomposed = {nfc(file): file for file in sorted(self.files) if not file.isascii()}
            self._composed = {**decomposed, **{name: name for name in decomposed if name in self.files}}
        return self._composed.get(name)

    def _alone(self, name: str) -> str | None:
        if self._by_name is None:
            self._by_name = {}
            for file in self.files:
                self._by_name.setdefault(nfc(posixpath.basename(file)), []).append(file)
        files = self._by_name.get(nfc(posixpath.basename(name)), [])
        return files[0] if len(files) == 1 else None


def _decoded(name: str) -> str:
    return os.fsdecode(unquote_to_bytes(os.fsencode(name)))


def _encoded(char: str) -> str:
    """Keep the visible characters of any script; encode the rest byte for byte."""
    if _PLAIN.fullmatch(char) or (not char.isascii() and one_line(char) == char):
        return char
    return quote_from_bytes(os.fsencode(char), safe=_SAFE)


def _inside(name: str, folder: str, layer_dir: str) -> str | None:
    path = posixpath.normpath(posixpath.join(layer_dir, folder, name))
    prefix = f"{layer_dir}/" if layer_dir else ""
    return path[len(prefix) :] if path.startswith(prefix) else None
