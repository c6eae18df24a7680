"""A strict YAML loader on PyYAML's C parser: everything that PyYAML lets pass in silence is a fault.

Source: contract [READ-1]. It follows the parser's events, so that depth, size and aliases are bounded before
anything is built, and notes where each top-level value lies. What it builds is what `yaml.CSafeLoader` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import yaml

from atomic_agents.schemas.found import describe, shorten
from atomic_agents.units import faults
from atomic_agents.units.codes import Fault
from atomic_agents.units.cuts import find_cut
from atomic_agents.units.marks import Cut, Entry, Marks, Unbuilt
from atomic_agents.units.nodes import NO_KEY, Collected, Frame, TagError, close, merge
from atomic_agents.units.scalars import MERGE, STR, VALUE, ScalarError, build, resolve
from atomic_agents.units.syntax import syntax

MOST_NODES: Final = 10_000
MOST_LEVELS: Final = 20

PARSER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser; the slow one where PyYAML was built without it."""

_Event = Any
"""One of PyYAML's events; its stubs leave open whether an event of the C parser has marks, which it has."""

_MERGE_KEY: Final = object()
_NO_VALUE: Final = object()
_BLOCK_STYLES: Final = frozenset({"|", ">"})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


class Loaded(NamedTuple):
    """What the lines between the fences say.

    `values` is None where YAML could not be read; values that could not be built are `Unbuilt`. Lines of
    `faults` count from the first line of the block.
    """

    values: dict[str, Any] | None
    marks: Marks
    faults: tuple[Fault, ...]


def load(block: str) -> Loaded:
    """Read the lines between the fences.

    Args:
        block: without characters that YAML forbids.

    """
    return _Loader(block).run()


class _StopError(Exception):
    """Reading on makes no sense; holds the fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code)
        self.fault = fault


class _Loader:
    def __init__(self, block: str) -> None:
        self._block = block
        self._frames: list[Frame] = []
        self._anchors: dict[str, Collected | None] = {}
        self._swallowed: list[tuple[str, Cut]] = []
        self._marks = Marks()
        self._faults: list[Fault] = []
        self._root: Any = None
        self._nodes = 0
        self._end = 0
        self._field: str | None = None
        self._handlers: dict[Any, Callable[[_Event], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceEndEvent: self._close,
            yaml.MappingEndEvent: self._close,
            yaml.DocumentEndEvent: self._finish,
        }

    def run(self) -> Loaded:
        parser = PARSER(self._block)
        try:
            self._follow(parser)
        except _StopError as stop:
            return self._result(stop.fault._replace(field=self._field))
        except yaml.YAMLError as error:
            return self._result(syntax(self._block, error))
        finally:
            parser.dispose()
        if not isinstance(self._root, dict):
            return self._result(faults.not_mapping(self._block, self._root))
        self._tell_swallowed()
        return Loaded(self._root, self._marks, tuple(self._faults))

    def _follow(self, parser: yaml.SafeLoader | yaml.CSafeLoader) -> None:
        handlers, next_event = self._handlers, parser.get_event
        while (event := next_event()) is not None:
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)

    def _result(self, fault: Fault) -> Loaded:
        return Loaded(None, self._marks, (*self._faults, fault))

    def _scalar(self, event: _Event) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            self._count(0)
        start, self._end = event.start_mark.index, event.end_mark.index
        tag, style = event.tag, event.style or ""
        if tag is None or tag == "!":
            tag = STR if style else resolve(event.value)
        value = event.value if tag == STR and style != '"' else self._build(tag, event, start)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.key is NO_KEY and frame.is_mapping:
            self._key(frame, _MERGE_KEY if tag == MERGE else value, start, self._end)
            return
        if style in _BLOCK_STYLES:
            self._end = start + len(self._block[start : self._end].rstrip())
        elif (
            tag == STR
            and not style
            and (event.anchor or event.tag or self._block[self._end : self._end + 1] in " \t")
        ):
            self._look_for_cut(event, start)
        if event.anchor is not None:
            self._anchor(event.anchor, start, Collected(value, 1, 0))
        self._add(value, start, self._end, style)

    def _build(self, tag: str, event: _Event, start: int) -> Any:
        value = event.value
        if event.style == '"' and (hit := _CONTROL.search(value)) is not None:
            self._fault(faults.control(hit[0]), start)
        if tag in {MERGE, VALUE} and self._is_key():
            return value
        try:
            return build(tag, value)
        except ScalarError as error:
            raw = self._block[start : event.end_mark.index]
            self._fault(faults.unbuilt(error.tag, raw), start)
            return Unbuilt(raw)

    def _is_key(self) -> bool:
        return bool(self._frames) and self._frames[-1].is_mapping and self._frames[-1].key is NO_KEY

    def _look_for_cut(self, event: _Event, start: int) -> None:
        value, field = event.value, self._field or ""
        if (lost := find_cut(self._block, self._end)) is not None:
            self._marks.cuts.append(Cut(field, value, lost, start))
        elif event.tag == "!":
            self._marks.cuts.append(Cut(field, value, "!", start))
        elif event.anchor is not None:
            self._swallowed.append((event.anchor, Cut(field, value, f"&{event.anchor}", start)))

    def _tell_swallowed(self) -> None:
        used = {name for name, _ in self._marks.aliases}
        self._marks.cuts.extend(cut for name, cut in self._swallowed if name not in used)

    def _alias(self, event: _Event) -> None:
        start, self._end = event.start_mark.index, event.end_mark.index
        name = event.anchor
        if name not in self._anchors:
            raise _StopError(faults.unknown_alias(self._block, name, start))
        target = self._anchors[name]
        if target is None:
            raise self._too_complex("a value that contains itself")
        self._count(target.nodes)
        self._deepen(target.levels)
        self._marks.aliases.append((name, start))
        if self._is_key():
            self._key(self._frames[-1], target.value, start, self._end)
        else:
            self._add(target.value, start, self._end, "*")

    def _open(self, event: _Event) -> None:
        start = event.start_mark.index
        is_mapping = type(event) is yaml.MappingStartEvent
        frame = Frame(is_mapping, event.tag, event.anchor, start, bool(event.flow_style), self._nodes)
        self._count(1)
        self._frames.append(frame)
        self._deepen(0)
        self._end = event.end_mark.index
        if frame.anchor is not None:
            self._anchor(frame.anchor, start, None)

    def _close(self, event: _Event) -> None:
        frame = self._frames.pop()
        if frame.in_flow:
            self._end = event.end_mark.index
        try:
            value = close(frame)
        except TagError:
            value = Unbuilt(shorten(self._block[frame.start : self._end]))
            self._fault(faults.unknown_tag(frame.tag), frame.start)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = Collected(value, self._nodes - frame.nodes_before, frame.levels)
        if not self._frames:
            self._marks.in_flow = frame.in_flow
            self._root = value
            return
        parent = self._frames[-1]
        parent.levels = max(parent.levels, frame.levels + 1)
        if self._is_key():
            self._key(parent, value, frame.start, self._end)
        else:
            self._add(value, frame.start, self._end, "[" if frame.in_flow else "-", frame)

    def _finish(self, event: _Event) -> None:
        self._marks.end = event.start_mark.index if event.explicit else len(self._block)

    def _key(self, frame: Frame, key: Any, start: int, end: int) -> None:
        frame.key, frame.key_span = key, (start, end)
        is_top = len(self._frames) == 1
        if is_top:
            self._field = key if type(key) is str else shorten(self._block[start:end])
        if key is _MERGE_KEY:
            return
        try:
            first = frame.seen.setdefault(key, start)
        except TypeError:
            frame.key = _NO_VALUE
            self._fault(faults.unhashable_key(self._block, start), start)
            return
        is_odd = is_top and type(key) is not str
        if is_odd:
            frame.key = _NO_VALUE
        if first != start:
            self._fault(faults.duplicate(self._block, key, first, start), start)
        elif is_odd:
            self._fault(faults.odd_key(describe(key)), start)

    def _add(self, value: Any, start: int, end: int, style: str, child: Frame | None = None) -> None:
        if not self._frames:
            self._root = value
            return
        frame = self._frames[-1]
        if not frame.is_mapping:
            frame.items.append(value)
            frame.spans.append((start, end))
            return
        key, frame.key = frame.key, NO_KEY
        if key is _MERGE_KEY:
            if not merge(frame, value):
                self._fault(faults.bad_merge(value), start)
        elif key is not _NO_VALUE:
            frame.pairs[key] = value
            if len(self._frames) == 1:
                spans = tuple(child.spans) if child is not None else ()
                if start == end and ":" not in self._block[frame.key_span[1] : start]:
                    start = end = frame.key_span[1]  # where `? key` lacks a value the parser points ahead
                self._marks.entries[key] = Entry(*frame.key_span, start, end, style, spans)

    def _anchor(self, name: str, start: int, collected: Collected | None) -> None:
        if name in self._anchors:
            raise _StopError(faults.anchor_twice(self._block, name, start))
        self._anchors[name] = collected
        self._marks.anchors.append((name, start))

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MOST_NODES:
            raise self._too_complex(f"more than {MOST_NODES} values")

    def _deepen(self, levels: int) -> None:
        if self._frames:
            self._frames[-1].levels = max(self._frames[-1].levels, levels + 1)
        if len(self._frames) + levels > MOST_LEVELS:
            raise self._too_complex(f"more than {MOST_LEVELS} levels")

    def _too_complex(self, found: str) -> _StopError:
        return _StopError(faults.too_complex(faults.line_at(self._block, self._end), found))

    def _fault(self, fault: Fault, offset: int) -> None:
        line = faults.line_at(self._block, offset)
        self._faults.append(fault._replace(field=self._field, line=line))
