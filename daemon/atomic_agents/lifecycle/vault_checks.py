"""What `doctor` looks at in the vault: rights, file system, watch limits."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from atomic_agents.intake.mounts import Mount, mounted, remote_below, remote_inside
from atomic_agents.lifecycle.check import Check
from atomic_agents.vault.refusal import VaultRefusedError, check_readable

LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")
_SHARE: Final = 2
"""The limit is shared with all programs of the user: half of it is taken to be ours."""


def check_vault(root: Path) -> Check:
    """Look whether the vault can be read and written.

    Args:
        root: the vault's real path.

    """
    if not root.is_dir():
        return Check("vault", "fail", f"{root} is not there", "mount it, or `atomicd init` makes one")
    try:
        check_readable(root)
    except VaultRefusedError as error:
        return Check("vault", "fail", str(error), error.hint)
    if not os.access(root, os.W_OK | os.X_OK):
        return Check("vault", "fail", f"{root} cannot be written", f"sudo chown -R {os.getuid()} {root}")
    return Check("vault", "pass", f"{root} can be read and written")


def check_mount(root: Path, mounts: tuple[Mount, ...] | None = None) -> Check:
    """Look at the file system.

    Args:
        root: the vault's real path.
        mounts: what is mounted; None asks the kernel.

    """
    known = mounted() if mounts is None else mounts
    remote = remote_below(known, str(root)) or remote_inside(known, str(root))
    if remote is not None:
        return Check("file system", "warn", f"{remote.describe()}; the vault is polled", "")
    if not known:
        return Check("file system", "pass", "the system does not tell what is mounted")
    own = max((mount for mount in known if mount.holds(str(root))), key=lambda one: len(one.point))
    return Check("file system", "pass", f"{own.kind} on {own.point}")


def count_folders(root: Path, enough: int) -> int:
    """Return how many folders the vault has, counted up to a limit.

    Args:
        root: the vault's real path.
        enough: where to stop.

    """
    number = 0
    for _folder, names, _files in os.walk(root):
        names[:] = [name for name in names if name[0] not in "._"]
        number += 1
        if number > enough:
            break
    return number


def check_watches(root: Path, limit: Path = LIMIT) -> Check:
    """Look whether the kernel lets every folder be watched.

    Args:
        root: the vault's real path.
        limit: the kernel's setting.

    """
    try:
        allowed = int(limit.read_text())
    except (OSError, ValueError):
        return Check("watch limit", "pass", f"{sys.platform} sets none")
    needed = count_folders(root, allowed)
    said = f"{needed} folders, {allowed} watches for all programs of this user"
    if needed > allowed // _SHARE:
        wanted = max(524_288, 4 * needed)
        return Check("watch limit", "warn", said, f"sudo sysctl fs.inotify.max_user_watches={wanted}")
    return Check("watch limit", "pass", said)
