"""From the command line to an installed service: what is checked before, and what is told after."""

from __future__ import annotations

import getpass
import os
import pwd
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from atomic_agents import __version__
from atomic_agents import config as configuration
from atomic_agents.cli.located import manager, read_plan, real_rim, use_folders
from atomic_agents.cli.options import Choices
from atomic_agents.cli.output import say
from atomic_agents.daemon.instance import owner
from atomic_agents.daemon.status import FILE, Now, Status, read_status
from atomic_agents.exceptions import AlreadyRunningError, AtomicAgentsError, UsageError
from atomic_agents.lifecycle.drift import Facts, find_drift
from atomic_agents.lifecycle.finding import service_of
from atomic_agents.lifecycle.install import Seen, install, read_unit, uninstall
from atomic_agents.lifecycle.linger import linger_command, lingers
from atomic_agents.lifecycle.manager import Manager
from atomic_agents.lifecycle.plan import Plan, Scope, check_name, check_paths, stem
from atomic_agents.lifecycle.rim import DryRim, Rim
from atomic_agents.lifecycle.systemd import Systemd
from atomic_agents.store import state_folder
from atomic_agents.vault.refusal import check_readable
from atomic_agents.vault.walk import find_root

_TEMPORARY: Final = ("/tmp/", "/var/tmp/")  # noqa: S108 (compared with, not written to)
_SYSTEM_CONFIG: Final = Path("/etc/atomicd/config.toml")
_CANARY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for.

    Args:
        name: the service's.
        scope: for this user or the whole system.
        run_as: the user of a system service; None is the vault's owner.
        sandbox: namespaces for a user service; None tries whether that works.
        verify: end with a canary.
        dry_run: change nothing.

    """

    name: str
    scope: Scope
    run_as: str | None = None
    sandbox: bool | None = None
    verify: bool = True
    dry_run: bool = False


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
    steps: tuple[str, ...] = field(default=())

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


def make_plan(choices: Choices, wish: Wish, found: Manager) -> Plan:
    """Return the service that the command line describes, with its configuration and vault checked.

    Args:
        choices: vault and configuration.
        wish: the rest.
        found: the service manager.

    Raises:
        ConfigError: the configuration is wrong.
        VaultMissingError: the vault is not there, or cannot be read.
        UsageError: the name, a path or a combination makes no sense.

    """
    if wish.run_as is not None and wish.scope == "user":
        raise UsageError("--run-as needs --system", hint="a user service runs as its user")
    config = _config_file(choices, wish.scope)
    vault = os.path.abspath(choices_load(choices, config).root)
    root = find_root(Path(vault))
    check_readable(root)
    plan = _plan(wish, vault, config, root)
    check_name(plan.name)
    check_paths(plan)
    return replace(plan, sandbox=_sandbox(wish, found, root))


def choices_load(choices: Choices, config: Path | None) -> configuration.Config:
    """Read the configuration that the service will read."""
    return configuration.load(config, vault=choices.vault)


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
        hints=_hints(real, found, plan),
        steps=tuple(rim.notes) if isinstance(rim, DryRim) else (),
    )


def report(result: Result) -> None:
    """Print what an installation did."""
    from atomic_agents.cli.verify import tell
    from atomic_agents.lifecycle.canary import Flight

    for note in result.steps:
        say(f"  would: {note}")
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


def inspect(name: str, scope: Scope) -> dict[str, Any]:
    """Return how a service is, in the shape of `service status --json`.

    Args:
        name: the service's.
        scope: for this user or the whole system.

    """
    rim = real_rim()
    found = manager(scope, rim)
    file = found.file(check_name(name))
    data, loaded = read_unit(file), found.look(name)
    plan = _readable_plan(found, data, name)
    told = _told(plan)
    interpreter = plan.interpreter if plan is not None else sys.executable
    facts = Facts(
        interpreter=sys.executable,
        is_executable=os.access(interpreter, os.X_OK),
        installed_version=__version__,
        running_version=told.version if told is not None and told.pid is not None else None,
    )
    return {
        "name": name,
        "kind": found.kind,
        "file": str(file),
        "installed": data is not None,
        "loaded": loaded.is_loaded,
        "enabled": loaded.is_enabled,
        "active": loaded.is_active,
        "pid": loaded.pid,
        "restarts": loaded.restarts,
        "said": loaded.said,
        "vault": plan.vault if plan is not None else None,
        "state_dir": plan.state_dir if plan is not None else None,
        "log_dir": plan.log_dir if plan is not None else None,
        "daemon": told.state if told is not None else None,
        "drift": [drift.as_json() for drift in find_drift(found, name, data, loaded, facts)],
        "hints": list(_hints(rim, found, plan)) if plan is not None else [],
    }


def _plan(wish: Wish, vault: str, config: Path | None, root: Path) -> Plan:
    state, log = configuration.state_root(), configuration.log_root()
    run_as, home = None, str(Path.home())
    if wish.scope == "system":
        state, log = _system_folders(wish.name)
        run_as, home = _user(wish.run_as, root)
    return Plan(
        interpreter=os.path.abspath(sys.executable),
        vault=vault,
        state_dir=os.path.abspath(state),
        log_dir=os.path.abspath(log),
        home="/" if wish.scope == "system" and sys.platform != "darwin" else home,
        name=wish.name,
        scope=wish.scope,
        config=str(config) if config is not None else None,
        run_as=run_as,
        private_tmp=not any(
            path.startswith(_TEMPORARY) for path in (vault, str(root), str(state), str(log), sys.executable)
        ),
    )


def _system_folders(name: str) -> tuple[Path, Path]:
    if sys.platform == "darwin":
        return Path("/usr/local/var/lib") / stem(name), Path("/usr/local/var/log") / stem(name)
    return Path("/var/lib") / stem(name), Path("/var/log") / stem(name)


def _user(name: str | None, root: Path) -> tuple[str, str]:
    """Return name and home folder of the user that a system service runs as."""
    try:
        entry = pwd.getpwnam(name) if name is not None else pwd.getpwuid(root.stat().st_uid)
    except KeyError as error:
        raise UsageError(f"user {name or root.stat().st_uid}: not known to this machine") from error
    return entry.pw_name, entry.pw_dir


def _config_file(choices: Choices, scope: Scope) -> Path | None:
    """Return the configuration to name in the service: it may not find it by itself in its environment."""
    chosen = choices.config or os.environ.get("ATOMICD_CONFIG")
    if chosen is not None:
        return Path(os.path.abspath(Path(chosen).expanduser()))
    usual = _SYSTEM_CONFIG if scope == "system" else configuration.default_path()
    return usual if usual.exists() else None


def _sandbox(wish: Wish, found: Manager, root: Path) -> bool:
    """Whether a user service gets namespaces: there must be such, and the vault must be of one group."""
    if not isinstance(found, Systemd) or wish.scope == "system":
        return False
    if wish.sandbox is not None:
        return wish.sandbox
    return root.stat().st_gid == os.getegid() and found.can_sandbox()


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


def _hints(rim: Rim, found: Manager, plan: Plan) -> tuple[str, ...]:
    """Return what the operator should know: linger, and where macOS keeps background programs out."""
    if found.kind == "systemd user":
        user = getpass.getuser()
        if lingers(rim, user) is False:
            return (f"It ends at your last logout. To let it go on: {linger_command(user)}",)
    if found.kind.startswith("launchd"):
        return _privacy(plan)
    return ()


def _privacy(plan: Plan) -> tuple[str, ...]:
    from atomic_agents.vault.refusal import SETTINGS_PAGE, interpreter_binary

    protected = ("Desktop", "Documents", "Downloads", "Library/Mobile Documents", "Library/CloudStorage")
    if not any(Path(plan.vault).is_relative_to(Path(plan.home) / name) for name in protected):
        return ()
    return (
        f"macOS keeps background programs out of this folder until you allow {interpreter_binary()} under "
        f'System Settings, Privacy & Security, Full Disk Access: open "{SETTINGS_PAGE}"',
    )


def _readable_plan(found: Manager, data: bytes | None, name: str) -> Plan | None:
    if data is None:
        return None
    try:
        return found.parse(data, name)
    except ValueError:
        return None


def _told(plan: Plan | None) -> Status | None:
    """Return the daemon's own status, where this user may read it."""
    if plan is None:
        return None
    use_folders(plan)
    root = Path(os.path.realpath(plan.vault))
    try:
        return read_status(state_folder(root), root, Now.read())
    except OSError:
        return None
