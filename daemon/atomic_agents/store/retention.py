"""Which former versions are kept (contract [Q-5]): pure, time is passed in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

DAY_SECONDS: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Ages:
    """The steps of the staggered retention, in days before now.

    Args:
        all_days: so long every version is kept.
        daily_days: so long the last version of each day (UTC) is kept; of older ones, that of each month.

    """

    all_days: float = 1.0
    daily_days: float = 30.0


def superfluous(recorded: Sequence[float], now: float, ages: Ages, keep: Iterable[int] = ()) -> list[int]:
    """Return which versions of one path may go, as positions.

    Args:
        recorded: wall times (seconds since the epoch) of its versions, in their order.
        now: wall time, seconds since the epoch; a version of a later time is as new as can be.
        ages: the steps.
        keep: positions that stay whatever their age; the last one always does.

    """
    kept = {len(recorded) - 1, *keep}
    newest: dict[str, int] = {}
    for position, moment in enumerate(recorded):
        slot = _slot(moment, now, ages)
        if slot is None:
            kept.add(position)
        elif slot not in newest or recorded[newest[slot]] <= moment:
            newest[slot] = position
    kept |= set(newest.values())
    return [position for position in range(len(recorded)) if position not in kept]


def _slot(moment: float, now: float, ages: Ages) -> str | None:
    """Return the day or month of which one version is kept; None for a version that is kept anyway."""
    age = (now - moment) / DAY_SECONDS
    if age <= ages.all_days:
        return None
    day = dt.datetime.fromtimestamp(moment, dt.UTC).date().isoformat()
    return day if age <= ages.daily_days else day[:7]
