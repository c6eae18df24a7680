"""The manifest: what it says is checked before anyone believes it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import SnapshotInvalidError
from atomic_agents.migration.manifest import Folder, Held, Manifest, Odd, collect, read_table, row_of
from atomic_agents.migration.rows import encode_rows
from atomic_agents.migration.scope import Scope
from atomic_agents.vault.kinds import Layout

SCOPE = Scope(Layout())
HEAD = {"format": 1}
DIGEST = "ab" * 32
NAME = st.text(st.characters(exclude_characters="/\0"), min_size=1).filter(
    lambda name: SCOPE.reaches(f"alpha/raw/{name}")
)


def encode(manifest: Manifest) -> bytes:
    items = [*manifest.files, *manifest.folders, *manifest.odd]
    return encode_rows([manifest.head, *map(row_of, items)])


def decode(rows: list[bytes], scope: Scope) -> Manifest:
    return collect(*read_table(rows, scope))


def lines(*rows: Any) -> list[bytes]:
    return [json.dumps(row).encode() for row in rows]


def file_row(path: Any, **changes: Any) -> list[Any]:
    row = {"digest": DIGEST, "size": 1, "mode": 0o644, "mtime": 5, "uid": 0, "gid": 0} | changes
    return ["file", path, *row.values()]


@given(st.lists(NAME, unique=True, max_size=5), st.binary(min_size=32, max_size=32))
def test_what_was_encoded_is_decoded(names: list[str], digest: bytes) -> None:
    manifest = Manifest(
        dict(HEAD),
        [Held(f"alpha/raw/{name}", digest, 3, 0o640, 10**18, 1, 2) for name in names],
        [Folder("alpha", 0o755, 0, 0), Folder("alpha/raw", 0o700, 0, 0)],
        [Odd("alpha/raw/pipe", "FIFO", ""), Odd("alpha/link", "link", "../x")],
    )
    assert decode(encode(manifest).splitlines(), SCOPE) == manifest


def test_names_that_are_no_unicode_survive() -> None:
    manifest = Manifest(dict(HEAD), [Held("alpha/raw/\udcff.txt", bytes(32), 0, 0o644, 0, 0, 0)])
    assert decode(encode(manifest).splitlines(), SCOPE) == manifest


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "../x.md", "alpha/../../x.md", "alpha/./x.md", "alpha//x.md", "", ".", "..", "a\0b", 5, None,
        ".git/hooks/post-checkout", ".git/x.md", "alpha/.git/x.md", ".bashrc", "_migrations/migration.jsonl",
        "_migrations/run.json", "_migrations/snapshots/x.tar.gz", "_quarantine/x/x.md2",
    ],
)  # fmt: skip
def test_a_path_that_a_snapshot_never_holds_is_refused(path: Any) -> None:
    with pytest.raises(SnapshotInvalidError):
        decode(lines(HEAD, file_row(path)), SCOPE)


def test_a_unit_in_a_folder_behind_a_link_is_held() -> None:
    assert decode(lines(HEAD, file_row(".store/memory/feedback_x.md")), SCOPE).files


def test_an_executable_in_such_a_folder_is_refused() -> None:
    with pytest.raises(SnapshotInvalidError):
        decode(lines(HEAD, file_row(".store/memory/feedback_x.md", mode=0o755)), SCOPE)


@pytest.mark.parametrize("path", ["..", "/etc", ".git", "alpha/.hidden", "_quarantine"])
def test_a_folder_that_a_snapshot_never_holds_is_refused(path: str) -> None:
    with pytest.raises(SnapshotInvalidError):
        decode(lines(HEAD, ["folder", path, 0o755, 0, 0]), SCOPE)


@pytest.mark.parametrize(
    "rows",
    [
        [file_row("alpha/x.md"), file_row("alpha/x.md")],
        [file_row("alpha/x.md"), ["folder", "alpha/x.md", 0o755, 0, 0]],
        [["folder", "alpha", 0o755, 0, 0], ["folder", "alpha", 0o755, 0, 0]],
        [file_row("alpha/x"), file_row("alpha/x/y.md")],
        [file_row("alpha/x"), ["folder", "alpha/x/y", 0o755, 0, 0]],
        [file_row("alpha/x.md", digest="ab")],
        [file_row("alpha/x.md", mode=0o4755)],
        [file_row("alpha/x.md", size=-1)],
        [file_row("alpha/x.md", size=True)],
        [file_row("alpha/x.md", mtime="5")],
        [["file", "alpha/x.md"]],
        [["link", "alpha/x.md", "/etc"]],
        [["odd", "x"]],
        [[]],
        [5],
    ],
)
def test_a_manifest_that_contradicts_itself_or_is_none_is_refused(rows: list[Any]) -> None:
    with pytest.raises(SnapshotInvalidError):
        decode(lines(HEAD, *rows), SCOPE)


@pytest.mark.parametrize("head", [{}, {"format": 2}, {"format": "1"}])
def test_another_format_is_refused_with_its_number(head: dict[str, Any]) -> None:
    with pytest.raises(SnapshotInvalidError, match="expected 1"):
        decode(lines(head), SCOPE)


def test_a_line_that_is_no_json_is_refused() -> None:
    with pytest.raises(SnapshotInvalidError, match="cannot be read"):
        decode([b"{", b"x"], SCOPE)
