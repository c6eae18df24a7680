"""From the command line to an installed service: what is checked before, and what is told after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atomic_agents import __version__
from atomic_agents.cli.inspecting import hints
from atomic_agents.cli.located import manager, read_plan, real_rim, use_folders
from atomic_agents.cli.options import Choices
from atomic_agents.cli.output import say, say_command
from atomic_agents.cli.planning import Wish, make_plan
from atomic_agents.daemon.instance import owner
from atomic_agents.daemon.status import FILE, Now, Status, read_status
from atomic_agents.exceptions import AlreadyRunningError, AtomicAgentsError
from atomic_agents.lifecycle.finding import service_of
from atomic_agents.lifecycle.install import Seen, install, uninstall
from atomic_agents.lifecycle.manager import Manager
from atomic_agents.lifecycle.plan import Plan, Scope, check_name
from atomic_agents.lifecycle.rim import DryRim, Rim
from atomic_agents.store import state_folder
from atomic_agents.vault.walk import find_root

_CANARY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Result:
    """What an installation did; `as_json` gives its stable shape."""

    name: str
    kind: str
    file: str
    change: str
    is_ready: bool
    canary: dict[str, Any] | None = None
    hints: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether the canary, if one was sent, came back."""
        return self.canary is None or bool(self.canary["ok"])

    def as_json(self) -> dict[str, Any]:
        """Return the values as JSON takes them."""
        return {
            "name": self.name,
            "kind": self.kind,
            "file": self.file,
            "change": self.change,
            "ready": self.is_ready,
            "canary": self.canary,
            "hints": list(self.hints),
            "steps": list(self.steps),
        }


def install_service(choices: Choices, wish: Wish) -> Result:
    """Install a service and prove that it works.

    Args:
        choices: vault and configuration.
        wish: the rest.

    Raises:
        AtomicAgentsError: it was refused or did not come up; then all is as it was before.

    """
    real = real_rim()
    rim: Rim = DryRim(real) if wish.dry_run else real
    found = manager(wish.scope, rim)
    plan = make_plan(choices, wish, found)
    use_folders(plan)
    root = find_root(Path(plan.vault))
    _check_alone(found, plan, root)
    done = install(rim, found, plan, see=_watch(root, wish), is_current=_is_current(root))
    canary = _verify(root) if wish.verify and done.is_ready and not wish.dry_run else None
    return Result(
        name=plan.name,
        kind=found.kind,
        file=str(done.file),
        change=done.change,
        is_ready=done.is_ready,
        canary=canary,
        hints=hints(real, found, plan),
        steps=tuple(rim.notes) if isinstance(rim, DryRim) else (),
    )


def report(result: Result) -> None:
    """Print what an installation did."""
    from atomic_agents.cli.verify import tell
    from atomic_agents.lifecycle.canary import Flight

    for note in result.steps:
        say_command("would", note)
    if not result.steps:
        words = {
            "new": "Installed",
            "updated": "Updated",
            "restarted": "Restarted",
            "none": "Nothing to change:",
        }
        say(f"{words[result.change]} {result.file} ({result.kind}).", bold=True)
    if not result.is_ready:
        say("The first sweep still runs; `atomicd status` shows when it is done.", colour="yellow")
    for hint in result.hints:
        say(hint, colour="yellow")
    if result.canary is None:
        return
    if result.canary["ok"]:
        tell(Flight(result.canary["indexed_ms"], result.canary["removed_ms"]))
    else:
        say(f"It runs, but the canary failed: {result.canary['error']}", colour="red")


def uninstall_service(name: str, scope: Scope, *, dry_run: bool) -> dict[str, Any]:
    """Remove a service and return what was done and what was kept.

    Args:
        name: the service's.
        scope: for this user or the whole system.
        dry_run: change nothing.

    """
    real = real_rim()
    rim: Rim = DryRim(real) if dry_run else real
    found = manager(scope, rim)
    file = found.file(check_name(name))
    kept: list[str] = []
    try:
        plan = read_plan(found, name)
    except AtomicAgentsError:
        plan = None
    if plan is not None:
        kept = [f"the state in {plan.state_dir}", f"the log in {plan.log_dir}"]
    removed = uninstall(rim, found, name)
    steps = list(rim.notes) if isinstance(rim, DryRim) else []
    return {"name": name, "file": str(file), "removed": removed, "kept": kept, "steps": steps}


def _check_alone(found: Manager, plan: Plan, root: Path) -> None:
    """Refuse a second service for one vault, and a daemon that runs outside of the service."""
    other = service_of(found, root)
    if other is not None and other.name != plan.name:
        raise AtomicAgentsError(
            f"{other.file}: a service for this vault already",
            hint=f"`atomicd service uninstall{f' --name {other.name}' if other.name else ''}` removes it",
        )
    running = owner(state_folder(root))
    pid = found.look(plan.name).pid
    if running is not None and running.pid != pid:
        raise AlreadyRunningError(
            f"process {running.pid} runs on this vault outside of the service", hint="stop it first"
        )


def _watch(root: Path, wish: Wish) -> Callable[[], Seen]:
    """Return what reads the daemon's own status; what stood there before the start does not count."""
    file = state_folder(root) / FILE
    before = _changed(file)

    def see() -> Seen:
        if wish.dry_run:
            return Seen("up")
        if _changed(file) == before:
            return Seen("silent")
        told = read_status(state_folder(root), root, Now.read())
        return _seen(told)

    return see


def _seen(told: Status) -> Seen:
    words = "; ".join(told.reasons)
    if told.state in {"running", "degraded"}:
        return Seen("up", words)
    return Seen("down" if told.state in {"crashed", "stopped"} else "coming", words)


def _changed(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _is_current(root: Path) -> bool:
    told = read_status(state_folder(root), root, Now.read())
    return told.state in {"running", "degraded"} and told.version == __version__


def _verify(root: Path) -> dict[str, Any]:
    from atomic_agents.cli.verify import fly

    try:
        return fly(root, _CANARY_SECONDS).as_json()
    except AtomicAgentsError as error:
        return {"ok": False, "error": str(error), "hint": error.hint}
