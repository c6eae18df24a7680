"""Units that say nearly the same, found in nearly linear time.

Only pairs that share something rare are compared: one of the rarest words of a text, or its place in the
order of all texts, read forwards and backwards, which a slip in a single word does not change much.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

SIMILAR: Final = 90.0
"""Per cent of likeness from which two texts are nearly the same."""

_RAREST: Final = 3
_LARGEST_BLOCK: Final = 40
_WINDOW: Final = 4
_SHORTEST: Final = 8
_LONGEST: Final = 400
_WORD: Final = re.compile(r"\w+")
_DIGITS: Final = re.compile(r"\d+")


class Pair(NamedTuple):
    """Two texts by their positions, and how like they are in per cent."""

    first: int
    second: int
    score: float


@dataclass(frozen=True, slots=True)
class _Text:
    folded: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]


def similar(texts: Sequence[str]) -> list[Pair]:
    """Return the pairs of texts that are nearly but not quite the same, in their order.

    Texts with other numbers are about other things: a plan of Q3 is none of Q4.

    Args:
        texts: names, or descriptions; short ones are never like others.

    """
    from rapidfuzz import fuzz  # noqa: PLC0415 - it costs 30 ms, and only `lint` needs it

    read = {number: _read(text) for number, text in enumerate(texts)}
    read = {number: text for number, text in read.items() if len(text.folded) >= _SHORTEST}
    pairs = []
    for first, second in sorted(_candidates(read)):
        one, other = read[first], read[second]
        if one.folded == other.folded or one.numbers != other.numbers:
            continue
        score = fuzz.ratio(one.folded, other.folded, score_cutoff=SIMILAR)
        if score:
            pairs.append(Pair(first, second, score))
    return pairs


def _read(text: str) -> _Text:
    folded = " ".join(_WORD.findall(unicodedata.normalize("NFKC", text[:_LONGEST]).casefold()))
    words = tuple(dict.fromkeys(piece for word in folded.split() for piece in _pieces(word)))
    return _Text(folded, words, tuple(_DIGITS.findall(folded)))


def _pieces(word: str) -> Iterator[str]:
    """Yield a word, or pairs of its letters where a script writes no blanks between words."""
    if word.isascii() or not any(unicodedata.category(char) == "Lo" for char in word):
        yield word
    else:
        yield from ("".join(pair) for pair in itertools.pairwise(word))


def _candidates(texts: Mapping[int, _Text]) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    for block in _blocks(texts):
        pairs.update(itertools.combinations(sorted(block), 2))
    for backwards in (False, True):
        order = sorted(texts, key=lambda number: texts[number].folded[:: -1 if backwards else 1])
        for start, number in enumerate(order):
            near = order[start + 1 : start + 1 + _WINDOW]
            pairs.update((min(number, other), max(number, other)) for other in near)
    return pairs


def _blocks(texts: Mapping[int, _Text]) -> Iterator[list[int]]:
    """Yield the texts that share one of their rarest words; words that many share tell nothing."""
    count = Counter(word for text in texts.values() for word in text.words)
    blocks: defaultdict[str, list[int]] = defaultdict(list)
    for number, text in texts.items():
        for word in sorted(text.words, key=lambda word: (count[word], word))[:_RAREST]:
            blocks[word].append(number)
    yield from (block for block in blocks.values() if 1 < len(block) <= _LARGEST_BLOCK)
