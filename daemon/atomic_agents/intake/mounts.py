"""Which file systems tell the kernel nothing of what others write to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_REMOTE: Final = frozenset(
    {
        "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fakeowner", "gfs2", "gpfs",
        "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "osxfs", "prl_fs", "pvfs2", "smb3", "smbfs",
        "sshfs", "vboxsf", "virtiofs", "vmhgfs",
    }
)  # fmt: skip
_MOUNTINFO: Final = Path("/proc/self/mountinfo")
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: where, and of which type."""

    point: str
    kind: str

    def describe(self) -> str:
        """Return the sentence that says why events are not enough."""
        return f"{self.point} is {self.kind}, which does not tell what others write"

    def holds(self, path: str) -> bool:
        """Whether a path is the mount point or lies below it."""
        return path == self.point or path.startswith(f"{self.point.rstrip('/')}/")

    @property
    def is_remote(self) -> bool:
        """Whether others may write to it unnoticed by this kernel: a network, a host's folder, FUSE."""
        return self.kind in _REMOTE or self.kind == "fuse" or self.kind.startswith("fuse.")


def mounted() -> tuple[Mount, ...]:
    """Return what is mounted now; nothing where the system does not say."""
    try:
        text = _MOUNTINFO.read_text("utf-8", "surrogateescape")
    except OSError:
        return ()
    return read_mounts(text)


def read_mounts(mountinfo: str) -> tuple[Mount, ...]:
    """Return what is mounted, in the kernel's order; lines that make no sense are left out.

    Args:
        mountinfo: the text of `/proc/self/mountinfo`.

    """
    mounts = []
    for line in mountinfo.split("\n"):
        before, separator, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if separator and len(fields) > 4 and kinds[0]:  # noqa: PLR2004
            mounts.append(Mount(_unescape(fields[4]), kinds[0]))
    return tuple(mounts)


def remote_below(mounts: tuple[Mount, ...], root: str) -> Mount | None:
    """Return the remote file system that the vault's root lies on, or None.

    Args:
        mounts: what is mounted, later ones above earlier ones.
        root: the vault's real path.

    """
    under = [(len(mount.point), order, mount) for order, mount in enumerate(mounts) if mount.holds(root)]
    own = max(under, default=None)
    return own[2] if own is not None and own[2].is_remote else None


def remote_inside(mounts: tuple[Mount, ...], root: str) -> Mount | None:
    """Return a remote file system that is mounted somewhere in the vault, or None.

    Args:
        mounts: what is mounted.
        root: the vault's real path.

    """
    vault = Mount(root, "")
    return next((mount for mount in mounts if mount.is_remote and vault.holds(mount.point)), None)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda code: chr(int(code[1], 8)), text)
