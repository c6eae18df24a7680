"""Installing, changing and removing a service: whole or not at all (contract section 11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from atomic_agents.exceptions import AtomicAgentsError
from atomic_agents.lifecycle.manager import DidNotComeUpError, Loaded, Manager
from atomic_agents.lifecycle.plan import Plan, check_name, check_paths
from atomic_agents.lifecycle.rim import Rim

_LOOK_SECONDS: Final = 0.25
_UP_SECONDS: Final = 60.0
"""A first sweep that takes longer is still one that comes up."""

Progress = Literal["up", "coming", "down", "silent"]
"""Ready; on its way; ended; no sign of it yet."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the daemon's own status says of a start."""

    progress: Progress
    words: str = ""


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did.

    Args:
        file: the unit or property list.
        change: `new`, `updated`, `restarted`, or `none` if all was as wanted.
        is_ready: False while the first sweep still runs.

    """

    file: Path
    change: Literal["new", "updated", "restarted", "none"]
    is_ready: bool = True


def read_unit(path: Path) -> bytes | None:
    """Return the bytes of a unit or property list, or None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def keep_path(path: Path) -> Path:
    """Return where the former unit of a service is kept; service managers do not read such names."""
    return path.with_name(f"{path.name}.former")


def install(
    rim: Rim,
    manager: Manager,
    plan: Plan,
    *,
    see: Callable[[], Seen],
    is_current: bool,
) -> Installed:
    """Write a service's unit and start it; if it does not come up, everything is as it was before.

    Args:
        rim: files and time.
        manager: the service manager.
        plan: the service.
        see: reads the daemon's status.
        is_current: whether the daemon that runs is of this version.

    Raises:
        DidNotComeUpError: it did not; the former unit is back, and runs if it ran.
        CannotWriteError: the system refuses.
        NoManagerError: there is no service manager.

    """
    check_name(plan.name)
    check_paths(plan)
    file = manager.file(plan.name)
    former, wanted, before = read_unit(file), manager.render(plan), manager.look(plan.name)
    if former == wanted and before.is_active and is_current:
        manager.adopt(plan.name)
        return Installed(file, "none", is_ready=see().progress == "up")
    if former not in {None, wanted}:
        assert former is not None
        rim.write(keep_path(file), former)
    for folder in (plan.state_dir, plan.log_dir) if plan.scope == "user" else ():
        rim.make_folder(Path(folder))
    rim.write(file, wanted)
    try:
        manager.adopt(plan.name)
        manager.restart(plan.name)
        is_ready = wait_until_up(rim, see)
    except DidNotComeUpError as error:
        words = _words(manager, plan.name, see)
        _put_back(rim, manager, plan.name, former, before)
        raise _failed(error, words, former is not None) from error
    change: Literal["new", "updated", "restarted"] = "updated"
    if former is None:
        change = "new"
    elif former == wanted:
        change = "restarted"
    return Installed(file, change, is_ready)


def uninstall(rim: Rim, manager: Manager, name: str) -> bool:
    """Stop a service and remove its unit; state and log stay.

    Args:
        rim: files.
        manager: the service manager.
        name: the service's.

    Returns:
        Whether there was anything to remove.

    """
    file = manager.file(name)
    was_there = file.exists() or manager.look(name).is_loaded
    if not was_there:
        return False
    manager.forget(name)
    rim.remove(file)
    rim.remove(keep_path(file))
    manager.forgotten(name)
    return True


def wait_until_up(rim: Rim, see: Callable[[], Seen], limit: float = _UP_SECONDS) -> bool:
    """Wait until the daemon says that it is up; False if its first sweep takes longer than that.

    Args:
        rim: the time.
        see: reads the daemon's status.
        limit: seconds to wait.

    Raises:
        DidNotComeUpError: it ended, or gave no sign.

    """
    until = rim.monotonic() + limit
    seen = see()
    while seen.progress in {"coming", "silent"} and rim.monotonic() < until:
        rim.pause(_LOOK_SECONDS)
        seen = see()
    if seen.progress == "silent":
        raise DidNotComeUpError(f"no sign of the daemon within {limit:.0f} s")
    if seen.progress == "down":
        raise DidNotComeUpError("the daemon ended")
    return seen.progress == "up"


def _put_back(rim: Rim, manager: Manager, name: str, former: bytes | None, before: Loaded) -> None:
    file = manager.file(name)
    if former is None:
        manager.forget(name)
        rim.remove(file)
        manager.forgotten(name)
        return
    rim.write(file, former)
    try:
        manager.adopt(name)
        if before.is_active:
            manager.restart(name)
        else:
            manager.stop(name)
    except AtomicAgentsError as error:
        raise DidNotComeUpError(
            f"neither the new nor the former service comes up: {error}", hint="see `atomicd service status`"
        ) from error


def _words(manager: Manager, name: str, see: Callable[[], Seen]) -> str:
    words = see().words or manager.words(name)
    return f": {words}" if words else ""


def _failed(error: DidNotComeUpError, words: str, had_former: bool) -> DidNotComeUpError:
    undone = "the former service is back" if had_former else "nothing was left installed"
    return DidNotComeUpError(
        f"the service did not come up{words} ({error})",
        hint=f"{undone}; `atomicd run` in a terminal shows more, `atomicd doctor` looks for causes",
    )
