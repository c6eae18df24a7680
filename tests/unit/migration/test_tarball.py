"""The archive's form: any tar reads it, only regular files come out, no flipped bit goes unseen."""

from __future__ import annotations

import gzip
import importlib
import io
import tarfile
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import SnapshotInvalidError
from atomic_agents.migration import tarball
from atomic_agents.migration.tarball import Owner, TarWriter, read_members

NAMES = st.binary(min_size=1, max_size=300).map(lambda raw: raw.replace(b"\0", b"x").replace(b"/", b"y"))
FILES = st.lists(st.tuples(NAMES, st.binary(max_size=3000), st.integers(0, 0o777)), max_size=8)


@pytest.fixture(params=["isal", "zlib"], autouse=True)
def deflate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "zlib":
        monkeypatch.setattr(tarball, "_DEFLATE", zlib)


def pack(files: list[tuple[bytes, bytes, int]]) -> bytes:
    target = io.BytesIO()
    writer = TarWriter(target)
    for name, data, mode in files:
        writer.add(name, data, mode=mode, mtime=1_700_000_000, owner=Owner(1000, 1000))
    writer.close()
    return target.getvalue()


def unpack(data: bytes) -> list[tuple[bytes, bytes]]:
    return [(member.name, b"".join(member.chunks())) for member in read_members(io.BytesIO(data))]


def tarred(*members: tarfile.TarInfo, data: bytes = b"", form: int = tarfile.GNU_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", format=form) as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(data[: member.size]))
    return target.getvalue()


@given(FILES)
def test_what_was_written_is_read_back(files: list[tuple[bytes, bytes, int]]) -> None:
    assert unpack(pack(files)) == [(name, data) for name, data, _mode in files]


@given(FILES)
def test_pythons_tarfile_reads_it(files: list[tuple[bytes, bytes, int]]) -> None:
    with tarfile.open(fileobj=io.BytesIO(pack(files)), mode="r:gz") as archive:
        seen = [
            (member.name.encode("utf-8", "surrogateescape"), archive.extractfile(member).read(), member.mode)
            for member in archive
        ]
    assert seen == files


def test_a_large_file_comes_in_pieces() -> None:
    data = bytes(range(256)) * 10_000
    (member,) = [
        (member.size, [len(piece) for piece in member.chunks()])
        for member in read_members(io.BytesIO(pack([(b"big", data, 0o644)])))
    ]
    size, pieces = member
    assert (size, sum(pieces)) == (len(data), len(data))
    assert max(pieces) <= 1 << 20


def test_a_member_that_was_not_taken_is_skipped() -> None:
    data = pack([(b"a", b"1" * 2_000_000, 0o644), (b"b", b"2", 0o644)])
    assert [member.name for member in read_members(io.BytesIO(data))] == [b"a", b"b"]


def test_numbers_too_large_for_octal_digits_are_kept() -> None:
    target = io.BytesIO()
    writer = TarWriter(target)
    writer.add(b"a", b"x", mode=0o644, mtime=1 << 40, owner=Owner(1 << 30, 5))
    writer.close()
    with tarfile.open(fileobj=io.BytesIO(target.getvalue()), mode="r:gz") as archive:
        (member,) = archive.getmembers()
    assert (member.mtime, member.uid, member.gid) == (1 << 40, 1 << 30, 5)


def test_every_flipped_bit_is_noticed_or_harmless() -> None:
    files = [(b"alpha/memory/feedback_x.md", b"some text " * 40, 0o644), (b"b", b"y", 0o600)]
    data = pack(files)
    wanted = [(name, content) for name, content, _mode in files]
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 0x10
        try:
            assert unpack(bytes(flipped)) == wanted
        except SnapshotInvalidError:
            continue


def test_every_truncation_is_noticed() -> None:
    data = pack([(b"a", b"some text " * 40, 0o644)])
    for length in range(len(data)):
        with pytest.raises(SnapshotInvalidError):
            unpack(data[:length])


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]
)
def test_anything_but_a_regular_file_is_refused(kind: bytes) -> None:
    member = tarfile.TarInfo("x")
    member.type, member.linkname = kind, "/etc/passwd"
    with pytest.raises(SnapshotInvalidError, match="expected a regular file"):
        unpack(tarred(member))


def test_extended_headers_are_refused() -> None:
    member = tarfile.TarInfo("x" * 300)
    with pytest.raises(SnapshotInvalidError, match="expected a regular file"):
        unpack(tarred(member, form=tarfile.PAX_FORMAT))


def raw(*blocks: bytes) -> bytes:
    return gzip.compress(b"".join(blocks))


def header(**changes: bytes) -> bytes:
    member = tarfile.TarInfo("x")
    member.size = 5
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    places = {"size": (124, 12), "kind": (156, 1), "sum": (148, 8)}
    for name, value in changes.items():
        at, width = places[name]
        block[at : at + width] = value.ljust(width, b"\0")
    if "sum" not in changes:
        total = sum(block[:148]) + sum(block[156:]) + 256
        block[148:156] = b"%06o\0 " % total
    return bytes(block)


END = bytes(1024)
BODY = b"hello".ljust(512, b"\0")


def test_the_handmade_archive_of_these_tests_is_good() -> None:
    assert unpack(raw(header(), BODY, END)) == [(b"x", b"hello")]


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ([header(sum=b"000000")], "checksum"),
        ([header(size=b"zz")], "where a number is expected"),
        ([header(size=b"-5")], "where a size is expected"),
        ([header(), b"hello" + b"!" * 507, END], "bytes behind its end"),
        ([header(), BODY], "ends too early"),
        ([header(), BODY, bytes(512), b"x" * 512], "behind the end of the archive"),
        ([header(kind=b"L", size=b"%o" % 5000), bytes(5120), END], "too long"),
        ([header(kind=b"L"), BODY, header(kind=b"L"), BODY, END], "out of place"),
    ],
)
def test_a_broken_or_crafted_stream_is_refused(blocks: list[bytes], told: str) -> None:
    with pytest.raises(SnapshotInvalidError, match=told):
        unpack(raw(*blocks))


def test_a_second_gzip_member_is_refused() -> None:
    with pytest.raises(SnapshotInvalidError, match="behind the end of the gzip file"):
        unpack(pack([(b"a", b"x", 0o644)]) + gzip.compress(b"more"))


def test_no_gzip_at_all_is_refused() -> None:
    with pytest.raises(SnapshotInvalidError, match="damaged"):
        unpack(b"PK\3\4 not an archive at all")


class Zeros(io.RawIOBase):
    """A gzip file of zeros without end."""

    def __init__(self, size: int) -> None:
        self._pieces = self._compress(size)

    @staticmethod
    def _compress(size: int) -> Iterator[bytes]:
        compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
        yield compressor.compress(header(size=b"%o" % size))
        for _piece in range(size >> 20):
            yield compressor.compress(bytes(1 << 20))

    def read(self, _size: int = -1) -> bytes:
        return next((piece for piece in self._pieces if piece), b"")


def test_a_bomb_is_refused_before_it_is_blown_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarball, "_BOMB_BYTES", 1 << 22)
    source: Any = Zeros(1 << 30)
    taken: list[int] = []

    def take_all() -> None:
        for member in read_members(source):
            taken.extend(len(piece) for piece in member.chunks())

    with pytest.raises(SnapshotInvalidError, match="blows up"):
        take_all()
    assert sum(taken) < 1 << 27


def test_without_isal_the_standard_library_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise ImportError

    assert tarball.find_deflate().__name__ == "isal.isal_zlib"
    monkeypatch.setattr(importlib, "import_module", missing)
    assert tarball.find_deflate() is zlib
