"""Which former versions are kept (contract [Q-5]): pure, time is passed in."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.store.retention import DAY_SECONDS, Ages, superfluous

NOW = dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC).timestamp()
AGES = Ages()


def ago(**span):
    return NOW - dt.timedelta(**span).total_seconds()


def kept(moments, now=NOW, **options):
    gone = set(superfluous(moments, now, AGES, **options))
    return [moment for position, moment in enumerate(moments) if position not in gone]


def test_everything_of_the_last_day_is_kept():
    moments = [ago(minutes=minutes) for minutes in range(24 * 60, 0, -1)]
    assert kept(moments) == moments


def test_of_the_last_thirty_days_the_last_version_of_each_day_is_kept():
    moments = [ago(hours=hours) for hours in range(29 * 24, 25, -1)]
    days = [dt.datetime.fromtimestamp(moment, dt.UTC).date() for moment in kept(moments)]
    assert len(days) == len(set(days))
    assert len(days) == 29
    hours = [dt.datetime.fromtimestamp(moment, dt.UTC).hour for moment in kept(moments)[:-1]]
    assert set(hours) == {23}


def test_of_older_ones_the_last_version_of_each_month_is_kept():
    moments = [ago(days=days) for days in range(800, 31, -1)]
    left = [dt.datetime.fromtimestamp(moment, dt.UTC) for moment in kept(moments)]
    months = [(moment.year, moment.month) for moment in left]
    assert len(months) == len(set(months)) == 26
    assert all((moment + dt.timedelta(days=1)).month != moment.month for moment in left[:-1])


def test_the_newest_version_and_those_to_keep_stay_however_old():
    assert superfluous([ago(days=900)], NOW, AGES) == []
    moments = [ago(days=900, hours=hour) for hour in (3, 2, 1, 0)]
    assert superfluous(moments, NOW, AGES) == [0, 1, 2]
    assert superfluous(moments, NOW, AGES, keep=[1]) == [0, 2]
    assert superfluous([], NOW, AGES) == []


def test_a_version_of_a_time_that_has_not_come_is_kept():
    moments = [NOW + 1e6, NOW + 1e6, ago(days=900)]
    assert superfluous(moments, NOW, AGES) == []


def test_the_steps_can_be_set():
    moments = [ago(hours=hours) for hours in range(100, 0, -1)]
    assert superfluous(moments, NOW, Ages(all_days=5)) == []
    assert superfluous(moments, NOW, Ages(all_days=0, daily_days=0)) == list(range(99))


@given(st.lists(st.floats(0, 800 * DAY_SECONDS), max_size=60), st.floats(0, 400 * DAY_SECONDS))
def test_thinning_twice_is_thinning_once_and_in_steps_leaves_as_much_as_at_once(spans, later):
    moments = sorted(NOW - span for span in spans)
    once = kept(moments)
    assert kept(once) == once
    assert kept(once, now=NOW + later) == kept(moments, now=NOW + later)
