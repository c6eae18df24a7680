"""Since when a file exists and when it last changed, from git where there is one (contract [M-7])."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SECONDS: Final = 30
_SAFE: Final = (
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false",
    "-c", "log.showSignature=false",
    "-c", "log.mailmap=false",
    "-c", "gpg.program=false",
    "-c", "protocol.allow=never",
    "-c", "submodule.recurse=false",
)  # fmt: skip
_ENVIRONMENT: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The dates of a file, `YYYY-MM-DD`, and where they were taken from."""

    first: str
    last: str
    source: str


def commit_dates(root: Path) -> Mapping[str, Origin]:
    """Return the dates of the first and last commit of every path that git knows below the vault.

    Nothing in the repository's own configuration is run, and nothing is fetched.

    Args:
        root: the vault's real path.

    Returns:
        Origins by path, relative to the vault; empty when it is no work tree or git does not answer.

    """
    try:
        output = subprocess.run(  # noqa: S603 - fixed words, no shell
            [  # noqa: S607 - git is where the operator's PATH has it
                "git", *_SAFE, "log", "--no-renames", "--no-show-signature", "--relative", "--name-only",
                "-z", "--format=%x00%x00%as", "--", ".",
            ],
            cwd=root,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return {}
    return _origins(output)


def file_dates(status: os.stat_result) -> Origin:
    """Return the modification date of a file, UTC, as both dates."""
    day = dt.datetime.fromtimestamp(status.st_mtime, dt.UTC).date().isoformat()
    return Origin(day, day, "the file's time")


def _origins(output: bytes) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for day, path in _commits(output):
        known = found.get(path)
        last = max(known.last, day) if known else day
        first = min(known.first, day) if known else day
        found[path] = Origin(first, last, "git")
    return found


def _commits(output: bytes) -> Iterator[tuple[str, str]]:
    """Yield the date and each path of every commit."""
    for commit in output.split(b"\0\0\0"):
        head, *paths = commit.strip(b"\0").split(b"\0")
        day = head.decode("ascii", "replace").strip()
        for path in paths:
            if path.strip(b"\n"):
                yield day, os.fsdecode(path.lstrip(b"\n"))
