"""Relative Markdown links in a text that lead to no file (contract [RULE-W])."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from atomic_agents.index.links import links_in
from atomic_agents.index.targets import lead
from atomic_agents.schemas.found import shorten
from atomic_agents.units.codes import Fault
from atomic_agents.units.mentions import numbered_lines


def may_hold_links(data: bytes) -> bool:
    """Whether a text can hold a Markdown link: a quick look."""
    return b"](" in data or b"]:" in data


def judge_links(path: str, text: str, exists: Callable[[str], bool]) -> Iterator[Fault]:
    """Yield each relative link that leads to nothing; what lies outside of the vault is not looked at.

    Args:
        path: where the text lies, relative to the vault.
        text: Markdown; frontmatter holds no such links.
        exists: whether a file or folder lies at a path of the vault.

    """
    folder = posixpath.dirname(path)
    for number, line in numbered_lines(text):
        if "](" not in line and "]:" not in line:
            continue
        for link in links_in(line):
            paths = () if link.is_wiki else lead(link.target, is_wiki=False, folder=folder, layer_dir="")
            if paths and not any(target.startswith("..") or exists(target) for target in paths):
                fix = "Correct the target, or take the link out."
                found = f"`{shorten(link.target, 70)}`"
                yield Fault("body-link", found, "a file beside it or in the vault", fix, line=number)
