"""Sub-indexes: how they are called, the lines that lead to them, the ranges they hold ([INDEX-6])."""

from __future__ import annotations

import itertools
import math
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from atomic_agents.index.entries import Entry, Form, rewritten
from atomic_agents.index.sheet import Sheet
from atomic_agents.index.texts import as_hook
from atomic_agents.index.wanted import Role, kind_of
from atomic_agents.vault.kinds import nfc

SLICES: Final[Mapping[Role, str]] = {
    Role.FEEDBACK: "INDEX_feedback.md",
    Role.DECISION: "INDEX_decisions.md",
    Role.USER: "INDEX_user.md",
    Role.PROJECT: "INDEX_projects.md",
    Role.REFERENCE: "INDEX_reference.md",
    Role.PAGES: "INDEX_pages.md",
    Role.PROMOTED: "INDEX_promoted.md",
    Role.ARCHIVE: "INDEX_archive.md",
}

_STEMS: Final = "|".join(name.removesuffix(".md") for name in SLICES.values())
_RANGE: Final = re.compile(rf"^({_STEMS})_([^-/]+)-([^-/]+)\.md$")
_COUNT: Final = re.compile(r"\(\d+ entr(?:y|ies)\)$")
_NOT_IN_KEY: Final = re.compile(r"[\W_]+")
_LONGEST_KEY: Final = 60


@dataclass(frozen=True, slots=True)
class Pointer:
    """A line that leads to a sub-index.

    Args:
        row: number of its row.
        sheet: number of the sub-index.
        is_counted: whether it ends with a count of entries, as the daemon's own do.

    """

    row: int
    sheet: int
    is_counted: bool


def pointers_in(sheet: Sheet, names: Mapping[str, int]) -> Iterator[Pointer]:
    """Yield the lines of an index file that lead to other index files.

    Args:
        sheet: the file.
        names: the numbers of all index files, by name.

    """
    for number, row in enumerate(sheet.rows):
        entry = row.line.entry
        if row.line.points and entry is not None:
            target = names.get(pointed(entry, sheet.folder))
            if target is not None:
                yield Pointer(number, target, _COUNT.search(entry.hook) is not None)


def pointed(entry: Entry, folder: str) -> str:
    """Return the index file that an entry leads to, relative to the layer's folder.

    Args:
        entry: the entry.
        folder: the folder of the index file that it stands in.

    """
    path = entry.target.partition("#")[0]
    name = path if path.endswith(".md") or entry.form is not Form.WIKI else f"{path}.md"
    return posixpath.normpath(posixpath.join(folder, name))


def is_counted(entry: Entry) -> bool:
    """Whether a line that leads to a sub-index ends with a count of its entries."""
    return _COUNT.search(entry.hook) is not None


def pointer_text(name: str, what: str, count: int) -> str:
    """Return a new line that leads to a sub-index.

    Args:
        name: the sub-index, `INDEX_feedback.md`.
        what: what it holds, in words.
        count: how many entries.

    """
    return f"- [{name.removesuffix('.md')}]({name}) — {as_hook(what)} ({_entries(count)})"


def recounted(entry: Entry, count: int) -> str:
    """Return a line that leads to a sub-index with its count made true.

    Args:
        entry: the line.
        count: how many entries the sub-index holds.

    """
    return rewritten(entry, hook=_COUNT.sub(f"({_entries(count)})", entry.hook))


def key_of(file: str) -> str:
    """Return what a unit is sorted by in sub-indexes: its topic, in lower case.

    Args:
        file: relative to the layer's folder.

    """
    name = nfc(posixpath.basename(file)).removesuffix(".md").casefold()
    if kind_of(name) is not None:
        name = name.partition("_")[2]
    return _NOT_IN_KEY.sub("_", name).strip("_")[:_LONGEST_KEY] or "_"


def range_of(name: str) -> tuple[str, str] | None:
    """Return the range that a sub-index is called after: the begins of its first and last key.

    Args:
        name: relative to the layer's folder.

    """
    match = _RANGE.match(name)
    return (match[2], match[3]) if match is not None else None


def role_of_slice(name: str) -> Role | None:
    """Return whose entries a sub-index that a split made holds, None for any other.

    Args:
        name: relative to the layer's folder.

    """
    parent = parent_of(name)
    return next((role for role, slice_ in SLICES.items() if slice_ == parent), None)


def range_name(parent: str, low: str, high: str) -> str:
    """Return the name of a sub-index for a range of what another one holds.

    Args:
        parent: the name of the other one: `INDEX_pages.md`, or itself a range's.
        low: the begin of the first key.
        high: the begin of the last key.

    """
    match = _RANGE.match(parent)
    stem = match[1] if match is not None else parent.removesuffix(".md")
    return f"{stem}_{low}-{high}.md"


def parent_of(name: str) -> str:
    """Return the sub-index that a range was first part of: `INDEX_pages.md` for `INDEX_pages_a-f.md`.

    Args:
        name: a range's name.

    """
    match = _RANGE.match(name)
    return f"{match[1]}.md" if match is not None else name


def cut(keys: Sequence[tuple[str, int]], most: int) -> list[range]:
    """Return how sorted keys are parted, about evenly, where the first letters differ if that can be had.

    Equal keys stay together.

    Args:
        keys: each key and its weight.
        most: what no part may outweigh.

    """
    parts: list[range] = []
    start = 0
    while start < len(keys):
        rest = sum(weight for _, weight in keys[start:])
        end = _end_of_part(keys, start, math.ceil(rest / math.ceil(rest / most)), most)
        parts.append(range(start, end))
        start = end
    return parts


def _end_of_part(keys: Sequence[tuple[str, int]], start: int, even: int, most: int) -> int:
    """Return where a part ends: of the ends near the even weight, the one told by the fewest letters."""
    ends: list[tuple[int, int]] = []
    weight = 0
    for number in range(start, len(keys)):
        if number > start and keys[number][0] != keys[number - 1][0]:
            if ends and weight > most:
                break
            ends.append((number, weight))
        weight += keys[number][1]
    if weight <= most or not ends:
        return len(keys)
    near = [end for end, weight in ends if even * 3 <= weight * 4 and weight <= most]
    usual = [end for end, weight in ends if weight <= most][-1:] or [ends[0][0]]
    return min(near or usual, key=lambda end: (len(_begin(keys[end][0], keys[end - 1][0])), -end))


def labels(parts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return a short name for each part: the begins of its first and last key, enough to tell them apart.

    Args:
        parts: the first and last key of each part, in order.

    """
    lows = [_begin(first, before) for (_, before), (first, _) in itertools.pairwise(parts)]
    lengths = [len(low) for low in lows]
    lows.insert(0, parts[0][0][: lengths[0] if lengths else 1])
    lengths.append(len(lows[-1]))
    return [(low, last[:length]) for low, (_, last), length in zip(lows, parts, lengths, strict=True)]


def _begin(key: str, before: str) -> str:
    """Return the shortest begin of a key that sorts behind another key."""
    return next(key[:end] for end in range(1, len(key) + 1) if key[:end] > before)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
