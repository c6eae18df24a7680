"""Where links lead, and how files are written as their targets ([INDEX-2])."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from atomic_agents.index.links import links_in
from atomic_agents.index.targets import Names, lead, retarget, written


@pytest.mark.parametrize(
    ("target", "folder", "file"),
    [
        ("x.md", "", "x.md"),
        ("./x.md", "", "x.md"),
        ("sub/x.md", "", "sub/x.md"),
        ("x.md", "sub", "sub/x.md"),
        ("../x.md", "sub", "x.md"),
        ("../memory/x.md", "", "x.md"),
        ("a%20b.md", "", "a b.md"),
        ("x.md#part", "", "x.md"),
        ("x.md?q=1#part", "", "x.md"),
        (r"a\_b.md", "", "a_b.md"),
        ("caf%C3%A9.md", "", "café.md"),
        ("%FF.md", "", "\udcff.md"),
    ],
)
def test_a_target_leads_to_a_file_of_the_layer(target, folder, file):
    assert lead(target, False, folder, "alpha/memory")[0] == file


@pytest.mark.parametrize(
    "target", ["", "#x", "/x.md", "https://x.y/x.md", "mailto:a@b", "../x.md", "../../x.md", "."]
)
def test_a_target_that_leads_out_of_the_layer_leads_nowhere(target):
    assert lead(target, False, "", "alpha/memory") == ()


def test_a_name_that_looks_percent_encoded_is_found_as_it_is():
    names = Names(["a%20b.md"])
    assert names.find(lead("a%20b.md", False, "", "m"), is_wiki=False) == "a%20b.md"


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("x", "x.md"),
        ("sub/y", "sub/y.md"),
        ("y", "sub/y.md"),
        ("alpha/memory/x", "x.md"),
        ("z", None),
        ("t.md", "t.md"),
    ],
)
def test_a_wikilink_finds_its_file_by_path_or_by_a_name_that_is_unique(target, file):
    names = Names(["x.md", "sub/y.md", "a/z.md", "b/z.md", "t.md"])
    assert names.find(lead(target, True, "", "alpha/memory"), is_wiki=True) == file


@pytest.mark.parametrize(
    ("old", "file", "is_wiki", "new"),
    [
        ("x.md", "y.md", False, "y.md"),
        ("./x.md#a", "y.md", False, "./y.md#a"),
        ("./x.md", "../y.md", False, "../y.md"),
        ("x%20y.md", "a b.md", False, "a%20b.md"),
        ("x", "y.md", True, "y"),
        ("x.md#a", "sub/y.md", True, "sub/y.md#a"),
    ],
)
def test_a_new_target_takes_the_style_of_the_old_one(old, file, is_wiki, new):
    assert retarget(old, file, is_wiki=is_wiki) == new


NAMES = st.lists(
    st.text(
        st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]) | st.just("\udcff"), min_size=1
    ).filter(lambda part: part not in {".", ".."}),
    min_size=1,
    max_size=3,
).map("/".join)


@given(NAMES)
def test_whatever_a_file_is_called_its_target_leads_back_to_it(file):
    target = written(file)
    found = Names([file]).find(lead(target, False, "", "alpha/memory"), is_wiki=False)
    assert found == file
    assert [link.target for link in links_in(f"- [T]({target}) — h")] == [target]


@given(NAMES.filter(lambda name: "\udcff" not in name))
def test_commonmark_reads_every_target_as_one_link(file):
    tokens = MarkdownIt("commonmark").parse(f"- [T]({written(file)}) — h")
    inline = next(token for token in tokens if token.type == "inline")
    assert [child.type for child in inline.children] == ["link_open", "text", "link_close", "text"]
