"""From the command line to the plan of a service, with everything checked before anything is written."""

from __future__ import annotations

import os
import pwd
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from atomic_agents import config as configuration
from atomic_agents.cli.options import Choices
from atomic_agents.exceptions import UsageError
from atomic_agents.lifecycle.manager import Manager
from atomic_agents.lifecycle.plan import Plan, Scope, check_name, check_paths, stem
from atomic_agents.lifecycle.systemd import Systemd
from atomic_agents.vault.refusal import check_readable
from atomic_agents.vault.walk import find_root

_TEMPORARY: Final = ("/tmp/", "/var/tmp/")  # noqa: S108 (compared with, not written to)
_SYSTEM_CONFIG: Final = Path("/etc/atomicd/config.toml")


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
    vault = _absolute(configuration.load(config, vault=choices.vault).root)
    root = find_root(Path(vault))
    check_readable(root)
    plan = _plan(wish, vault, config, root)
    check_name(plan.name)
    check_paths(plan)
    return replace(plan, sandbox=_sandbox(wish, found, root))


def _plan(wish: Wish, vault: str, config: Path | None, root: Path) -> Plan:
    state, log = configuration.state_root(), configuration.log_root()
    run_as, home = None, str(Path.home())
    if wish.scope == "system":
        state, log = _system_folders(wish.name)
        run_as, home = _user(wish.run_as, root)
    return Plan(
        interpreter=_absolute(Path(sys.executable)),
        vault=vault,
        state_dir=_absolute(state),
        log_dir=_absolute(log),
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
        return Path(_absolute(Path(chosen)))
    usual = _SYSTEM_CONFIG if scope == "system" else configuration.default_path()
    return usual if usual.exists() else None


def _sandbox(wish: Wish, found: Manager, root: Path) -> bool:
    """Whether a user service gets namespaces: there must be such, and the vault must be of one group."""
    if not isinstance(found, Systemd) or wish.scope == "system":
        return False
    if wish.sandbox is not None:
        return wish.sandbox
    return root.stat().st_gid == os.getegid() and found.can_sandbox()


def _absolute(path: Path) -> str:
    """Return a path without `~` and `..`; links stay, since an environment's interpreter is one."""
    return os.path.normpath(path.expanduser().absolute())
