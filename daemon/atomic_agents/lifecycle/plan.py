"""What a service shall run: the one value that becomes a unit or a plist, and is read back from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from atomic_agents.exceptions import UsageError

Scope = Literal["user", "system"]

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_ISOLATED: Final = ("-E", "-P", "-m", "atomic_agents", "run")
"""Arguments of the interpreter: the environment and the working folder have no say in what is imported."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One service; all paths are absolute.

    Args:
        interpreter: the Python that has atomicd.
        vault: the vault's folder, as the operator named it.
        state_dir: the folder that holds the state folders.
        log_dir: the folder of the log.
        home: the working folder; the user's home folder.
        name: tells a second service from the first, whose name is "".
        scope: a service of the user or of the whole system.
        config: the configuration file, or None for the one that is found by itself.
        run_as: the user of a system service.
        sandbox: whether a user service runs in namespaces of its own.
        private_tmp: whether it gets a /tmp of its own.

    """

    interpreter: str
    vault: str
    state_dir: str
    log_dir: str
    home: str
    name: str = ""
    scope: Scope = "user"
    config: str | None = None
    run_as: str | None = None
    sandbox: bool = False
    private_tmp: bool = True

    @property
    def stem(self) -> str:
        """The service's name without an ending: `atomicd`, `atomicd-work`."""
        return stem(self.name)


def stem(name: str) -> str:
    """Return the full name of a service: `atomicd`, `atomicd-work`."""
    return f"atomicd-{name}" if name else "atomicd"


def check_name(name: str) -> str:
    """Return the name of a service if it is one.

    Raises:
        UsageError: it is not.

    """
    if name and not _NAME.fullmatch(name):
        raise UsageError(
            f"service name {name!r}: expected up to 32 lower-case letters, digits and inner hyphens",
            hint="for example --name work",
        )
    return name


def check_paths(plan: Plan) -> None:
    """Refuse paths that a unit or a plist cannot hold.

    Raises:
        UsageError: a path holds control characters, or bytes that are no UTF-8.

    """
    for path in (plan.interpreter, plan.vault, plan.state_dir, plan.log_dir, plan.home, plan.config or ""):
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            is_text = False
        else:
            is_text = all(char.isprintable() or char == "\u00a0" for char in path)
        if not is_text:
            raise UsageError(
                f"path {path!r}: holds control characters or bytes that are no UTF-8",
                hint="rename the folder, or reach it through a link with a plain name",
            )


def command(plan: Plan, *flags: str) -> tuple[str, ...]:
    """Return the words that start the daemon.

    Args:
        plan: the service.
        flags: further options of `atomicd run`.

    """
    config = ("--config", plan.config) if plan.config is not None else ()
    return (plan.interpreter, *_ISOLATED, *flags, "--vault", plan.vault, *config)


def options(words: Sequence[str]) -> tuple[str, str, str | None]:
    """Return interpreter, vault and configuration of a command that `command` made.

    Raises:
        ValueError: it is no such command.

    """
    if tuple(words[1 : 1 + len(_ISOLATED)]) != _ISOLATED:
        raise ValueError("no command of atomicd")
    rest = list(words[1 + len(_ISOLATED) :])
    vault = rest[rest.index("--vault") + 1]
    config = rest[rest.index("--config") + 1] if "--config" in rest else None
    return words[0], vault, config
