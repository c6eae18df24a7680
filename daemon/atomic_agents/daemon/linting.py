"""The daily lint: a child process looks at the whole vault, and a line and the status tell what it found."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from typing import Any, Final

from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.status import LINTED
from atomic_agents.log import Event
from atomic_agents.model import iso
from atomic_agents.pipeline.program import Program

LINTED_AT: Final = "linted_at"
"""Fact: wall time of the last look, seconds since the epoch."""

EVERY_SECONDS: Final = 86_400.0
DELAY_SECONDS: Final = 60.0
"""After a start, so long other things come first."""

_RETRY_SECONDS: Final = 3600.0
_TIMEOUT_SECONDS: Final = 1800.0
_ANSWER: Final = "lint.json"
_COMMAND: Final = (sys.executable, "-P", "-m", "atomic_agents.lint")


class DailyLint:
    """Starts the child when nothing else is to be done, and reads its answer.

    Args:
        desk: what the worker's parts share.

    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._not_before = desk.bench.clock.monotonic() + DELAY_SECONDS
        self._child: Program | None = None

    def tend(self) -> None:
        """Look after the child, or start it if it is time to; never waits, and never stops the worker."""
        now = self._desk.bench.clock.monotonic()
        try:
            self._tend(now)
        except sqlite3.OperationalError as error:
            self._not_before = now + _RETRY_SECONDS
            self._desk.bench.log.warning(Event.LINT_FAILED, reason=f"state store: {error}")

    def close(self) -> None:
        """End a child that still runs; it only reads."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _tend(self, now: float) -> None:
        if self._child is None:
            if now >= self._not_before and self._is_due():
                self._start(now)
            return
        reason = self._child.poll(now)
        if reason is not None:
            self._child = None
            self._finish(reason)

    def _is_due(self) -> bool:
        desk = self._desk
        if desk.condition.state != "running" or desk.is_blocked() or desk.queue():
            return False
        last = desk.bench.store.facts.get(LINTED_AT)
        return last is None or not 0 <= desk.bench.clock.wall() - last < EVERY_SECONDS

    def _start(self, now: float) -> None:
        self._note_time()
        try:
            self._child = Program(_COMMAND, self._asked(), now=now, timeout=_TIMEOUT_SECONDS)
        except OSError as error:
            self._finish(f"cannot be started: {error.strerror}")

    def _asked(self) -> dict[str, Any]:
        bench = self._desk.bench
        limits = bench.limits()
        return {
            "root": os.fspath(bench.root),
            "ignore": list(bench.config.vault.ignore),
            "max_note_bytes": limits.max_note_bytes,
            "stale_days": limits.stale_days,
            "disabled": sorted(limits.disabled),
            "max_index_lines": limits.max_index_lines,
            "answer": os.fspath(self._desk.folder / _ANSWER),
        }

    def _finish(self, reason: str) -> None:
        bench = self._desk.bench
        try:
            answer = None if reason else self._take_answer()
        except (OSError, ValueError) as error:
            answer, reason = None, f"no answer: {error}"
        if answer is None:
            bench.log.warning(Event.LINT_FAILED, reason=reason)
            return
        with bench.store.transaction():
            bench.store.facts.put(LINTED, {"at": iso(bench.clock.wall()), **answer})
        self._desk.heartbeat.beat(force=True)
        bench.log.info(Event.LINT_FINISHED, **answer)

    def _take_answer(self) -> dict[str, Any]:
        file = self._desk.folder / _ANSWER
        answer: dict[str, Any] = json.loads(file.read_text("utf-8"))
        file.unlink()
        return answer

    def _note_time(self) -> None:
        """Remember the time before the look, so that one that fails is not tried every second."""
        bench = self._desk.bench
        with bench.store.transaction():
            bench.store.facts.put(LINTED_AT, bench.clock.wall())
