"""Links lead somewhere."""

from __future__ import annotations

import itertools
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.parsing import tokens_of
from pages.shell import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def links_of(page: Path) -> Iterator[str]:
    for token in tokens_of(page):
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield urllib.parse.unquote(str(target))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    tokens = tokens_of(page)
    titles = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading_that_are_there(page):
    for link in links_of(page):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{link}: no such file"
        assert not anchor or anchor in anchors_of(target), f"{link}: no such heading"


def test_every_page_of_the_docs_is_linked_from_their_start():
    linked = {link.partition("#")[0] for link in links_of(ROOT / "docs" / "index.md")}
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= linked, f"not linked: {pages - linked}"
