"""What a walk finds, what it says it could not see, and how a vault's layout is read."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from atomic_agents.exceptions import ConfigError, VaultMissingError
from atomic_agents.model import Kind
from atomic_agents.vault import walk as walking
from atomic_agents.vault.ignore import Ignore
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, find_root, read_layout, stamp_of, walk

LAYOUT = Layout()


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def paths(root: Path, survey: Survey | None = None, layout: Layout = LAYOUT, **where: str) -> list[str]:
    found = walk(root, layout, survey if survey is not None else Survey(), **where)
    return sorted(item.place.path for item in found)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can reach, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Take root's power to read everything away for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_files_come_with_place_and_stamp_and_tool_folders_are_left_out(tmp_path: Path) -> None:
    make(
        tmp_path,
        "alpha/memory/x.md",
        "alpha/.git/x.md",
        "_quarantine/y.md",
        "alpha/raw/z.pdf",
        "node_modules/m/x.md",
    )
    survey = Survey()
    found = {item.place.path: item for item in walk(tmp_path, LAYOUT, survey)}
    assert sorted(found) == ["alpha/memory/x.md", "alpha/raw/z.pdf"]
    assert found["alpha/memory/x.md"].stamp == stamp_of((tmp_path / "alpha/memory/x.md").stat())
    assert found["alpha/raw/z.pdf"].place.kind is Kind.RAW
    assert survey.folders[:2] == ["", "alpha"]
    assert sorted(survey.folders) == ["", "alpha", "alpha/memory", "alpha/raw"]


def test_two_walks_of_one_tree_come_in_the_same_order(tmp_path: Path) -> None:
    make(tmp_path, *(f"a{i % 3}/memory/n{i}.md" for i in range(20)))
    first = [item.place.path for item in walk(tmp_path, LAYOUT, Survey())]
    assert first == [item.place.path for item in walk(tmp_path, LAYOUT, Survey())]
    assert len(first) == 20


def test_ignored_folders_are_not_entered(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md", "alpha/drafts/memory/y.md")
    assert paths(tmp_path, layout=Layout(Ignore(["drafts/"]))) == ["alpha/memory/x.md"]


def test_only_one_folder_is_walked_if_asked(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md", "beta/memory/y.md")
    assert paths(tmp_path, below="beta") == ["beta/memory/y.md"]


def test_a_folder_that_is_gone_or_a_file_now_holds_nothing(tmp_path: Path) -> None:
    make(tmp_path, "alpha")
    survey = Survey()
    assert paths(tmp_path, survey, below="beta") == []
    assert paths(tmp_path, survey, below="alpha") == []
    assert survey.unreadable == {}


def test_a_root_that_is_gone_is_never_an_empty_vault(tmp_path: Path) -> None:
    with pytest.raises(VaultMissingError):
        paths(tmp_path / "gone")


def test_names_that_are_not_utf8_are_found(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / "alpha/memory" / os.fsdecode(b"caf\xe9.md")).write_text("x")
    assert "alpha/memory/caf\udce9.md" in paths(tmp_path)


def test_each_folder_is_announced_before_it_is_listed(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")

    def entering(folder: str) -> None:
        if folder == "alpha/memory":
            make(tmp_path, "alpha/memory/late.md")

    found = walk(tmp_path, LAYOUT, Survey(), entering=entering)
    assert sorted(item.place.path for item in found) == ["alpha/memory/late.md", "alpha/memory/x.md"]


def test_what_lies_below_an_unreadable_folder_is_unknown(public: Path) -> None:
    make(public, "alpha/memory/x.md", "beta/memory/y.md")
    (public / "alpha/memory").chmod(0)
    survey = Survey()
    with without_privileges():
        assert paths(public, survey) == ["beta/memory/y.md"]
    assert survey.unreadable["alpha/memory"].errno == errno.EACCES
    assert not survey.knows("alpha/memory/x.md")
    assert survey.knows("beta/memory/z.md")
    assert survey.knows("alpha/memory.md")


def test_files_that_can_be_listed_but_not_looked_at_are_unknown(public: Path) -> None:
    make(public, "alpha/memory/x.md", "beta/memory/y.md")
    (public / "alpha/memory").chmod(0o444)
    survey = Survey()
    with without_privileges():
        assert paths(public, survey) == ["beta/memory/y.md"]
    assert not survey.knows("alpha/memory/x.md")
    (public / "alpha/memory").chmod(0o755)


def test_an_unreadable_root_makes_everything_unknown(public: Path) -> None:
    root = public / "vault"
    make(root, "alpha/memory/x.md")
    root.chmod(0)
    survey = Survey()
    with without_privileges():
        assert paths(root, survey) == []
    assert not survey.knows("alpha/memory/x.md")
    assert not survey.knows("")
    root.chmod(0o755)


def test_a_file_that_vanishes_while_it_is_looked_at_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "alpha/memory/x.md", "alpha/memory/y.md")
    real = walking._listing

    def listing(root: Path, folder: str) -> list[os.DirEntry[str]]:
        entries = real(root, folder)
        (tmp_path / "alpha/memory/x.md").unlink(missing_ok=True)
        return entries

    monkeypatch.setattr(walking, "_listing", listing)
    survey = Survey()
    assert paths(tmp_path, survey) == ["alpha/memory/y.md"]
    assert survey.unreadable == {}
    assert survey.knows("alpha/memory/x.md")


def test_a_file_that_a_broken_disk_hides_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "alpha/memory/x.md")
    real = walking._listing

    def listing(root: Path, folder: str):
        entries = real(root, folder)
        return [_Broken(entry) if entry.name == "x.md" else entry for entry in entries]

    monkeypatch.setattr(walking, "_listing", listing)
    survey = Survey()
    assert paths(tmp_path, survey) == []
    assert not survey.knows("alpha/memory/x.md")
    assert survey.knows("alpha/memory/y.md")


class _Broken:
    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.name = entry.name

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        raise OSError(errno.EIO, "broken disk")


def test_a_cloud_placeholder_beside_stands_for_its_note(tmp_path: Path) -> None:
    make(
        tmp_path,
        "alpha/memory/.x.md.icloud",
        "alpha/memory/.y.md.icloud",
        "alpha/memory/y.md",
        "alpha/.z.md.icloud",
    )
    survey = Survey()
    assert "alpha/memory/x.md" not in paths(tmp_path, survey)
    assert survey.away == {"alpha/memory/x.md", "alpha/memory/y.md"}


def test_a_file_without_its_bytes_is_told_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "alpha/memory/x.md", "alpha/memory/y.md")
    real = walking._listing

    def listing(root: Path, folder: str):
        return [_Dataless(entry) if entry.name == "x.md" else entry for entry in real(root, folder)]

    monkeypatch.setattr(walking, "_listing", listing)
    survey = Survey()
    assert paths(tmp_path, survey) == ["alpha/memory/y.md"]
    assert survey.away == {"alpha/memory/x.md"}


class _Dataless:
    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.name, self._entry = entry.name, entry

    def stat(self, *, follow_symlinks: bool) -> SimpleNamespace:
        real = self._entry.stat(follow_symlinks=follow_symlinks)
        return SimpleNamespace(st_mode=real.st_mode, st_size=9, st_blocks=0, st_flags=0x40000000, st_nlink=1)


def test_a_file_with_holes_only_has_its_bytes(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    os.truncate(tmp_path / "alpha/memory/x.md", 0)
    os.truncate(tmp_path / "alpha/memory/x.md", 4096)
    survey = Survey()
    assert paths(tmp_path, survey) == ["alpha/memory/x.md"]
    assert survey.away == set()


def test_the_root_is_resolved_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert find_root(tmp_path / "link") == (tmp_path / "real").resolve()


def test_a_home_relative_root_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "agents").mkdir()
    assert find_root(Path("~/agents")) == (tmp_path / "agents").resolve()


@pytest.mark.parametrize("kind", ["missing", "file", "dangling"])
def test_a_root_that_is_no_folder_is_named(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "vault"
    if kind == "file":
        root.touch()
    if kind == "dangling":
        root.symlink_to("nowhere")
    with pytest.raises(VaultMissingError, match=f"vault {root}") as caught:
        find_root(root)
    assert caught.value.hint


def test_the_layout_has_the_patterns_of_config_and_vault(tmp_path: Path) -> None:
    (tmp_path / ".atomicdignore").write_bytes(b"\xef\xbb\xbfdrafts/\r\n# x\r\n*.bak\r\n")
    layout = read_layout(tmp_path, ("secret/",))
    assert layout == Layout(Ignore(["secret/", "drafts/", "# x", "*.bak"]))
    assert not layout.enters("alpha/drafts")
    assert not layout.enters("secret")


def test_a_line_break_that_only_unicode_knows_is_part_of_a_pattern(tmp_path: Path) -> None:
    (tmp_path / ".atomicdignore").write_text("a\u2028b.md\n")
    assert "a\u2028b.md" in read_layout(tmp_path).ignore


@pytest.mark.parametrize("name", ["memory", "wiki", "persona"])
def test_a_root_with_an_agents_folders_is_an_agent(tmp_path: Path, name: str) -> None:
    assert not read_layout(tmp_path).root_is_agent
    (tmp_path / name).mkdir()
    assert read_layout(tmp_path).root_is_agent


@pytest.mark.timeout(5)
@pytest.mark.parametrize("kind", ["fifo", "folder", "latin-1", "link", "no pattern", "huge"])
def test_an_ignore_file_that_cannot_be_read_is_named_not_taken_for_empty(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ".atomicdignore"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "latin-1":
            path.write_bytes(b"caf\xe9/\n")
        case "link":
            (tmp_path / "elsewhere").write_text("x")
            path.symlink_to("elsewhere")
        case "no pattern":
            path.write_text("!\n")
        case "huge":
            path.write_bytes(b"x" * (1 << 20) + b"x")
    with pytest.raises(ConfigError, match=r"\.atomicdignore") as caught:
        read_layout(tmp_path)
    assert caught.value.hint
