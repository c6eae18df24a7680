"""What is to be said of an INDEX file as a file; its entries are the index's own matter."""

from __future__ import annotations

from collections.abc import Iterator

from atomic_agents.model import Place, Problem
from atomic_agents.units.codes import Fault
from atomic_agents.units.decoding import decode
from atomic_agents.units.frontmatter import Reading
from atomic_agents.units.limits import Limits
from atomic_agents.units.texts import find_conflict, judge_text


def judge_index(place: Place, data: bytes, limits: Limits) -> tuple[Problem, ...]:
    """Return what is wrong with an INDEX file: its bytes, conflict markers, its length.

    Args:
        place: where it lies.
        data: its content.
        limits: what the operator set.

    """
    kept = (fault for fault in _judge(data, limits) if fault.is_error or fault.code not in limits.disabled)
    return tuple(fault.at(place.path) for fault in kept)


def _judge(data: bytes, limits: Limits) -> Iterator[Fault]:
    text, _, faults = decode(data)
    yield from (fault for fault in faults if fault.is_error)
    reading = Reading(data, text or "")
    yield from judge_text(reading, find_conflict(reading))
    lines = len(reading.text.removesuffix("\n").split("\n"))
    if lines > limits.max_index_lines:
        fix = "Let `atomicd sync` split it, or move prose elsewhere."
        yield Fault("index-long", f"{lines} lines", f"at most {limits.max_index_lines}", fix)
