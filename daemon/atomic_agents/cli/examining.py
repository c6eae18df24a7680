"""What `doctor` looks at around one vault: folders, state, locks, service, last errors."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from atomic_agents import config
from atomic_agents.daemon.report import Report
from atomic_agents.daemon.status import CHECK_CODES, FILE
from atomic_agents.exceptions import AtomicAgentsError, TemporaryError
from atomic_agents.lifecycle.check import Check, Grade
from atomic_agents.lifecycle.machine_checks import check_clock, check_disk, check_folder
from atomic_agents.lifecycle.manager import NoManagerError
from atomic_agents.lifecycle.plan import Scope
from atomic_agents.lifecycle.vault_checks import check_mount, check_vault, check_watches
from atomic_agents.log import FILE_NAME
from atomic_agents.model import printable
from atomic_agents.store import open_store, state_folder
from atomic_agents.store.database import FILE_NAME as STORE

_ERRORS: Final = 3
_TAIL: Final = 2000


def folders(vault: Path) -> Iterator[Check]:
    """Look at the vault and at atomicd's own folders.

    Args:
        vault: its real path.

    """
    yield check_vault(vault)
    if vault.is_dir():
        yield check_mount(vault)
        yield check_watches(vault)
    yield check_folder("state folder", config.state_root())
    yield check_folder("log folder", config.log_root())
    yield check_disk("vault", vault)
    yield check_disk("state", config.state_root())
    yield check_clock(time.time(), _written(state_folder(vault) / FILE))


def state(vault: Path) -> Iterator[Check]:
    """Look at the daemon, the locks, the store and the log of a vault.

    Args:
        vault: its real path.

    """
    from atomic_agents.cli.status import look

    try:
        report = look(vault)
    except AtomicAgentsError as error:
        yield Check("daemon", "fail", str(error), error.hint)
        return
    yield check_daemon(report)
    yield check_locks(report)
    yield check_store(state_folder(vault))
    yield check_errors(config.log_root() / FILE_NAME, printable(vault.name))


def check_daemon(report: Report) -> Check:
    """Look at what the daemon says of itself."""
    told = report.status
    said = "; ".join((told.state, *told.reasons))
    code = CHECK_CODES[told.state]
    if code == 0:
        return Check("daemon", "pass", f"{said}, process {told.pid}, version {told.version}")
    if told.state == "not-installed":
        return Check("daemon", "warn", said, "atomicd service install")
    return Check("daemon", "warn" if code == 1 else "fail", said, "atomicd service restart")


def check_locks(report: Report) -> Check:
    """Look at who holds what."""
    own, lock = report.instance_pid, report.vault_lock_pid
    said = f"daemon: {_process(own, 'nobody')}; vault lock: {_process(lock, 'free')}"
    if lock is not None and lock != own:
        return Check("locks", "warn", f"{said} (a migration?)", f"ps -fp {lock}")
    return Check("locks", "pass", said)


def check_store(folder: Path) -> Check:
    """Look whether the state store is whole.

    Args:
        folder: the vault's state folder.

    """
    path = folder / STORE
    if not path.exists():
        return Check("state store", "pass", "not made yet")
    mend = f"mv {path} {path}.aside    # it is rebuilt from the vault; old versions stay in it"
    try:
        store = open_store(folder, now=time.time(), read_only=True)
    except (TemporaryError, sqlite3.Error) as error:
        return Check("state store", "fail", f"{path}: {error}", mend)
    try:
        complaint = store.check()
    except sqlite3.Error as error:
        complaint = str(error)
    finally:
        store.close()
    if complaint:
        return Check("state store", "fail", f"{path}: {complaint}", mend)
    return Check("state store", "pass", f"{path}, {path.stat().st_size >> 10} KiB, whole")


def check_errors(log: Path, vault: str) -> Check:
    """Look for the last errors in the log.

    Args:
        log: the log file.
        vault: its name in the log.

    """
    try:
        with log.open(encoding="utf-8", errors="backslashreplace") as lines:
            records = [_parse(line) for line in deque(lines, maxlen=_TAIL)]
    except FileNotFoundError:
        return Check("last errors", "pass", "no log yet")
    except OSError as error:
        return Check("last errors", "warn", f"{log}: {error.strerror}", "")
    errors = [one for one in records if one.get("level") == "error" and one.get("vault") == vault]
    if not errors:
        return Check("last errors", "pass", f"none in the last {len(records)} lines of {log}")
    shown = "; ".join(
        f"{one.get('ts')} {one.get('event')} {one.get('reason', '')}" for one in errors[-_ERRORS:]
    )
    return Check("last errors", "warn", printable(shown), "atomicd logs --level error")


def service(vault: Path, name: str, scope: Scope, *, has_notify: bool) -> Iterator[Check]:
    """Look at the service of a vault.

    Args:
        vault: its real path.
        name: the service's, if one was named.
        scope: the user's or the system's.
        has_notify: whether `[notify] command` is set.

    """
    from atomic_agents.cli.inspecting import inspect
    from atomic_agents.cli.located import manager
    from atomic_agents.lifecycle.finding import service_of

    try:
        own = service_of(manager(scope), vault)
        if own is None and not name:
            yield Check("service", "warn", "none is installed for this vault", "atomicd service install")
            return
        found = inspect(own.name if own is not None else name, scope)
    except NoManagerError as error:
        yield Check("service", "warn", str(error), error.hint)
        return
    yield from _drifts(found)
    for hint in found["hints"]:
        yield Check("service", "warn", hint, "")
    if has_notify and found["kind"].startswith("systemd"):
        yield Check(
            "notify command",
            "pass",
            "runs inside of the service: without network, and read-only but for vault, state and log",
            "systemctl edit, see docs/service-linux.md",
        )


def _drifts(found: dict[str, Any]) -> Iterator[Check]:
    for drift in found["drift"]:
        grade: Grade = (
            "fail" if drift["code"] in {"interpreter-missing", "not-running", "unit-missing"} else "warn"
        )
        said = f"{drift['code']}: found {drift['found']}, expected {drift['expected']}"
        yield Check("service", grade, said, drift["fix"])
    if not found["drift"]:
        yield Check("service", "pass", f"{found['file']}: {found['said']}")


def _parse(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _process(pid: int | None, nobody: str) -> str:
    return f"process {pid}" if pid else nobody
