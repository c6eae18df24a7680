"""Values that YAML cannot read, or reads only in part, put in quotes as they stand (contract [READ-1])."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from atomic_agents.units.emit import emit_scalar
from atomic_agents.units.fixing_draft import LineEdit, split_lines
from atomic_agents.units.loader import load

_TOP_KEY: Final = re.compile(r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s#\-\"'][^\n]*?):(?=[ \t\r\n]|\Z)")
_LINE: Final = re.compile(
    r"""(?P<lead>[ ]*(?:-[ ]+)*)
    (?P<key>(?:"[^"\n]*"|'[^'\n]*'|[^\s#"'\[{&*!|>%@`,?-][^:\n]*?)[ \t]*:[ \t]+)?
    (?P<value>[^\s#][^\n]*?)(?P<rest>[ \t]*\r?\n?)\Z""",
    re.VERBOSE,
)
_BLOCK_TEXT: Final = re.compile(r"[|>][-+0-9]{0,2}(?:[ \t]+#.*)?\Z")
_COMMENT: Final = re.compile(r"[ \t]#(?:[ \t]|\Z)")
_EVIDENT: Final = re.compile(r"[ \t]{2,}#(?:[ \t].*)?\Z")
_ALIAS: Final = re.compile(r"\*([^\s,\[\]{}]+)\Z")
_TABS: Final = re.compile(r"[ ]*\t[ \t]*")
_TAB: Final = "  "
_MOST_LINES: Final = 400
_CODE: Final = "yaml-syntax"


class Entry(NamedTuple):
    """The lines of one top-level key; `first` counts from 1 in the block."""

    first: int
    lines: list[str]

    @property
    def key(self) -> str:
        """The key, without quotes."""
        match = _TOP_KEY.match(self.lines[0])
        return match[0].rstrip(": \t").strip("\"'") if match else ""


def mend_yaml(block: str, is_text_list: Callable[[str], bool]) -> list[LineEdit]:
    """Return the edits that make each top-level key readable by itself; the caller judges the whole.

    Args:
        block: the lines between the fences.
        is_text_list: whether a field is a list of texts, so that `- a: b` is one text there.

    """
    lines = split_lines(block)
    if len(lines) > _MOST_LINES:
        return []
    return [edit for entry in _entries(lines) for edit in _mend_entry(entry, block, is_text_list)]


def quote(value: str) -> str | None:
    """Return a value in quotes, or None if they would not make exactly this text of it.

    Args:
        value: as it stands in the file, without blanks around it.

    """
    text = emit_scalar(value, quote='"')
    loaded = load(f"x: {text}\n")
    return text if not loaded.faults and loaded.values == {"x": value} else None


def is_ambiguous(value: str) -> bool:
    """Whether a value goes on with ` # `, which may be a comment or text."""
    return _COMMENT.search(value) is not None


def _entries(lines: list[str]) -> Iterator[Entry]:
    starts = [number for number, line in enumerate(lines) if _TOP_KEY.match(line)]
    for start, end in itertools.pairwise([*starts, len(lines)]):
        yield Entry(start + 1, lines[start:end])


def _mend_entry(entry: Entry, block: str, is_text_list: Callable[[str], bool]) -> list[LineEdit]:
    """Return the first set of edits with which the entry can be read; none if it can be already, or never."""
    if _is_readable(entry.lines):
        return []
    is_list = is_text_list(entry.key)
    for edited in _candidates(entry, block, is_list):
        if edited != entry.lines and _is_readable(edited):
            return list(_edits(entry, edited))
    return []


def _candidates(entry: Entry, block: str, is_text_list: bool) -> Iterator[list[str]]:
    straight = [_without_tabs(line) for line in entry.lines]
    yield straight
    yield list(_quoted_lines(straight, block, is_whole_item=is_text_list))
    yield list(_quoted_lines(straight, block, is_whole_item=not is_text_list))
    yield _quoted_across(straight)


def _quoted_lines(lines: Iterable[str], block: str, *, is_whole_item: bool) -> Iterator[str]:
    """Yield the lines, with values in quotes that cannot be read by themselves; texts behind `|` stay."""
    text_indent: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if text_indent is not None and (indent > text_indent or not line.strip()):
            yield line
            continue
        text_indent = None
        match = _LINE.match(line)
        if match is not None and _BLOCK_TEXT.match(match["value"]):
            text_indent = indent
        is_value = match is not None and (match["key"] is not None or not match["value"].endswith(":"))
        if match is None or not is_value:
            yield line
        else:
            yield _quoted_line(line, match, block, is_whole_item=is_whole_item)


def _quoted_line(line: str, match: re.Match[str], block: str, *, is_whole_item: bool) -> str:
    key, value, rest = match["key"] or "", match["value"], match["rest"]
    if is_whole_item and match["lead"].strip():
        key, value = "", key + value
    comment = _EVIDENT.search(value)
    if comment is not None:
        value, rest = value[: comment.start()], comment[0] + rest
    text = None if _is_sound(value, block) else _quotable(value)
    return line if text is None else f"{match['lead']}{key}{text}{rest}"


def _quotable(value: str) -> str | None:
    """Return a value in quotes, unless it is not clear where it ends."""
    return None if is_ambiguous(value) or _is_open_quote(value) else quote(value)


def _is_open_quote(value: str) -> bool:
    """Whether it begins with a quote that nothing closes, so that nobody knows where it was to end."""
    return value[0] in "\"'" and value[0] not in value[1:]


def _is_sound(value: str, block: str) -> bool:
    if _BLOCK_TEXT.match(value):
        return True
    alias = _ALIAS.match(value)
    if alias is not None and f"&{alias[1]}" in block:
        return True
    return _is_readable([f"x: {value}\n"])


def _quoted_across(lines: Sequence[str]) -> list[str]:
    """Return the lines with a text in quotes that goes on over indented lines; the same if there is none."""
    match = _LINE.match(lines[0]) if len(lines) > 1 else None
    behind = [line for line in lines[1:] if line.strip()]
    if match is None or not match["key"] or match["value"][0] in "\"'|>[{" or not behind:
        return list(lines)
    if any(line[0] != " " or line.lstrip().startswith(("- ", "#")) for line in behind):
        return list(lines)
    if any(is_ambiguous(line.rstrip()) or " #" in line for line in lines):
        return list(lines)
    return _join_quoted(match, list(lines))


def _join_quoted(match: re.Match[str], lines: list[str]) -> list[str]:
    mark = "'" if any(char in line for line in lines for char in '"\\') else '"'
    last = max(number for number, line in enumerate(lines) if line.strip())
    head, start = lines[0][: match.end("key")], match.end("key")
    lines[0] = lines[0][start:]
    if mark == "'":
        lines = [line.replace("'", "''") for line in lines]
    lines[0] = f"{head}{mark}{lines[0]}"
    end = len(lines[last].rstrip())
    lines[last] = lines[last][:end] + mark + lines[last][end:]
    return lines


def _without_tabs(line: str) -> str:
    match = _TABS.match(line)
    return line if match is None else match[0].replace("\t", _TAB) + line[match.end() :]


def _is_readable(lines: Iterable[str]) -> bool:
    return not any(fault.code == _CODE for fault in load("".join(lines)).faults)


def _edits(entry: Entry, edited: Sequence[str]) -> Iterator[LineEdit]:
    for number, (old, new) in enumerate(zip(entry.lines, edited, strict=True), entry.first):
        if old != new:
            done = f"put the value of `{entry.key}` in quotes"
            if _without_tabs(old) == new:
                done = "replaced the tabs that indent the line by blanks"
            yield LineEdit(number, number, (new,), _CODE, done, entry.key)
