"""Counts on a terminal for what takes long."""

from __future__ import annotations

import pytest

from atomic_agents.cli import progress


def count(number, **more):
    with progress.counting(number, **more) as tick:
        for _ in range(number):
            tick("judged")


@pytest.fixture
def _hasty(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


@pytest.mark.usefixtures("_hasty")
def test_a_long_count_is_shown_with_its_total_on_standard_error(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    count(200, is_shown=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert "judged" in told.err
    assert "/200" in told.err


def test_a_short_count_is_not_shown(capsys):
    count(200, is_shown=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("_hasty")
def test_without_a_terminal_nothing_is_shown(capsys):
    count(200)
    assert capsys.readouterr() == ("", "")


def fail_after(number):
    with progress.counting(number, is_shown=True) as tick:
        for _ in range(number):
            tick("judged")
        raise ZeroDivisionError


@pytest.mark.usefixtures("_hasty")
def test_a_bar_ends_when_the_work_fails(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with pytest.raises(ZeroDivisionError):
        fail_after(40)
    assert "judged" in capsys.readouterr().err


@pytest.mark.usefixtures("_hasty")
def test_a_count_without_a_known_end_is_shown_too(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.counting(None, is_shown=True) as tick:
        for _ in range(40):
            tick("read")
    assert "/?" in capsys.readouterr().err
