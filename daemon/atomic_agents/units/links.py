"""Which file a link in the frontmatter means (contract [RULE-W], `link-missing`)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from atomic_agents.model import Place
from atomic_agents.units.neighbours import Neighbours
from atomic_agents.vault.kinds import LAYERS, nfc


def target_of(link: str) -> str:
    """Return the file name or path of a link: brackets, title, fragment and blanks taken off.

    Args:
        link: `x.md`, `[[x|Title]]`, `persona/USER.md#section`.

    """
    text = link.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2].partition("|")[0]
    return text.partition("#")[0].strip()


def resolve_link(place: Place, link: str, neighbours: Neighbours) -> str | None:
    """Return the path, relative to the vault, of the file that a link names, or None if there is none.

    It is looked for beside the file, in the two layers, at the agent's and the vault's root, and last by its
    name among all units of the agent; never outside the vault.

    Args:
        place: where the unit with the link lies.
        link: as it stands in the frontmatter.
        neighbours: what is known of the files around.

    """
    target = target_of(link)
    if not target:
        return None
    names = (target,) if target.casefold().endswith(".md") else (f"{target}.md", target)
    for name in names:
        found = next(filter(neighbours.exists, _candidates(place, name)), None)
        if found is not None:
            return found
    called = (path for name in names for path in _by_name(place, name, neighbours))
    return next(called, None)


def _candidates(place: Place, name: str) -> Iterator[str]:
    agent = place.agent or ""
    folders = [posixpath.dirname(place.path), *(posixpath.join(agent, layer) for layer in LAYERS), agent, ""]
    for folder in folders:
        path = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
        if path != "." and not path.startswith("../") and path != "..":
            yield path


def _by_name(place: Place, name: str, neighbours: Neighbours) -> Iterator[str]:
    if "/" not in name:
        yield from neighbours.called(place.agent or "", nfc(name))
