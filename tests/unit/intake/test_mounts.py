"""Which mounts do not tell what others write, read from the kernel's list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.intake import mounts
from atomic_agents.intake.mounts import Mount, mounted, read_mounts, remote_below, remote_inside

TEXT = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:50 / /mnt/nas rw,relatime shared:2 master:1 - nfs4 nas:/export rw,vers=4.2
41 27 0:51 / /home/me/My\\040Vault\\134x rw - fuse.sshfs me@host:/ rw
42 27 0:52 / /home/me/local rw - ext4 /dev/vdb rw
43 42 0:53 / /home/me/local/deep/remote rw - cifs //server/share rw
nonsense
44 27 short - ext4
"""
MOUNTS = read_mounts(TEXT)


def test_the_kernels_list_is_read_with_its_escapes_and_optional_fields() -> None:
    assert Mount("/mnt/nas", "nfs4") in MOUNTS
    assert Mount("/home/me/My Vault\\x", "fuse.sshfs") in MOUNTS
    assert len(MOUNTS) == 6


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ("/home/me/vault", None),
        ("/mnt/nas", "nfs4"),
        ("/mnt/nas/agents", "nfs4"),
        ("/mnt/nas2", None),
        ("/home/me/My Vault\\x/agents", "fuse.sshfs"),
        ("/home/me/local", None),
        ("/home/me/local/deep/remote/x", "cifs"),
    ],
)
def test_a_vault_is_on_the_deepest_mount_above_it(root: str, kind: str | None) -> None:
    mount = remote_below(MOUNTS, root)
    assert (mount.kind if mount else None) == kind


def test_of_two_mounts_on_one_point_the_later_counts() -> None:
    below, above = Mount("/data", "nfs"), Mount("/data", "ext4")
    assert remote_below((below, above), "/data/vault") is None
    assert remote_below((above, below), "/data/vault") == below


def test_a_remote_mount_inside_the_vault_is_found() -> None:
    assert remote_inside(MOUNTS, "/home/me/local") == Mount("/home/me/local/deep/remote", "cifs")
    assert remote_inside(MOUNTS, "/home/me/local/other") is None
    assert remote_inside(MOUNTS, "/home/me/loc") is None


@pytest.mark.parametrize(
    "kind", ["nfs", "nfs4", "cifs", "smb3", "fuse", "fuse.sshfs", "9p", "virtiofs", "afs", "vboxsf"]
)
def test_network_host_and_fuse_file_systems_are_remote(kind: str) -> None:
    assert Mount("/", kind).is_remote
    assert kind in Mount("/", kind).describe()


@pytest.mark.parametrize(
    "kind", ["ext4", "btrfs", "xfs", "zfs", "tmpfs", "overlay", "fuseblk", "apfs", "vfat", "bcachefs"]
)
def test_file_systems_of_this_machine_are_not_remote(kind: str) -> None:
    assert not Mount("/", kind).is_remote


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert isinstance(read_mounts(text), tuple)


def test_a_system_without_such_a_list_has_no_known_mounts(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "_MOUNTINFO", tmp_path / "none")
    assert mounted() == ()


def test_the_list_of_this_machine_is_read(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mountinfo").write_bytes(b"1 0 0:1 / /caf\xe9 rw - ext4 /dev/x rw\n")
    monkeypatch.setattr(mounts, "_MOUNTINFO", tmp_path / "mountinfo")
    assert mounted() == (Mount("/caf\udce9", "ext4"),)
