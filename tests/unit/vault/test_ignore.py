"""Names that are never content, traces of editors, and the operator's own patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.exceptions import ConfigError
from atomic_agents.vault.ignore import (
    Ignore,
    edited_name,
    is_content_file,
    is_content_folder,
    is_editing_trace,
    placeholder_for,
)


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.md", ".x.md.swp", "x.lock", "x.md.tmp", "x.md~", "#x.md#", "x.swp", "x.swo", "4913",
        "x.md.part", "x.md.crdownload", "~$x.md", ".~lock.x.md#", ".x.md.icloud", "x.md.icloud",
        "README.md", "readme.md", "MEMORY.md", "X.TMP", "x.LOCK", "#a\nb#",
        ".syncthing.x.md.tmp", ".goutputstream-AB12CD", ".x.md.0a1b2c3d.atomicd.tmp",
    ],
)  # fmt: skip
def test_names_of_temporary_and_reserved_files_are_never_content(name: str) -> None:
    assert not is_content_file(name)


@pytest.mark.parametrize(
    "name",
    [
        "x.md",
        "INDEX.md",
        "#x.md",
        "x#.md",
        "README.md.md",
        "my_readme.md",
        "4913.md",
        "lock.md",
        "x~.md",
        "$~x.md",
    ],
)
def test_near_misses_of_those_names_are_content(name: str) -> None:
    assert is_content_file(name)


@pytest.mark.parametrize("name", [".git", ".versions", "_quarantine", "_", "node_modules", "__pycache__"])
def test_folders_of_tools_hold_no_content(name: str) -> None:
    assert not is_content_folder(name)


@pytest.mark.parametrize("name", ["alpha", "memory", "node_modules2", "a_b", "a.b"])
def test_other_folders_may_hold_content(name: str) -> None:
    assert is_content_folder(name)


@pytest.mark.parametrize(
    ("trace", "target"),
    [
        (".x.md.swp", "x.md"), (".x.md.swo", "x.md"), (".x.md.swx", "x.md"), (".x.md.swn", "x.md"),
        (".#x.md", "x.md"), ("#x.md#", "x.md"), (".~lock.x.md#", "x.md"), ("~$x.md", "x.md"),
        (".x.md.kate-swp", "x.md"), ("x.md.crswap", "x.md"), ("#a\nb.md#", "a\nb.md"),
    ],
)  # fmt: skip
def test_an_editors_trace_names_the_file_that_is_open(trace: str, target: str) -> None:
    assert edited_name(trace) == target
    assert is_editing_trace(trace, target)
    assert not is_editing_trace(trace, "other.md")


@pytest.mark.parametrize(
    "name",
    ["x.md", "x.md~", ".swp", "..swp", "##", ".#", "~$", ".x.md.tmp", ".git", "x.md.swp", ".~lock.#", "4913"],
)
def test_other_names_are_no_traces(name: str) -> None:
    assert edited_name(name) is None


@given(st.text(min_size=1, max_size=30).filter(lambda name: "/" not in name))
def test_a_trace_is_never_content_itself(name: str) -> None:
    if edited_name(name) is not None:
        assert not is_content_file(name) or name.endswith(".crswap")


def test_a_cloud_placeholder_names_the_file_it_stands_for() -> None:
    assert placeholder_for(".x.md.icloud") == "x.md"
    assert placeholder_for("..md.icloud") == ".md"
    for name in ("x.md.icloud", ".icloud", "..icloud", ".x.md", "x.md"):
        assert placeholder_for(name) is None


def test_patterns_name_files_and_folders_in_gitignore_syntax() -> None:
    ignore = Ignore(["drafts/", "*.bak.md", "!keep.bak.md", "# comment", "", "/alpha/memory/old_*.md"])
    assert "alpha/memory/drafts/" in ignore
    assert "alpha/memory/drafts/x.md" in ignore
    assert "alpha/drafts" not in ignore
    assert "x.bak.md" in ignore
    assert "keep.bak.md" not in ignore
    assert "alpha/memory/old_rule.md" in ignore
    assert "beta/alpha/memory/old_rule.md" not in ignore


def test_no_patterns_name_nothing() -> None:
    assert "x.md" not in Ignore()
    assert "x.md" not in Ignore(["# only a comment"])


def test_a_name_that_is_not_utf8_can_be_matched() -> None:
    assert "a/\udcff.md" in Ignore(["*.md"])


@pytest.mark.parametrize("line", ["!", "foo\\"])
def test_a_line_that_is_no_pattern_is_named(line: str) -> None:
    with pytest.raises(ConfigError, match="ignore pattern"):
        Ignore(["ok", line])


def test_ignores_are_equal_when_their_patterns_are() -> None:
    assert Ignore(["a"]) == Ignore(["a"])
    assert Ignore(["a"]) != Ignore(["b"])
    assert Ignore() != ()
