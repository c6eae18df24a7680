"""The verdict on one unit's bytes: every problem at once (contract [READ-1], [RULE-E], [RULE-W])."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from atomic_agents._schema import SchemaSet
from atomic_agents.model import Place, Problem, Verdict
from atomic_agents.units.codes import Fault
from atomic_agents.units.fields import judge_cuts, judge_fields, judge_version, line_of
from atomic_agents.units.filenames import judge_name
from atomic_agents.units.frontmatter import Reading, read
from atomic_agents.units.limits import Limits
from atomic_agents.units.meaning import judge_meaning
from atomic_agents.units.neighbourhood import judge_neighbourhood
from atomic_agents.units.neighbours import Neighbours
from atomic_agents.units.texts import find_conflict, judge_text
from atomic_agents.units.tokens import find_secrets, judge_secrets, mask
from atomic_agents.units.unit import make_unit

LEFT_IN_PLACE = "schema-version-unsupported"
"""The one error for which a file is never moved: a newer writer made it."""

_CONSEQUENCES = frozenset({"yaml-syntax", "yaml-duplicate-key", "frontmatter-not-mapping"})
"""What conflict markers in the frontmatter cause; settling the conflict mends it."""

_MOST_OF_A_CODE = 50

_SHRUNK = 5
"""A body of less than one part in so many of the former has lost over 80 %."""


def judge(
    place: Place,
    data: bytes,
    *,
    schemas: SchemaSet,
    today: dt.date,
    limits: Limits,
    neighbours: Neighbours | None = None,
    former_body_bytes: int | None = None,
) -> Verdict:
    """Return what is to be said of a unit's bytes, whatever they are.

    Args:
        place: where the unit lies; a note or a wiki page.
        data: the file's content.
        schemas: the versions in force for the vault.
        today: the local date.
        limits: what the operator set.
        neighbours: what is known of the files around; None leaves out the rules that need it.
        former_body_bytes: how long the body was before this write; None if that is not known.

    """
    sha256 = hashlib.sha256(data).hexdigest()
    if len(data) > limits.max_note_bytes:
        return too_large(place, len(data), sha256, limits)
    reading = read(data)
    faults = [
        *_judge_reading(reading, place, schemas, today, limits),
        *judge_name(place, reading.values or {}, schemas, neighbours),
        *_judge_shrinking(reading, former_body_bytes),
    ]
    unit = None if any(fault.is_error for fault in faults) else make_unit(place, reading, schemas)
    if unit is not None and neighbours is not None:
        faults += judge_neighbourhood(place, unit, neighbours, limits)
    left = any(fault.code == LEFT_IN_PLACE for fault in faults)
    return Verdict(place, sha256, _problems(place, reading, faults, limits), unit, left)


def too_large(place: Place, size: int, sha256: str, limits: Limits) -> Verdict:
    """Return the verdict on a file that is not read because of its size.

    Args:
        place: where the unit lies.
        size: its bytes.
        sha256: its hash.
        limits: what the operator set.

    """
    fix = "Move the bulk to raw/ or journal/ and keep the gist, or raise `quarantine.max_note_bytes`."
    fault = Fault("too-large", f"{size} bytes", f"at most {limits.max_note_bytes}", fix)
    return Verdict(place, sha256, (fault.at(place.path),))


def _judge_reading(
    reading: Reading, place: Place, schemas: SchemaSet, today: dt.date, limits: Limits
) -> Iterator[Fault]:
    conflict = find_conflict(reading)
    in_block = conflict is not None and reading.fences is not None and conflict < reading.fences.end
    yield from (fault for fault in reading.faults if not in_block or fault.code not in _CONSEQUENCES)
    yield from judge_text(reading, conflict)
    if reading.values is None:
        return
    yield from judge_fields(reading, place.kind, schemas)
    yield from judge_version(reading, schemas)
    yield from judge_cuts(reading, place.kind, schemas)
    if not schemas.is_newer(reading.values):
        yield from judge_meaning(reading.values, place.kind, today, limits)


def _judge_shrinking(reading: Reading, former: int | None) -> Iterator[Fault]:
    if former is not None and reading.fences is not None and reading.body_bytes * _SHRUNK < former:
        fix = "Look at `atomicd history` whether that was meant."
        found = f"a body of {reading.body_bytes} bytes"
        yield Fault("shrunk", found, f"about {former} bytes, as before", fix)


def _problems(place: Place, reading: Reading, faults: Iterable[Fault], limits: Limits) -> tuple[Problem, ...]:
    secrets = find_secrets(reading.text, reading.data)
    located = (_locate(fault, reading) for fault in faults)
    told = [mask(fault, secrets) if secrets else fault for fault in located]
    told += judge_secrets(secrets)
    kept = [fault for fault in told if fault.is_error or fault.code not in limits.disabled]
    return tuple(fault.at(place.path) for fault in sorted(_capped(kept), key=_order))


def _capped(faults: list[Fault]) -> Iterator[Fault]:
    """Yield the faults, of one code no more than fit a report; the last says how many there were."""
    total = Counter(fault.code for fault in faults)
    told: Counter[str] = Counter()
    for fault in faults:
        told[fault.code] += 1
        if told[fault.code] == _MOST_OF_A_CODE < total[fault.code]:
            yield fault._replace(found=f"{total[fault.code] - _MOST_OF_A_CODE + 1} more of these")
        elif told[fault.code] <= _MOST_OF_A_CODE:
            yield fault


def _locate(fault: Fault, reading: Reading) -> Fault:
    if fault.line is not None or fault.field is None:
        return fault
    return fault._replace(line=line_of(reading, fault.field))


def _order(fault: Fault) -> tuple[bool, int]:
    return not fault.is_error, fault.line or 0
