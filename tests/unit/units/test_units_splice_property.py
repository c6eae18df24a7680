"""Whatever the frontmatter looks like: only the lines of changed fields change, and it reads back as meant."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.units import REMOVED, SpliceError, read, splice, write_meta
from atomic_agents.units.marks import same

_WORDS = st.sampled_from(["alpha", "two words", "it's", "é 🚀", "x:y", "a#b", "2026-q3", "conversation_2026"])
_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)


@dataclass(frozen=True)
class Part:
    """Lines of frontmatter: of one field, or of none (comments, blank lines)."""

    key: str | None
    lines: str


def _comment() -> st.SearchStrategy[str]:
    return st.sampled_from(["", "", "", "  # why", " # one"])


@st.composite
def _value(draw: st.DrawFn) -> str:
    """Return what may stand behind `key:`, line break included."""
    words = draw(st.lists(_WORDS, min_size=1, max_size=3))
    word, comment = words[0], draw(_comment())
    quoted = word.replace("'", "''")
    shape = draw(st.integers(0, 15))
    forms = [
        f" '{quoted}'{comment}\n",
        f' "{word}\\u00e9"{comment}\n',
        f" {draw(st.sampled_from(['1', 'true', '2026-05-06', '~', '1.50', 'no', '0x1F', 'plain text']))}  # c\n",
        f"{comment}\n",
        f" [{', '.join(repr(each) for each in words if chr(39) not in each) or 1}]{comment}\n",
        " [\n    'a', # in\n    \"b\",\n  ]\n",
        f"{comment}\n  - '{quoted}'{comment}\n  # between\n  - b\n",
        "\n- 'a'\n- b   # tail\n",
        "\n  - - 1\n    - 2\n  - k: v\n    l: w\n",
        f" |{comment}\n  {word}\n\n   deeper\n  # no comment\n",
        " >-\n  folded\n  text\n\n",
        " |+\n  kept\n\n\n",
        "\n  a: 1  # in\n  b:\n    c: [x]\n",
        " {a: 1, 'b': [2]}\n",
        f" first {word.replace('#', '').replace(':', '')}\n  second\n\n  third\n",
        "\n  next line\n",
    ]
    return forms[shape]


@st.composite
def _document(draw: st.DrawFn) -> tuple[list[Part], str, str, str]:
    """Return the parts of a frontmatter, its line end, what stands before it, and its body."""
    keys = draw(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=6, unique=True))
    parts: list[Part] = []
    for key in keys:
        filler = draw(st.sampled_from(["", "", "# about it\n", "\n", "\n# one\n\n# two\n"]))
        parts += [Part(None, filler), Part(key, f"{key}:{draw(_value())}")]
    parts.append(Part(None, draw(st.sampled_from(["", "# the end\n", "\n"]))))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    bom = draw(st.sampled_from(["", "\ufeff"]))
    body = draw(st.sampled_from(["", "\nBody.\n", "  x \n\n---\n\ny", "# é\r\n", "\n\n\n"]))
    return parts, newline, bom, body


def _bytes(document: tuple[list[Part], str, str, str]) -> bytes:
    parts, newline, bom, body = document
    block = "".join(part.lines for part in parts)
    return (bom + f"---\n{block}---\n".replace("\n", newline) + body).encode()


_NEW_SCALAR = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.dates(min_value=dt.date(1000, 1, 1)),
    st.datetimes(min_value=dt.datetime(1000, 1, 1), timezones=st.sampled_from([None, dt.UTC])),  # noqa: DTZ001
    _WORDS,
    _TEXT,
    st.sampled_from(
        [
            "",
            " ",
            "no",
            "1",
            "2026-01-01",
            "- x",
            "a: b",
            "a #b",
            "'",
            '"',
            "\\",
            "a\nb",
            "---",
            "=",
            "<<",
            "é:",
        ]
    ),
)
_NEW = st.recursive(
    _NEW_SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_CHANGES = st.dictionaries(st.sampled_from("abcdefghijklm"), _NEW | st.just(REMOVED), min_size=1, max_size=5)


@given(_document())
def test_generated_frontmatter_is_readable_and_writing_it_back_changes_nothing(document: Any) -> None:
    data = _bytes(document)
    reading = read(data)
    assert reading.faults == () or [fault.code for fault in reading.faults] == ["bom"]
    assert reading.meta is not None
    assert write_meta(data, reading.meta) == data


@given(_document(), _CHANGES)
def test_only_changed_fields_change_and_everything_reads_back(document: Any, changes: dict[str, Any]) -> None:
    parts, newline, bom, body = document
    data = _bytes(document)
    old = read(data).meta
    assert old is not None
    wanted = {key: value for key, value in {**old, **changes}.items() if value is not REMOVED}
    if not wanted:
        return
    try:
        changed = splice(data, changes)
    except SpliceError:
        assert _is_inseparable(parts, changes)
        return
    reread = read(changed).meta
    assert reread is not None
    assert same(dict(reread), wanted)
    assert changed.startswith((bom + f"---{newline}").encode())
    assert changed.endswith(f"---{newline}{body}".encode())
    real = {key for key in changes if _is_change(key, old, changes)}
    _check_other_lines(document, changed.decode(), real)


def _is_inseparable(parts: list[Part], changes: dict[str, Any]) -> bool:
    """A field goes, and blank lines behind it would become part of the `|+` text before it."""
    return REMOVED in changes.values() and any("|+" in part.lines for part in parts)


def _is_change(key: str, old: Any, changes: dict[str, Any]) -> bool:
    if changes[key] is REMOVED:
        return key in old
    return key not in old or not same(old[key], changes[key])


def _check_other_lines(document: Any, changed: str, keys: set[str]) -> None:
    """The lines of what did not change follow each other as before, with nothing else between them."""
    parts, newline, bom, body = document
    anything = "(?:[^\\n]*\\n)*?"
    pattern = "".join(
        anything if part.key in keys else re.escape(part.lines.replace("\n", newline)) for part in parts
    )
    block = changed.removeprefix(bom).removeprefix(f"---{newline}").removesuffix(f"---{newline}{body}")
    new = anything if keys - {part.key for part in parts} else ""
    assert re.fullmatch(pattern + new, block), (pattern, block)
    assert newline == "\n" or "\n" not in block.replace("\r\n", "")
