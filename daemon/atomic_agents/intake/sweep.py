"""What a walk of the vault shows against what is remembered of it (contract [D-2], [PATH-2])."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from atomic_agents._io import TEMPORARY
from atomic_agents.model import Kind, Place, Stamp
from atomic_agents.vault.walk import Found, Survey

SAME_TICK_SECONDS: Final = 2.0
"""A file that changed this close to its last reading may have changed after it, in one tick of its clock."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a sweep has to look at.

    Args:
        changed: units and indexes that are new, look otherwise than when they were read, or may have
            changed unseen; in the walk's order.
        vanished: known paths that are gone. Whether so many at once are believed is decided later.
        unknown: known paths that could not be seen this time: nothing is concluded from that.
        away: known paths that only a cloud placeholder stands for: present, left alone.
        leftovers: temporary files of atomicd itself that a kill left behind.

    """

    changed: tuple[Found, ...] = ()
    vanished: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()


def compare(found: Iterable[Found], known: Mapping[str, tuple[Stamp, float]], survey: Survey) -> Difference:
    """Return what differs.

    Args:
        found: the walk; it is used up before `survey` is looked at.
        known: by path, how it looked when it was read and when that was (wall time, seconds).
        survey: what the same walk filled.

    """
    changed: list[Found] = []
    leftovers: list[str] = []
    present: set[str] = set()
    for item in found:
        path = item.place.path
        if not matters(item.place):
            if TEMPORARY.match(path.rpartition("/")[2]):
                leftovers.append(path)
            continue
        present.add(path)
        if path not in known or has_changed(item.stamp, *known[path]):
            changed.append(item)
    missing = [path for path in known if path not in present]
    away = [path for path in missing if path in survey.away]
    unknown = [path for path in missing if path not in survey.away and not survey.knows(path)]
    vanished = [path for path in missing if path not in survey.away and survey.knows(path)]
    return Difference(tuple(changed), tuple(vanished), tuple(unknown), tuple(away), tuple(leftovers))


def matters(place: Place) -> bool:
    """Whether a path is one that the daemon follows: a unit or an INDEX."""
    return place.kind.is_unit or place.kind is Kind.INDEX


def has_changed(now: Stamp, then: Stamp, read_at: float) -> bool:
    """Whether a file has to be read again.

    Args:
        now: how it looks.
        then: how it looked when it was read.
        read_at: when that was, wall time in seconds.

    """
    return now != then or any(
        abs(moment / 1e9 - read_at) <= SAME_TICK_SECONDS for moment in (now.mtime_ns, now.ctime_ns)
    )


def is_hot(stamp: Stamp, wall: float, quiet: float) -> bool:
    """Whether a file was written so shortly ago that it may be half written: let it settle first.

    Args:
        stamp: how it looks.
        wall: the time, seconds since the epoch.
        quiet: seconds without a write after which a path has settled.

    """
    return 0 <= wall - max(stamp.mtime_ns, stamp.ctime_ns) / 1e9 < quiet
