"""What is staged in git below a vault, and the hook that has it judged before each commit."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from atomic_agents._io import atomic_write, make_folder
from atomic_agents.exceptions import AtomicAgentsError, CannotWriteError

MARK: Final = "`atomicd check --install-hook`"
"""By this a hook of ours is known."""

_SECONDS: Final = 60
_REGULAR: Final = b"100"
"""How the modes of regular files begin; links and submodules have others."""
_SCRIPT: Final = """#!/bin/sh
# Written by {mark}: a commit with invalid notes is refused.
# Once without it: git commit --no-verify
exec {command} check --staged --vault {vault}
"""


def staged(root: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files that the next commit adds or changes, with the bytes that it will hold.

    Args:
        root: the vault's real path.
        wanted: whether a file matters, by its path relative to the vault.

    Raises:
        AtomicAgentsError: it lies in no git work tree, or git does not answer.

    """
    _top(root)
    changed = (
        "diff",
        "--cached",
        "--raw",
        "--no-abbrev",
        "--diff-filter=ACMRT",
        "--no-renames",
        "--relative",
    )
    parts = iter(_git(root, *changed, "-z").split(b"\0"))
    blobs = {
        os.fsdecode(name): fields[3]
        for head, name in zip(parts, parts, strict=False)
        if (fields := head.split())[1].startswith(_REGULAR) and wanted(os.fsdecode(name))
    }
    yield from zip(blobs, _contents(root, list(blobs.values())), strict=True)


def install_hook(root: Path) -> tuple[Path, bool]:
    """Make git judge what is staged before each commit.

    Args:
        root: the vault's real path.

    Returns:
        The hook, and whether it was written just now.

    Raises:
        AtomicAgentsError: the vault lies in no git work tree, or another hook is there.
        CannotWriteError: the system refuses.

    """
    top = _top(root)
    hook = root / _line(root, "rev-parse", "--git-path", "hooks") / "pre-commit"
    script = _script(os.path.relpath(root, top))
    there = _read(hook)
    if there is not None and MARK not in there:
        line = shlex.join([*_command(), "check", "--staged", "--vault", os.path.relpath(root, top)])
        raise AtomicAgentsError(f"{hook}: there is another hook; it stays", hint=f"add to it: {line}")
    if there == script:
        return hook, False
    try:
        make_folder(hook.parent, mode=0o755)
        atomic_write(hook, script)
        hook.chmod(stat.S_IMODE(hook.stat().st_mode) | 0o111)
    except OSError as error:
        raise CannotWriteError(f"{error.filename or hook}: {error.strerror}") from error
    return hook, True


def _script(vault: str) -> str:
    return _SCRIPT.format(mark=MARK, command=shlex.join(_command()), vault=shlex.quote(vault))


def _command() -> list[str]:
    return [sys.executable, "-m", "atomic_agents"]


def _read(hook: Path) -> str | None:
    try:
        return hook.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWriteError(f"{hook}: {error.strerror}") from error


def _contents(root: Path, blobs: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the bytes of blobs, in their order."""
    answer = (
        _git(root, "cat-file", "--batch", stdin=b"".join(blob + b"\n" for blob in blobs)) if blobs else b""
    )
    position = 0
    for _ in blobs:
        start = answer.index(b"\n", position) + 1
        size = int(answer[position : start - 1].rpartition(b" ")[2])
        yield answer[start : start + size]
        position = start + size + 1


def _top(root: Path) -> Path:
    """Return the work tree; git says plainly that there is none only when it is asked for that."""
    return Path(_line(root, "rev-parse", "--show-toplevel"))


def _line(root: Path, *words: str) -> str:
    return os.fsdecode(_git(root, *words).removesuffix(b"\n"))


def _git(root: Path, *words: str, stdin: bytes = b"") -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            ["git", *words],  # noqa: S607 - git is where the operator's PATH has it
            cwd=root,
            input=stdin,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise AtomicAgentsError(
            "git: not found", hint="install git, or judge files by their names"
        ) from error
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise AtomicAgentsError(f"git in {root}: {told}", hint="is the vault in a git work tree?") from error
    except subprocess.TimeoutExpired as error:
        raise AtomicAgentsError(f"git in {root}: no answer in {_SECONDS} s") from error
    return done.stdout
