"""Putting the daemon together, and taking it apart in the right order (contract section 6)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from structlog.typing import FilteringBoundLogger

from atomic_agents import __version__
from atomic_agents import config as configuration
from atomic_agents._schema import SchemaSet
from atomic_agents.clock import SystemClock
from atomic_agents.config import Config
from atomic_agents.daemon.desk import Desk
from atomic_agents.daemon.heartbeat import Condition, Heartbeat
from atomic_agents.daemon.instance import Instance
from atomic_agents.daemon.listener import Listener
from atomic_agents.daemon.orders import Orders
from atomic_agents.daemon.requests import CANARY, Requests
from atomic_agents.daemon.serving import make_settle
from atomic_agents.daemon.starting import recover_quarantine
from atomic_agents.daemon.waiting import wait_for_vault
from atomic_agents.daemon.worker import Worker
from atomic_agents.intake.observer import Watcher, open_watcher
from atomic_agents.intake.poll import PollWatcher
from atomic_agents.log import FILE_NAME, Event, Form, LibraryHandler, LogFile, Threshold, make_logger
from atomic_agents.model import printable
from atomic_agents.pipeline import Bench, Pipeline
from atomic_agents.quarantine import Incidents
from atomic_agents.store import open_store, state_folder
from atomic_agents.vault.refusal import check_readable
from atomic_agents.vault.walk import find_root, read_layout


@dataclass(frozen=True)
class Surroundings:
    """What the process around the daemon decides.

    Args:
        load: reads the configuration, now and at SIGHUP.
        form: how log lines look on standard output.
        quiet: nothing on standard output.
        wait: wait for a vault that is not there instead of ending.
        listener: told of each heartbeat, e.g. the service manager.

    """

    load: Callable[[], Config]
    form: Form = "json"
    quiet: bool = False
    wait: bool = False
    listener: Listener | None = None


def run(around: Surroundings) -> int:
    """Watch the vault until a signal ends it, and return the exit code.

    Args:
        around: what the process decides.

    Raises:
        AtomicAgentsError: it could not start; the class carries the exit code.

    """
    orders = Orders(around.load)
    orders.obey_signals()
    try:
        if not around.wait or _await(around, orders):
            with _desk(around, watch=True) as desk:
                orders.obey_signals(desk.watcher.wake)
                Worker(desk, orders).run()
    finally:
        orders.ignore_signals()
    return 0


def _await(around: Surroundings, orders: Orders) -> bool:
    """Return True when the vault is there, False if a signal came first."""
    config = around.load()
    root = Path(os.path.realpath(config.root))
    if root.exists():
        return True
    with _log(config, root, around) as (log, _):
        return wait_for_vault(root, log, orders, around.listener)


def sync_once(around: Surroundings, *, wait: bool, rebuild: bool = False) -> dict[str, Any]:
    """Work off all that is pending, without watching, and return what was done.

    Args:
        around: what the process decides.
        wait: also for grace times and second looks.
        rebuild: then write every INDEX anew where it differs.

    Raises:
        AtomicAgentsError: it could not start; the class carries the exit code.

    """
    with _desk(around, watch=False) as desk:
        orders = Orders(around.load)
        orders.obey_signals(desk.watcher.wake)
        try:
            return Worker(desk, orders).run_until_idle(wait=wait, rebuild=rebuild)
        finally:
            orders.ignore_signals()


@contextmanager
def _desk(around: Surroundings, *, watch: bool) -> Iterator[Desk]:
    """Open everything, in the order in which it can be refused, and close it the other way round."""
    config = around.load()
    root = find_root(config.root)
    check_readable(root)
    folder = state_folder(root)
    clock = SystemClock()
    with ExitStack() as stack:
        instance = Instance(folder)
        instance.acquire(version=__version__, now=clock.wall())
        stack.callback(instance.release)
        log, retune = stack.enter_context(_log(config, root, around))
        store = open_store(folder, now=clock.wall())
        stack.callback(store.close)
        if store.set_aside is not None:
            log.warning(Event.STORE_SET_ASIDE, reason=f"broken or newer; kept as {store.set_aside}")
        layout = read_layout(root, config.vault.ignore)
        bench = Bench(root, layout, config, store, Incidents(root), SchemaSet.packaged(), log, clock)
        watcher: Watcher = _watcher(config, root, folder) if watch else PollWatcher(root, reason="one-shot")
        stack.callback(watcher.stop)
        desk = _lay_out(folder, bench, watcher, around, retune)
        stack.callback(desk.pipeline.close)
        log.info(
            Event.DAEMON_STARTED,
            root=printable(str(root)),
            version=__version__,
            state_folder=str(folder),
            log=str(configuration.log_root() / FILE_NAME),
        )
        with _last_words(desk):
            recover_quarantine(bench)
            desk.requests.prepare()
            desk.heartbeat.beat(force=True)
            yield desk


def _watcher(config: Config, root: Path, folder: Path) -> Watcher:
    mode = config.watch.mode
    assert mode in {"auto", "native", "poll"}
    return open_watcher(root, folder / CANARY, mode=mode)  # type: ignore[arg-type]


def _lay_out(
    folder: Path, bench: Bench, watcher: Watcher, around: Surroundings, retune: Callable[[Config], None]
) -> Desk:
    pipeline, condition = Pipeline(bench), Condition()
    return Desk(
        folder=folder,
        bench=bench,
        pipeline=pipeline,
        watcher=watcher,
        settle=make_settle(bench.config),
        requests=Requests(folder),
        condition=condition,
        heartbeat=Heartbeat(folder, bench, pipeline, condition, around.listener),
        retune=retune,
    )


@contextmanager
def _last_words(desk: Desk) -> Iterator[None]:
    """Leave a status that says how it ended."""
    try:
        yield
    except BaseException as error:
        desk.condition.state = "crashed"
        desk.condition.last_error = f"{type(error).__name__}: {error}"
        desk.bench.log.exception(Event.DAEMON_FAILED, reason=desk.condition.last_error)
        raise
    else:
        desk.condition.state = "stopped"
        desk.bench.log.info(Event.DAEMON_STOPPED)
    finally:
        desk.heartbeat.beat(force=True)


@contextmanager
def _log(
    config: Config, root: Path, around: Surroundings
) -> Iterator[tuple[FilteringBoundLogger, Callable[[Config], None]]]:
    """Open the log; with it comes what lets it follow another configuration."""
    threshold = Threshold(config.log.level)
    file = LogFile(configuration.log_root() / FILE_NAME, max_bytes=config.log.max_bytes, keep=config.log.keep)
    log = make_logger(
        level=threshold,
        vault=printable(root.name),
        file=file,
        stream=None if around.quiet else sys.stdout,
        form=around.form,
    )

    def retune(new: Config) -> None:
        threshold.level = new.log.level
        file.limit(max_bytes=new.log.max_bytes, keep=new.log.keep)

    handler = LibraryHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        yield log, retune
    finally:
        logging.getLogger().removeHandler(handler)
        file.close()
