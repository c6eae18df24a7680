"""Which names and paths are never content (contract [PATH-1])."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from atomic_agents.exceptions import ConfigError

if TYPE_CHECKING:
    import pathspec

IGNORE_FILE = ".atomicdignore"
"""Gitignore patterns at the vault's root."""

_FOLDERS = frozenset({"node_modules", "__pycache__"})
_FILES = frozenset({"4913", "readme.md", "memory.md"})
_SUFFIXES = (".lock", ".tmp", "~", ".swp", ".swo", ".part", ".crdownload", ".icloud")
_TEMPORARY = re.compile(r"#.*#|~\$.*|\.~lock.*", re.DOTALL)
_TRACE = re.compile(
    r"""
    \.(?P<vim>[^.].*)\.(?:sw[a-z]|kate-swp)  # Kate too
    | \.\#(?P<emacs_lock>.+) | \#(?P<emacs_save>.+)\#
    | \.~lock\.(?P<libre_office>.+)\# | ~\$(?P<office>.+)
    | (?P<chromium>.+)\.crswap
    """,
    re.DOTALL | re.VERBOSE,
)
_PLACEHOLDER = re.compile(r"\.(.+)\.icloud", re.DOTALL)


def is_content_folder(name: str) -> bool:
    """Whether a folder of this name may hold content.

    Args:
        name: one path component.

    """
    return not name.startswith((".", "_")) and name not in _FOLDERS


def is_content_file(name: str) -> bool:
    """Whether a file of this name may be content: no dotfile, lock, backup or editor's temporary file.

    Args:
        name: one path component.

    """
    folded = name.casefold()
    if name.startswith(".") or folded in _FILES or folded.endswith(_SUFFIXES):
        return False
    return not _TEMPORARY.fullmatch(name)


def edited_name(name: str) -> str | None:
    """Return the file that is open in an editor if this name is an editor's trace beside it (contract [Q-1]).

    Args:
        name: one path component.

    """
    trace = _TRACE.fullmatch(name)
    return trace[trace.lastgroup or 0] if trace else None


def is_editing_trace(name: str, target: str) -> bool:
    """Whether a file called `name` says that `target`, beside it, is open in an editor (contract [Q-1]).

    Args:
        name: a file name in the target's folder.
        target: the file name that may be open.

    """
    return edited_name(name) == target


def placeholder_for(name: str) -> str | None:
    """Return the file that this name stands for while iCloud keeps its bytes: `.x.md.icloud` for `x.md`.

    Args:
        name: one path component.

    """
    placeholder = _PLACEHOLDER.fullmatch(name)
    return placeholder[1] if placeholder else None


class Ignore:
    """The operator's own patterns: `.atomicdignore` at the root, and `[vault] ignore` of the config.

    Args:
        patterns: lines in gitignore syntax; the last match wins.

    Raises:
        ConfigError: a line is no pattern.

    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._lines = tuple(patterns)
        self._spec = _compile(self._lines) if self._lines else None

    def __contains__(self, path: str) -> bool:
        """Whether the patterns name this path; a folder's path ends with a slash."""
        return self._spec is not None and self._spec.match_file(path)

    def pattern_for(self, path: str) -> str | None:
        """Return the line that names a path, the last one where there are several; None if none does."""
        matching = (line for line in reversed(self._lines) if line.strip() and not line.startswith("!"))
        return next((line for line in matching if _compile((line,)).match_file(path)), None)

    def __eq__(self, other: object) -> bool:
        """Two are the same when their patterns are."""
        return isinstance(other, Ignore) and self._lines == other._lines

    __hash__ = None  # type: ignore[assignment]


def _compile(lines: tuple[str, ...]) -> pathspec.GitIgnoreSpec:
    import pathspec  # noqa: PLC0415 - most vaults ignore nothing, and a hook has to be quick

    try:
        return pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise ConfigError(
            f"{IGNORE_FILE} or [vault] ignore: {error}, expected an ignore pattern in gitignore syntax",
            hint="correct the line, or escape a leading ! or a final backslash with a backslash",
        ) from error
