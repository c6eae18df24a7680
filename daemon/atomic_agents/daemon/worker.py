"""The one worker: it owns the store, the pipeline and every write (contract [D-1] to [D-5])."""

from __future__ import annotations

from typing import Final

from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.hearing import Hearing
from atomic_agents.daemon.linting import DailyLint
from atomic_agents.daemon.migrations import Migrations
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.serving import Serving
from atomic_agents.daemon.sweeping import Sweeping
from atomic_agents.daemon.working import Working
from atomic_agents.log import Event
from atomic_agents.vault.lock import VaultLock

TICK_SECONDS: Final = 1.0
"""The worker looks around at least this often."""


class Worker:
    """Takes what the watcher tells, lets it settle, and works it off; everything runs in one thread.

    Args:
        desk: what its parts share.
        orders: what signals ask for.

    """

    def __init__(self, desk: Desk, orders: Orders) -> None:
        self._desk = desk
        self._orders = orders
        lock = VaultLock(desk.bench.root)
        migrations = Migrations(desk.bench, desk.condition, lock)
        self._sweeping = Sweeping(desk, migrations)
        self._hearing = Hearing(desk, self._sweeping)
        self._working = Working(desk, self._sweeping, lock, migrations)
        self._serving = Serving(desk, self._sweeping, self._working)
        self._linting = DailyLint(desk)

    def run(self) -> None:
        """Work until told to stop.

        Raises:
            TemporaryError: something that a restart may mend.

        """
        self._working.start()
        self._hearing.arm()
        try:
            while not self._orders.stopping:
                self.turn()
                self._linting.tend()
        finally:
            self._linting.close()
        self._desk.bench.log.info(Event.DAEMON_STOPPING, queue=self._desk.queue())

    def run_until_idle(self, *, wait: bool, rebuild: bool = False) -> dict[str, object]:
        """Work off all that is pending now, as `atomicd sync` does without a daemon.

        Args:
            wait: also for grace times and second looks.
            rebuild: then write every INDEX anew where it differs.

        Returns:
            What was done, in the shape of a `sync` answer.

        """
        self._working.start()
        self._hearing.arm()
        answer = self._turn_until_answered(wait=wait)
        if answer is not None and rebuild:
            self._desk.pipeline.indexing.rebuild()
            answer = self._turn_until_answered(wait=wait)
        self._desk.pipeline.finish_tending()
        return answer or {"error": "stopped before it was done"}

    def _turn_until_answered(self, *, wait: bool) -> dict[str, object] | None:
        self._serving.sync_now(wait=wait)
        answer = None
        while answer is None and not self._orders.stopping:
            self.turn()
            answer = self._serving.answer_now()
        return answer

    def turn(self) -> None:
        """Hear, let settle, sweep if it is time to, work, serve, and say that all is well."""
        self._hearing.listen(self._patience())
        self._obey()
        self._hearing.mind()
        self._hearing.collect()
        self._sweeping.sweep_if_due()
        self._working.work()
        self._sweeping.finish_if_done()
        self._desk.pipeline.tend()
        self._serving.serve()
        self._desk.beat()

    def _patience(self) -> float:
        """Return how long nothing has to be done, in seconds."""
        if self._desk.pending and not self._desk.is_blocked():
            return 0.0
        now = self._desk.bench.clock.monotonic()
        pipeline = self._desk.pipeline
        parts = (self._desk.settle.next_due, pipeline.next_due, pipeline.tend_due, self._sweeping.next_due)
        times = [next_due() for next_due in parts]
        due = [moment - now for moment in times if moment is not None]
        wait = max(min([TICK_SECONDS, *due]), 0.0)
        return max(wait, 0.05) if self._desk.is_blocked() else wait

    def _obey(self) -> None:
        if self._orders.take_reload():
            self._serving.reload(self._orders.load)
